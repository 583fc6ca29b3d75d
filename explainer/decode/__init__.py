"""Decoding: searches over anything that maps prefixes to next-token log-probabilities."""
