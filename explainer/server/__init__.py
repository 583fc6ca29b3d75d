"""The server: the App that Streamlit runs, what it sends with every answer, and what it does not take in."""
