"""Tokens as boxes, lines and ladders."""
