"""Navigation."""

import streamlit as st

st.set_page_config(page_title="Glassbox", page_icon=":material/deployed_code:", layout="wide")
page = st.navigation(
    [st.Page("translate.py", title="Translate", icon=":material/translate:", url_path="translate", default=True)],
    position="top",
)
page.run()
