"""Navigation, and what all pages share: the sentence and the link."""

from pathlib import Path

import streamlit as st

from explainer.language import _, mark
from explainer.pages.frame.link import say_what_fell_back
from explainer.pages.frame.models import choose_model, import_models, show_chosen
from explainer.pages.frame.navigation import open_asked
from explainer.pages.frame.session import choose_language, choose_sentence, theme
from explainer.pages.frame.share import share_button

_HERE = Path(__file__).parent
_ICON = _HERE / "frame" / "icon.svg"  # a file of our own: Streamlit would fetch a named icon from the network
PAGES = {
    "": {"translate": mark("Translate")},
    mark("Inside the Transformer"): {
        "tokens": mark("Tokens and embeddings"),
        "positions": mark("Positions"),
        "self_attention": mark("Self-attention"),
        "multi_head": mark("Several heads"),
        "masks": mark("Masks"),
        "blocks": mark("Encoder and decoder blocks"),
        "cross_attention": mark("Cross-attention"),
        "output_head": mark("Output head"),
    },
    mark("Decoding"): {
        "greedy": mark("Greedy"),
        "beam_search": mark("Beam search"),
        "strategies": mark("Strategies"),
    },
    mark("Learning"): {
        "loss": mark("The loss"),
        "schedule": mark("The schedule"),
        "train": mark("Train"),
        "time_machine": mark("Time machine"),
        "failures": mark("Failure gallery"),
    },
}

choose_language()
choose_model()
st.set_page_config(page_title="Glassbox", page_icon=_ICON, layout="wide")
st.html(_HERE / "frame" / "page.html")
colours = theme()  # Streamlit tells its own colours to components only
st.html(f"<style>:root {{ --link: {colours.query}; --background: {colours.background}; }}</style>")
page = st.navigation(
    {
        _(section): [
            st.Page(
                f"{name}/page.py",
                title=_(title),
                url_path=name.replace("_", "-"),
                default=name == "translate",
            )
            for name, title in pages.items()
        ]
        for section, pages in PAGES.items()
    },
    position="top",
)
with st.container(horizontal=True, vertical_alignment="bottom", key="sentence-bar"):
    choose_sentence()
    show_chosen()
    share_button()
open_asked()
import_models()
page.run()
say_what_fell_back()
