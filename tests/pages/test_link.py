"""The copied link: it names all that a page shows, defaults too, and opening it shows the same."""

import ast
import html
import re
import tomllib
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from explainer.pages.frame.share import ALWAYS
from tests.pages.app import MAIN, MONEY, PAGES, opened_on

STATE = {
    "beam_search": {"penalty": "gnmt"},
    "blocks": {"sublayer": "feed_forward"},
    "strategies": {"penalty": "hf", "strategy": "beam 4"},
}
LINKS = tomllib.loads((Path(__file__).parents[1] / "links/links.toml").read_text())["link"]
READERS = ("link_choice", "link_cell", "link_number", "choose", "slide", "stepper", "pick_from", "pick_several",
           "whole_number", "note", "fell_back")  # fmt: skip


def declared(name: str) -> set[str]:
    """The names of the constant `LINKS` of a page."""
    found: set[str] = set()
    for node in ast.parse((MAIN.parent / name / "page.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LINKS":
            found |= set(ast.literal_eval(node.value))
    return found


def copied(app: AppTest) -> tuple[dict[str, str], set[str]]:
    """What the copied link names, as the script of the button finds it; and the names that the page declares."""
    values: dict[str, str] = {}
    names: set[str] = set()
    for element in app.get("html"):
        found = re.search(
            r'class="noted"(?: data-names="([^"]*)")? data-values="([^"]*)"', element.proto.body
        )
        if found:
            names |= set((found[1] or "").split())
            values |= dict(parse_qsl(html.unescape(found[2])))
    return values, names - set(ALWAYS)


def drawn(app: AppTest) -> list[str]:
    """All that the figures show."""
    return [element.proto.json for element in app.get("bidi_component") if "figure" in element.proto.json]


@pytest.mark.parametrize("name", PAGES)
def test_a_copied_link_names_all_that_is_shown_and_shows_the_same(name: str) -> None:
    app = opened_on(name, MONEY, **STATE.get(name, {}))
    values, names = copied(app)
    assert names == declared(name)
    assert set(values) - set(ALWAYS) <= names
    values.setdefault("sentence", MONEY)
    again = opened_on(name, **values)
    assert [toast.value for toast in again.toast] == []
    for _ in range(100):
        if drawn(again) == drawn(app):
            break
        app.run()  # searches that still go on
        again.run()
    assert drawn(again) == drawn(app)
    assert copied(again)[0] == copied(app)[0]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_declares_all_that_it_says_in_its_link_and_that_old_links_say(name: str) -> None:
    said: set[str] = set()
    for file in (MAIN.parent / name).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if node.func.id == "set_link":
                    said |= {one.arg for one in node.keywords if one.arg}
                elif node.func.id in READERS and isinstance(node.args[0], ast.Constant):
                    said.add(str(node.args[0].value))
    for link in LINKS:
        if (link["page"].replace("-", "_") or "translate") == name:
            said |= set(link["query"])
    assert said - set(ALWAYS) <= declared(name)
