"""Learning: loss, schedule, batches, the training loop, run folders."""
