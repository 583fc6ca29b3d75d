"""Heat maps: a colour for each cell."""
