"""Curves and points over axes."""
