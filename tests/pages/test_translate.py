"""The Translate page without a browser: what it draws is what the model has."""

import base64
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.capture.interventions import without_heads
from explainer.capture.trace import Trace
from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.figures.escape import for_markdown, for_plotly
from explainer.figures.heat.matrix import labels
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import DEFAULT_SENTENCE, MAX_CHARACTERS
from explainer.translator.translator import MAX_TOKENS
from explainer.whatif.changes import parse

MAIN = Path(__file__).parents[2] / "explainer" / "pages" / "main.py"


def opened(**query: str) -> AppTest:
    app = AppTest.from_file(str(MAIN), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return app.run()


def opened_on(name: str, sentence: str = DEFAULT_SENTENCE, **query: str) -> AppTest:
    """Another page. What its link says is set after the switch: the first page has cells and rows of its own."""
    app = opened(sentence=sentence)
    app.switch_page(f"{name}/page.py")
    for key, value in query.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    return app


def traced(sentence: str, *specs: str) -> Trace:
    """The pass under some changes, forced to the translation without them."""
    ids = translator().translate(sentence).ids
    return translator().trace(sentence, ids, changes=tuple(map(parse, specs)))


def figure(app: AppTest, key: str) -> dict[str, Any]:
    """The figure that the panel with this key shows."""
    for element in app.get("bidi_component"):
        data = json.loads(element.proto.json)
        if data.get("name") == f"glassbox-{key}":
            return data["figure"]
    raise AssertionError(f"no panel {key}")


def fell_back(app: AppTest) -> set[tuple[str, str]]:
    """Names and values of the link of which the page says that it could not use them."""
    said = "".join(toast.value for toast in app.toast)
    return {
        (name, value)
        for name, quoted in re.findall(r"The link says ([\w-]+) = (\S+); expected", said)
        for value in [quoted.replace("\\", "").strip("'")]
    }


def german(app: AppTest) -> str:
    """The translation on the page."""
    return next(shown.value for shown in app.markdown if shown.value.startswith("## "))


def told_change(table: str) -> tuple[Decimal, Decimal, Decimal]:
    """Log p before, after, and Δ, as the bar of the changes writes them."""
    before, after = table.replace("−", "-").splitlines()[-2:]
    found = re.search(r"\| (-?[\d.]+) \(Δ (-?[\d.]+)\) \|$", after)
    assert found
    return Decimal(before.split("|")[3].strip()), Decimal(found[1]), Decimal(found[2])


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


MONEY, SWAP = "I have some money.", "swap:1.2"
WEIGHTS = "encoder.layers.1.self_attention.attend.hook_weights"


def traces(spec: str) -> tuple[Trace, Trace]:
    """The passes of `MONEY` before and after a change."""
    ids = translator().translate(MONEY).ids
    return translator().trace(MONEY, ids), translator().trace(MONEY, ids, changes=(parse(spec),))


@pytest.mark.parametrize("show", ["before", "after"])
def test_the_panel_shows_numbers_and_names_of_the_same_pass(show: str) -> None:
    app = opened(sentence=MONEY, kind="encoder", layer="2", head="3", what=SWAP, show=show)
    assert not app.exception
    passes = traces(SWAP)
    shown, other = passes if show == "before" else passes[::-1]
    assert shown.info.source != other.info.source
    assert np.abs(shown[WEIGHTS][2] - other[WEIGHTS][2]).max() > 0.01
    drawn = figure(app, "attention")
    np.testing.assert_allclose(array(drawn["data"][0]["z"]), shown[WEIGHTS][2], atol=1e-6)
    assert drawn["layout"]["xaxis"]["ticktext"] == list(map(for_plotly, labels(shown.info.source)))


def test_the_difference_is_after_minus_before() -> None:
    app = opened(sentence=MONEY, kind="encoder", layer="2", head="3", what=SWAP, show="difference")
    assert not app.exception
    before, after = traces(SWAP)
    drawn = array(figure(app, "attention")["data"][0]["z"])
    np.testing.assert_allclose(drawn, after[WEIGHTS][2] - before[WEIGHTS][2], atol=1e-6)
    assert any("after** the changes" in text.value for text in app.caption)


@pytest.mark.parametrize("show", ["before", "after", "difference"])
def test_the_bars_show_one_whole_pass(show: str) -> None:
    app = opened(sentence=MONEY, row="2", what=SWAP, show=show)
    assert not app.exception
    passes = traces(SWAP)
    shown, other = passes if show == "before" else passes[::-1]
    expected, not_this = (np.exp(np.sort(one["head.hook_log_probs"][1])[::-1][:8]) for one in (shown, other))
    probabilities = array(figure(app, "next-token")["data"][0]["x"])[:-1]  # the last bar is all others
    np.testing.assert_allclose(probabilities, expected, rtol=1e-3)
    assert np.abs(np.log(expected / not_this)).max() > 0.01


@pytest.mark.parametrize("key", ["map", "alignment", "next-token", "attention", "heads"])
def test_before_is_the_page_without_the_change(key: str) -> None:
    plain, before, after = (
        figure(opened(sentence=MONEY, row="2", **change), key)
        for change in ({}, {"what": SWAP, "show": "before"}, {"what": SWAP, "show": "after"})
    )
    assert before["data"] == plain["data"]
    assert after["data"] != plain["data"]


def test_the_table_of_a_matrix_has_its_rows_and_columns() -> None:
    app = opened(sentence=MONEY, kind="encoder", layer="2", head="3")
    app.toggle(key="attention-table").set_value(True).run()
    assert not app.exception
    lines = (
        next(text.value for text in app.markdown if text.value.startswith("|")).replace("\\", "").splitlines()
    )
    numbers = [[float(cell) for cell in line.split("|")[2:-1]] for line in lines[2:]]
    np.testing.assert_allclose(numbers, traced(MONEY)[WEIGHTS][2], atol=1e-6)


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
    assert any(f"{name} = {for_markdown(repr(value))}" in toast.value for toast in app.toast)


@pytest.mark.parametrize("spec", [f"off:{kind}.1.{head}" for kind in ("encoder", "cross") for head in (1, 2)])
def test_a_difference_is_made_of_the_shown_digits(spec: str) -> None:
    app = opened(sentence=MONEY, what=spec)
    before, after, gap = told_change(next(one.value for one in app.markdown if "| before |" in one.value))
    assert gap == after - before
    ids = translator().translate(MONEY).ids
    plain, changed = (sequence_log_prob(trace[LOG_PROB], ids) for trace in traces(spec))
    assert gap != 0 or changed == plain
    assert float(gap) == pytest.approx(changed - plain, abs=10.0 ** int(gap.as_tuple().exponent))


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
    after = told_change(table)[1]
    assert float(after) == pytest.approx(expected, abs=0.6 * 10.0 ** int(after.as_tuple().exponent))
    assert for_markdown(model.translate(DEFAULT_SENTENCE, interventions=changes).text) in table


def test_a_broken_translator_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    from explainer.checkpoints import CheckpointError
    from explainer.pages.frame import view

    def missing() -> None:
        raise CheckpointError("pretrained/translator/model.safetensors: missing")

    monkeypatch.setattr(view, "translator", missing)
    app = opened()
    assert not app.exception
    assert "model.safetensors: missing" in app.error[0].value


def test_under_a_change_the_headline_and_the_map_say_what_they_show() -> None:
    sentence = "My sister bought a red bicycle yesterday."
    app = opened(sentence=sentence, what="ahead", row="5")
    assert not app.exception
    said = " ".join(text.value for text in (*app.caption, *app.markdown))
    assert "Made without the changes. log p" in said
    assert "exactly as it was when the words came one by one" not in " ".join(said.split())
    forced = translator().translate(sentence).ids[4]
    bars = figure(app, "next-token")["data"][0]
    assert ["candidate", forced] in bars[
        "customdata"
    ]  # the token that is fed is among the bars, wherever it ranks
    log_probs = traced(sentence, "ahead")["head.hook_log_probs"][4]
    place = bars["customdata"].index(["candidate", forced])
    assert array(bars["x"])[place] == pytest.approx(float(np.exp(log_probs[forced])), abs=1e-6)


@pytest.mark.parametrize("sentence", ["Hello", "😀", DEFAULT_SENTENCE])
def test_what_is_said_of_a_head_holds_for_this_sentence(sentence: str) -> None:
    app = opened(sentence=sentence, kind="cross")
    assert not app.exception
    said = " ".join(text.value for text in (*app.caption, *app.info))
    trace = traced(sentence)
    assert ("its rows look most firmly at words of their own" in said) == (sentence != "😀")
    if "**sink**" in said or "no mere sink" in said:
        end = [i for i, token in enumerate(trace.info.source) if token == "</s>"][-1]
        rows = [i for i, token in enumerate(trace.info.predicted) if token != "</s>"]
        shares = [
            trace[f"decoder.layers.{layer}.cross_attention.attend.hook_weights"][:, rows, end].mean(axis=-1)
            for layer in range(translator().checkpoint.model.config.n_decoder_layers)
        ]
        assert max(share.max() for share in shares) >= 0.3
