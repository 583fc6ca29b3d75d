"""Searches that report: greedy walks, recorded searches, strategies side by side."""
