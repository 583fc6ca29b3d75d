"""The app without a browser: how to open a page by its link, and how to read what it shows."""

import base64
import functools
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from explainer.capture.trace import Trace
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import DEFAULT_SENTENCE
from explainer.whatif.changes import parse

MAIN = Path(__file__).parents[2] / "explainer" / "pages" / "main.py"
PAGES = sorted(path.parent.name for path in MAIN.parent.glob("*/en.md"))
MONEY = "I have some money."
LONG = (
    "I went to the store because I wanted to buy some bread and some milk, but when I got there they had nothing "
    "left, so I came home again and we ate soup together."
)


def opened(**query: str) -> AppTest:
    """Translate."""
    return opened_on("translate", **{"sentence": DEFAULT_SENTENCE, **query})


def opened_on(name: str, sentence: str = DEFAULT_SENTENCE, **query: str) -> AppTest:
    """What a new visitor sees who opens the link of a page."""
    app = AppTest.from_file(str(MAIN), default_timeout=120)
    app._page_hash = calc_hash("" if name == "translate" else name.replace("_", "-"))  # as its address has it
    for key, value in {"sentence": sentence, **query}.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


@functools.cache
def traced(sentence: str, *specs: str) -> Trace:
    """The pass under some changes, forced to the translation without them."""
    ids = translator().translate(sentence).ids
    return translator().trace(sentence, ids, changes=tuple(map(parse, specs)))


def limit(sentence: str = MONEY) -> int:
    """Of the tokens of its translation."""
    return translator().limit_for(len(translator().source_ids(sentence)))


def source(sentence: str = MONEY) -> CachedModel:
    """What a search of its own reads."""
    return CachedModel(translator().checkpoint.model, source_batch([translator().source_ids(sentence)]))


def figure(app: AppTest, key: str) -> dict[str, Any]:
    """The figure that the panel with this key shows."""
    for element in app.get("bidi_component"):
        data = json.loads(element.proto.json)
        if data.get("name") == f"glassbox-{key}":
            return data["figure"]
    raise AssertionError(f"no panel {key}")


def array(packed: dict[str, Any]) -> np.ndarray:
    flat = np.frombuffer(base64.b64decode(packed["bdata"]), dtype=packed["dtype"])
    return flat.reshape([int(n) for n in packed["shape"].split(",")]) if "shape" in packed else flat


def matrix(app: AppTest, key: str) -> np.ndarray:
    """The numbers of a heat map."""
    return array(figure(app, key)["data"][0]["z"])


def said(app: AppTest) -> str:
    """All texts of a page."""
    kinds = (app.caption, app.markdown, app.info, app.warning, app.error, app.success, app.toast, app.latex)
    return " ".join(str(one.value) for kind in kinds for one in kind)


def table_of(app: AppTest, words: str) -> str:
    """The first text that holds these words: a table, a line."""
    return next(shown.value for shown in app.markdown if words in shown.value)


def has_button(app: AppTest, key: str) -> bool:
    return any(button.key == key for button in app.button)


def link_of(app: AppTest, name: str) -> str:
    """What the link says of a name."""
    found = app.query_params[name]
    return found if isinstance(found, str) else found[0]


def fell_back(app: AppTest) -> set[tuple[str, str]]:
    """Names and values of the link of which the page says that it could not use them."""
    told = "".join(toast.value for toast in app.toast)
    return {
        (name, value)
        for name, quoted in re.findall(r"The link says ([\w-]+) = (\S+); expected", told)
        for value in [quoted.replace("\\", "").strip("'")]
    }


def german(app: AppTest) -> str:
    """The translation on the page."""
    return next(shown.value for shown in app.markdown if shown.value.startswith("## "))


def told_change(app: AppTest) -> tuple[Decimal, Decimal, Decimal]:
    """Log p before, after, and Δ, as the bar of the changes writes them."""
    before, after = table_of(app, "| before |").replace("−", "-").splitlines()[-2:]
    found = re.search(r"\| (-?[\d.]+) \(Δ (-?[\d.]+)\) \|$", after)
    assert found
    return Decimal(before.split("|")[3].strip()), Decimal(found[1]), Decimal(found[2])
