"""Bars: a length for each name."""
