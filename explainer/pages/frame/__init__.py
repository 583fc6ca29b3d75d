"""The frame: what every page stands in: link, session, open model, view, changes, layout."""
