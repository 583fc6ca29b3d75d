"""Glassbox: `streamlit run app.py`."""

import streamlit as st

from explainer.server.app import parts

app = st.App(**parts())
