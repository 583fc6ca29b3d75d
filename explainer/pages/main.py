"""Navigation."""

from pathlib import Path

import streamlit as st

_ICON = (
    Path(__file__).parent / "icon.svg"
)  # a file of our own: Streamlit would fetch a named icon from the network
st.set_page_config(page_title="Glassbox", page_icon=_ICON, layout="wide")
st.html(Path(__file__).parent / "page.html")
page = st.navigation(
    [
        st.Page(
            "translate.py", title="Translate", icon=":material/translate:", url_path="translate", default=True
        )
    ],
    position="top",
)
page.run()
