"""Capture: run a model once and keep what its hook points saw, as read-only NumPy."""
