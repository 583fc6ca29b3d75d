"""Models as sources of next-token log-probabilities: what a search reads, cached, fused and counted."""
