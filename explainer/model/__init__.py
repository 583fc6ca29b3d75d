"""Forward passes only: one file per idea of the paper, one hook point per symbol of its equations."""
