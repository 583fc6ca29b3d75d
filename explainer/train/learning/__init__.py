"""Learning: loss, schedule, batches, the training loop."""
