"""The Translate page without a browser: what it draws is what the model has."""

import numpy as np
import pytest

from explainer.capture.interventions import without_heads
from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.figures.escape import for_markdown, for_plotly
from explainer.figures.heat.matrix import labels
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import DEFAULT_SENTENCE, MAX_CHARACTERS
from explainer.translator.translator import MAX_TOKENS
from tests.pages.app import MONEY, array, figure, german, matrix, opened, table_of, told_change, traced


def test_the_matrix_on_the_page_is_the_attention_of_the_model() -> None:
    app = opened(sentence=MONEY, kind="encoder", layer="2", head="3")
    expected = traced(MONEY)["encoder.layers.1.self_attention.attend.hook_weights"][2]
    np.testing.assert_allclose(matrix(app, "attention"), expected, atol=1e-6)


SWAP = "swap:1.2"
WEIGHTS = "encoder.layers.1.self_attention.attend.hook_weights"


@pytest.mark.parametrize("show", ["before", "after"])
def test_the_panel_shows_numbers_and_names_of_the_same_pass(show: str) -> None:
    app = opened(sentence=MONEY, kind="encoder", layer="2", head="3", what=SWAP, show=show)
    passes = (traced(MONEY), traced(MONEY, SWAP))
    shown, other = passes if show == "before" else passes[::-1]
    assert shown.info.source != other.info.source
    assert np.abs(shown[WEIGHTS][2] - other[WEIGHTS][2]).max() > 0.01
    drawn = figure(app, "attention")
    np.testing.assert_allclose(array(drawn["data"][0]["z"]), shown[WEIGHTS][2], atol=1e-6)
    assert drawn["layout"]["xaxis"]["ticktext"] == list(map(for_plotly, labels(shown.info.source)))


def test_the_difference_is_after_minus_before() -> None:
    app = opened(sentence=MONEY, kind="encoder", layer="2", head="3", what=SWAP, show="difference")
    before, after = (traced(MONEY), traced(MONEY, SWAP))
    drawn = matrix(app, "attention")
    np.testing.assert_allclose(drawn, after[WEIGHTS][2] - before[WEIGHTS][2], atol=1e-6)
    assert any("after** the changes" in text.value for text in app.caption)


@pytest.mark.parametrize("show", ["before", "after", "difference"])
def test_the_bars_show_one_whole_pass(show: str) -> None:
    app = opened(sentence=MONEY, row="2", what=SWAP, show=show)
    passes = (traced(MONEY), traced(MONEY, SWAP))
    shown, other = passes if show == "before" else passes[::-1]
    expected, not_this = (np.exp(np.sort(one["head.hook_log_probs"][1])[::-1][:8]) for one in (shown, other))
    probabilities = array(figure(app, "next-token")["data"][0]["x"])[:-1]  # the last bar is all others
    np.testing.assert_allclose(probabilities, expected, rtol=1e-3)
    assert np.abs(np.log(expected / not_this)).max() > 0.01


def test_before_is_the_page_without_the_change() -> None:
    changes = ({}, {"what": SWAP, "show": "before"}, {"what": SWAP, "show": "after"})
    apps = [opened(sentence=MONEY, row="2", **change) for change in changes]
    for key in ("map", "alignment", "next-token", "attention", "heads"):
        plain, before, after = (figure(app, key)["data"] for app in apps)
        assert before == plain, key
        assert after != plain, key


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


@pytest.mark.parametrize("spec", [f"off:{kind}.1.{head}" for kind in ("encoder", "cross") for head in (1, 2)])
def test_a_difference_is_made_of_the_shown_digits(spec: str) -> None:
    app = opened(sentence=MONEY, what=spec)
    before, after, gap = told_change(app)
    assert gap == after - before
    ids = translator().translate(MONEY).ids
    plain, changed = (
        sequence_log_prob(trace[LOG_PROB], ids) for trace in (traced(MONEY), traced(MONEY, spec))
    )
    assert gap != 0 or changed == plain
    assert float(gap) == pytest.approx(changed - plain, abs=10.0 ** int(gap.as_tuple().exponent))


def test_a_head_can_be_switched_off() -> None:
    app = opened(sentence=DEFAULT_SENTENCE, kind="cross", layer="3", head="2", what="off:cross.3.2")
    assert app.toggle(key="switch-off").value
    model = translator()
    path = "decoder.layers.2.cross_attention.attend.hook_mixed"
    changes = {path: without_heads(1)}
    ids = model.translate(DEFAULT_SENTENCE).ids
    rows = model.trace(DEFAULT_SENTENCE, ids, interventions=changes)["head.hook_log_probs"]
    expected = sum(float(row[token]) for row, token in zip(rows, ids, strict=True))
    table = table_of(app, "| before |")
    after = told_change(app)[1]
    assert float(after) == pytest.approx(expected, abs=0.6 * 10.0 ** int(after.as_tuple().exponent))
    assert for_markdown(model.translate(DEFAULT_SENTENCE, interventions=changes).text) in table


def test_a_broken_translator_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    from explainer.checkpoints import CheckpointError
    from explainer.pages.frame import view

    def missing() -> None:
        raise CheckpointError("pretrained/translator/model.safetensors: missing")

    monkeypatch.setattr(view, "translator", missing)
    app = opened()
    assert "model.safetensors: missing" in app.error[0].value


def test_under_a_change_the_headline_and_the_map_say_what_they_show() -> None:
    sentence = "My sister bought a red bicycle yesterday."
    app = opened(sentence=sentence, what="ahead", row="5")
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
