"""Glassbox: a small English-German Transformer in which every number can be looked at."""
