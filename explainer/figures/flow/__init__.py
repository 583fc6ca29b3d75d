"""Flows: the whole model, or one sublayer, as streams."""
