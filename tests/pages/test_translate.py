"""The Translate page without a browser: what it draws is what the model has."""

import numpy as np
import pytest

from explainer.capture.interventions import without_heads
from explainer.checkpoints import CheckpointError
from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.figures.escape import for_markdown, for_plotly
from explainer.figures.heat.matrix import labels
from explainer.pages.frame import view
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import DEFAULT_SENTENCE, MAX_CHARACTERS
from explainer.translator.translator import MAX_TOKENS
from tests.pages.app import MONEY, array, figure, german, matrix, opened, said, table_of, told_change, traced

SWAP = "swap:1.2"
WEIGHTS = "encoder.layers.1.self_attention.attend.hook_weights"
HEAD = {"sentence": MONEY, "kind": "encoder", "layer": "2", "head": "3", "row": "2"}


def test_before_is_the_page_without_the_change() -> None:
    changes = ({}, {"what": SWAP, "show": "before"}, {"what": SWAP, "show": "after"})
    apps = [opened(**HEAD, **change) for change in changes]
    for key in ("map", "alignment", "next-token", "attention", "heads"):
        plain, before, after = (figure(app, key)["data"] for app in apps)
        assert before == plain, key
        assert after != plain, key
    passes = traced(MONEY), traced(MONEY), traced(MONEY, SWAP)
    for app, shown in zip(apps, passes, strict=True):  # numbers and names are of the same pass
        drawn = figure(app, "attention")
        np.testing.assert_allclose(array(drawn["data"][0]["z"]), shown[WEIGHTS][2], atol=1e-6)
        assert drawn["layout"]["xaxis"]["ticktext"] == list(map(for_plotly, labels(shown.info.source)))
        assert_bars(array(figure(app, "next-token")["data"][0]["x"]), shown[LOG_PROB][1])
    assert passes[0].info.source != passes[2].info.source


def assert_bars(heights: np.ndarray, log_probs: np.ndarray) -> None:
    """The eight most probable tokens; the last bar is all others."""
    np.testing.assert_allclose(heights[:-1], np.exp(np.sort(log_probs)[::-1][:8]), rtol=1e-3)


def test_the_difference_is_after_minus_before() -> None:
    app = opened(**HEAD, what=SWAP, show="difference")
    before, after = (traced(MONEY), traced(MONEY, SWAP))
    np.testing.assert_allclose(matrix(app, "attention"), after[WEIGHTS][2] - before[WEIGHTS][2], atol=1e-6)
    assert any("after** the changes" in text.value for text in app.caption)
    assert_bars(array(figure(app, "next-token")["data"][0]["x"]), after[LOG_PROB][1])


def test_the_table_of_a_matrix_has_its_rows_and_columns() -> None:
    app = opened(**HEAD)
    app.toggle(key="attention-table").set_value(True).run()
    assert not app.exception
    table = next(text.value for text in app.markdown if text.value.startswith("|")).replace("\\", "")
    numbers = [[float(cell) for cell in line.split("|")[2:-1]] for line in table.splitlines()[2:]]
    np.testing.assert_allclose(numbers, traced(MONEY)[WEIGHTS][2], atol=1e-6)


def test_the_typed_sentence_is_translated_or_the_visitor_is_told_why_not() -> None:
    app = opened(sentence=MONEY)
    first = german(app)

    def typed(text: str) -> None:
        app.text_input(key="sentence").set_value(text).run()
        assert not app.exception

    typed("I love my new watch.")
    assert german(app) != first
    typed("   ")
    assert "Type an English sentence" in app.info[0].value
    long = "word " * 100
    typed(long)
    assert "100 tokens" in app.warning[0].value
    assert str(MAX_TOKENS) in app.warning[0].value
    assert app.text_input(key="sentence").value == long
    assert len(long) < MAX_CHARACTERS


@pytest.mark.parametrize("spec", ["off:encoder.1.2", "off:cross.1.1", "off:cross.1.2"])
def test_a_difference_is_made_of_the_shown_digits(spec: str) -> None:
    before, after, gap = told_change(opened(sentence=MONEY, what=spec))
    assert gap == after - before
    ids = translator().translate(MONEY).ids
    plain, changed = (sequence_log_prob(one[LOG_PROB], ids) for one in (traced(MONEY), traced(MONEY, spec)))
    assert gap != 0 or changed == plain
    assert float(gap) == pytest.approx(changed - plain, abs=10.0 ** int(gap.as_tuple().exponent))


def test_a_head_can_be_switched_off() -> None:
    app = opened(sentence=MONEY, kind="cross", layer="3", head="2", what="off:cross.3.2")
    assert app.toggle(key="switch-off").value
    changes = {"decoder.layers.2.cross_attention.attend.hook_mixed": without_heads(1)}
    ids = translator().translate(MONEY).ids
    rows = translator().trace(MONEY, ids, interventions=changes)[LOG_PROB]
    after = told_change(app)[1]
    rounding = 0.6 * 10.0 ** int(after.as_tuple().exponent)
    assert float(after) == pytest.approx(sequence_log_prob(rows, ids), abs=rounding)
    changed = translator().translate(MONEY, interventions=changes)
    assert for_markdown(changed.text) in table_of(app, "| before |")


def test_a_broken_translator_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise CheckpointError("pretrained/translator/model.safetensors: missing")

    monkeypatch.setattr(view, "translator", missing)
    assert "model.safetensors: missing" in opened().error[0].value


def test_under_a_change_the_headline_and_the_map_say_what_they_show() -> None:
    sentence = "My sister bought a red bicycle yesterday."
    app = opened(sentence=sentence, what="ahead", row="5")
    assert "Made without the changes. log p" in said(app)
    assert "exactly as it was when the words came one by one" not in " ".join(said(app).split())
    forced = translator().translate(sentence).ids[4]
    bars = figure(app, "next-token")["data"][0]
    place = bars["customdata"].index(["candidate", forced])  # the token that is fed, wherever it ranks
    expected = np.exp(traced(sentence, "ahead")[LOG_PROB][4, forced])
    assert array(bars["x"])[place] == pytest.approx(float(expected), abs=1e-6)


@pytest.mark.parametrize("sentence", ["Hello", "😀", DEFAULT_SENTENCE])
def test_what_is_said_of_a_head_holds_for_this_sentence(sentence: str) -> None:
    told = said(opened(sentence=sentence, kind="cross"))
    trace = traced(sentence)
    assert ("its rows look most firmly at words of their own" in told) == (sentence != "😀")
    if "**sink**" in told or "no mere sink" in told:
        end = [i for i, token in enumerate(trace.info.source) if token == "</s>"][-1]
        rows = [i for i, token in enumerate(trace.info.predicted) if token != "</s>"]
        shares = [
            trace[f"decoder.layers.{layer}.cross_attention.attend.hook_weights"][:, rows, end].mean(axis=-1)
            for layer in range(translator().checkpoint.model.config.n_decoder_layers)
        ]
        assert max(share.max() for share in shares) >= 0.3
