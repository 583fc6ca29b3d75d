"""Equations: LaTeX, the same formula in NumPy, and the hook it explains. No torch, no Streamlit."""
