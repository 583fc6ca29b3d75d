"""Pages: the only importer of Streamlit."""
