"""Figures: arrays in, plain Plotly dictionaries out. No torch, no Streamlit."""
