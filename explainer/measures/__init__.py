"""Measures: what is read off a trace and has no formula of its own in the paper. No torch, no Streamlit, no LaTeX."""
