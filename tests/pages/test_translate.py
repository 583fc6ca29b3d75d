"""The Translate page without a browser: what it draws is what the model has."""

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.capture.interventions import without_heads
from explainer.figures.escape import for_markdown
from explainer.pages.state import DEFAULT_SENTENCE, MAX_CHARACTERS, translator
from explainer.translator import MAX_TOKENS

MAIN = Path(__file__).parents[2] / "explainer" / "pages" / "main.py"


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def figure(app: AppTest, key: str) -> dict[str, Any]:
    """The figure that the panel with this key shows."""
    for element in app.get("bidi_component"):
        data = json.loads(element.proto.json)
        if data.get("name") == f"glassbox-{key}":
            return data["figure"]
    raise AssertionError(f"no panel {key}")


def german(app: AppTest) -> str:
    """The translation on the page."""
    return next(shown.value for shown in app.markdown if shown.value.startswith("## "))


def array(packed: dict[str, Any]) -> np.ndarray:
    flat = np.frombuffer(base64.b64decode(packed["bdata"]), dtype=packed["dtype"])
    return flat.reshape([int(n) for n in packed["shape"].split(",")]) if "shape" in packed else flat


def test_the_matrix_on_the_page_is_the_attention_of_the_model() -> None:
    app = opened(sentence="I have some money.", kind="encoder", layer="2", head="3")
    assert not app.exception
    ids = translator().translate("I have some money.").ids
    trace = translator().trace("I have some money.", ids)
    expected = trace["encoder.layers.1.self_attention.attend.hook_weights"][2]
    np.testing.assert_allclose(array(figure(app, "attention")["data"][0]["z"]), expected, atol=1e-6)


def test_another_sentence_gives_another_translation() -> None:
    app = opened()
    first = german(app)
    app.text_input(key="sentence").set_value("I love my new watch.").run()
    assert not app.exception
    assert german(app) != first


def test_an_empty_sentence_gets_a_hint() -> None:
    app = opened()
    app.text_input(key="sentence").set_value("   ").run()
    assert not app.exception
    assert "Type an English sentence" in app.info[0].value


def test_too_many_tokens_are_counted_and_the_text_is_kept() -> None:
    app = opened()
    long = "word " * 100
    app.text_input(key="sentence").set_value(long).run()
    assert not app.exception
    assert "100 tokens" in app.warning[0].value
    assert str(MAX_TOKENS) in app.warning[0].value
    assert app.text_input(key="sentence").value == long
    assert len(long) < MAX_CHARACTERS


@pytest.mark.parametrize(
    "sentence", ['<b>bold</b> & "quotes" <script>', r"$\href{x}{y}$", "<s>", "**a** `b`", "😀 कुछ"]
)
def test_markup_is_text(sentence: str) -> None:
    app = opened(sentence=sentence)
    assert not app.exception
    shown = json.dumps(figure(app, "attention")["layout"]["xaxis"]["ticktext"])
    assert "<" not in shown
    assert not [text.value for text in app.markdown if "<script" in text.value or "<b>" in text.value]


@pytest.mark.parametrize(
    ("name", "value"),
    [("layer", "99"), ("head", "x"), ("kind", "sideways"), ("cell", "9999.1"), ("row", "-1")],
)
def test_a_link_that_points_nowhere_falls_back_and_says_so(name: str, value: str) -> None:
    app = opened(**{name: value})
    assert not app.exception
    assert any(f"{name} = '{value}'" in toast.value for toast in app.toast)


def test_a_head_can_be_switched_off() -> None:
    app = opened(sentence=DEFAULT_SENTENCE, kind="cross", layer="3", head="2", what="off:cross.3.2")
    assert not app.exception
    assert app.toggle(key="switch-off").value
    model = translator()
    path = "decoder.layers.2.cross_attention.attend.hook_mixed"
    changes = {path: without_heads(1)}
    ids = model.translate(DEFAULT_SENTENCE).ids
    rows = model.trace(DEFAULT_SENTENCE, ids, interventions=changes)["head.hook_log_probs"]
    expected = sum(float(row[token]) for row, token in zip(rows, ids, strict=True))
    table = next(shown.value for shown in app.markdown if "| before |" in shown.value)
    assert f"| {expected:.2f} (Δ".replace("-", "−") in table.splitlines()[-1]
    assert for_markdown(model.translate(DEFAULT_SENTENCE, interventions=changes).text) in table


def test_a_broken_translator_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    from explainer.checkpoints import CheckpointError
    from explainer.pages import view

    def missing() -> None:
        raise CheckpointError("pretrained/translator/model.safetensors: missing")

    monkeypatch.setattr(view, "translator", missing)
    app = opened()
    assert not app.exception
    assert "model.safetensors: missing" in app.error[0].value
