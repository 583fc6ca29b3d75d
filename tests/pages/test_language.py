"""Whoever asks for a language hears it on all pages, and nobody else does."""

import pytest
from streamlit.testing.v1 import AppTest

from explainer.language import PSEUDO, _, pseudo, speaking
from explainer.pages.frame.caches import kept
from explainer.pages.frame.page import tasks
from explainer.pages.frame.session import prose
from tests.pages.app import PAGES, opened


def label(app: AppTest) -> str:
    return app.text_input(key="sentence").label


def test_the_language_of_the_link_is_kept_from_page_to_page() -> None:
    app = opened(language=PSEUDO)
    assert label(app) == pseudo("English")
    assert app.title[0].value == prose_in_pseudo("translate")["question"] != prose("translate")["question"]
    app.switch_page("tokens/page.py").run()
    assert not app.exception
    assert label(app) == pseudo("English")
    assert app.query_params["language"] == PSEUDO  # whoever opens a copied link reads the same
    assert label(opened()) == "English"


def test_an_unknown_language_is_english_and_said_to_be_unknown() -> None:
    app = opened(language="tlh")
    assert label(app) == "English"
    assert any("language = " in toast.value for toast in app.toast)
    assert "language" not in app.query_params


def test_callbacks_and_threads_of_a_visitor_speak_his_language() -> None:
    def script() -> None:
        import threading

        import streamlit as st
        from streamlit.runtime.scriptrunner import add_script_run_ctx

        from explainer.language import _
        from explainer.pages.frame import session  # registers who is asked

        def note(where: str) -> None:
            st.session_state[where] = _("dog")

        assert session
        st.session_state["language"] = "pseudo"  # by hand: nothing here says `speak`
        st.button("Click", on_click=note, args=("callback",))
        thread = add_script_run_ctx(threading.Thread(target=note, args=("thread",)))
        thread.start()
        thread.join()

    app = AppTest.from_function(script).run()
    app.button[0].click().run()
    assert not app.exception
    assert (app.session_state["callback"], app.session_state["thread"]) == ("«ðóóĝ»", "«ðóóĝ»")


def test_what_is_kept_for_all_visitors_is_kept_for_each_language() -> None:
    @kept(mebibytes=1)
    def words(n: int) -> str:
        return f"{n} {_('dogs')}"

    assert words(2) == "2 dogs"
    with speaking(PSEUDO):
        assert words(2) == "2 «ðóóĝš»"
    assert words(2) == "2 dogs"


def prose_in_pseudo(page: str) -> dict[str, str]:
    with speaking(PSEUDO):
        return prose(page)


@pytest.mark.parametrize("page", PAGES)
def test_the_prose_in_the_pseudo_language_keeps_its_sentences_and_slots(page: str) -> None:
    english, strange = prose(page), prose_in_pseudo(page)
    assert english.keys() == strange.keys()
    own, other = ([task.sentences for task in tasks(words["find out"])] for words in (english, strange))
    assert own == other
    for name, body in english.items():
        assert strange[name] != body
        assert body.count("‹") == strange[name].count("‹")
        if name.startswith("try this"):
            own, other = (
                [line.partition(" — ")[0] for line in one.splitlines()] for one in (body, strange[name])
            )
            assert own == other
