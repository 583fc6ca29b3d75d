"""The page about the loss without a browser: its numbers are PyTorch's, for any target, with and without changes."""

import math

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest
from torch.nn import functional as F

from explainer.capture.trace import Trace
from explainer.pages.frame.models import translator
from explainer.text.tokenizer import END_ID
from explainer.translator.translator import MAX_TOKENS
from explainer.whatif.changes import parse
from tests.pages.app import array, figure, opened_on, said

MONEY, GERMAN = "I have some money.", "Ich habe kein Geld."


def page(sentence: str = MONEY, **query: str) -> AppTest:
    return opened_on("loss", sentence, **query)


def ids_of(german: str | None) -> tuple[int, ...]:
    if german is None:
        return translator().translate(MONEY).ids
    return (*translator().checkpoint.tokenizer.encode(german), END_ID)


def pass_of(german: str | None, *specs: str) -> Trace:
    return translator().trace(MONEY, ids_of(german), changes=tuple(map(parse, specs)))


def logits_of(german: str | None, *specs: str) -> torch.Tensor:
    return torch.from_numpy(np.array(pass_of(german, *specs)["head.hook_logits"]))


def losses_of(german: str | None, *specs: str) -> np.ndarray:
    """By PyTorch, row by row."""
    labels = torch.tensor(ids_of(german))
    return F.cross_entropy(logits_of(german, *specs), labels, reduction="none").numpy()


def bars(app: AppTest) -> dict[str, np.ndarray]:
    """Name of each pass → −log p of its rows."""
    traces = figure(app, "forced")["data"]
    return {one["name"]: array(one["x"]) for one in traces if one["type"] == "bar"}


def rows(app: AppTest, key: str) -> dict[str, np.ndarray]:
    traces = figure(app, key)["data"]
    return {one["name"]: array(one["x"]) for one in traces if "name" in one}


@pytest.mark.parametrize("german", [None, GERMAN, ""])
def test_the_bars_are_pytorchs_cross_entropy_of_each_row(german: str | None) -> None:
    app = page(**({} if german is None else {"target": german}))
    expected, found = losses_of(german), bars(app)
    assert list(found) == ["−log p"]
    np.testing.assert_allclose(found["−log p"], expected, atol=1e-5)
    mean = float(expected.mean())
    assert f"| loss, nats per token | {mean:.3f} |" in said(app)
    assert f"| perplexity | {math.exp(mean):,.2f} |".replace(",", "\u2009") in said(app)


def test_a_row_reads_a_token_and_should_say_the_next() -> None:
    drawn = figure(page(target="<b>fett</b> $x$ & </s>"), "forced")["data"]
    assert "&lt;" in "".join(drawn[3]["text"])  # markup is text
    drawn = figure(page(target=GERMAN), "forced")["data"]
    reads, says = (one["text"] for one in drawn if one.get("mode") == "markers+text")
    plain = [[text.replace("<b>", "").replace("</b>", "") for text in side] for side in (reads, says)]
    assert plain[0][0] == "&lt;s&gt;"
    assert plain[1][-1] == "&lt;/s&gt;"
    assert plain[0][1:] == plain[1][:-1]


@pytest.mark.parametrize("epsilon", ["0", "0.1", "0.75"])
def test_smoothing_is_pytorchs(epsilon: str) -> None:
    app = page(target=GERMAN, row="3", eps=epsilon)
    label, logits = ids_of(GERMAN)[2], logits_of(GERMAN)[2]
    loss = float(F.cross_entropy(logits[None], torch.tensor([label]), label_smoothing=float(epsilon)))
    assert f"| **= loss, H(q, p)** | **{loss:.4f}** |" in said(app)
    shown = rows(app, "target-model")
    p = logits.softmax(dim=-1).numpy()
    customdata = figure(app, "target-model")["data"][-1]["customdata"]
    listed = [token for _, token in customdata if token is not None]
    assert label in listed
    np.testing.assert_allclose(shown["p, model"][:-1], np.maximum(p[listed], 1e-8), rtol=1e-4)
    np.testing.assert_allclose(shown["p, model"].sum(), 1, atol=1e-5)
    q = shown["q, target"][listed.index(label)]
    assert q == pytest.approx(1 - float(epsilon) + float(epsilon) / len(p), rel=1e-5)


def test_the_gradient_is_pytorchs() -> None:
    app = page(target=GERMAN, row="3", eps="0.2")
    label = ids_of(GERMAN)[2]
    leaf = logits_of(GERMAN)[2:3].requires_grad_()
    (expected,) = torch.autograd.grad(F.cross_entropy(leaf, torch.tensor([label]), label_smoothing=0.2), leaf)
    drawn = figure(app, "gradient")["data"][0]
    tokens = [token for _, token in drawn["customdata"]]
    np.testing.assert_allclose(array(drawn["x"])[:-1], expected[0, tokens[:-1]].numpy(), atol=1e-5)
    assert array(drawn["x"]).sum() == pytest.approx(0, abs=1e-5)


def test_a_convention_that_leaves_padding_out() -> None:
    app = page(target=GERMAN, row="2", how="V-2")
    pad = figure(app, "target-model")["layout"]["yaxis"]["ticktext"].index("&lt;pad&gt;")
    assert rows(app, "target-model")["q, target"][pad] == pytest.approx(1e-8)  # the end of the axis
    assert "Annotated Transformer" in " ".join(one.value for one in app.caption)


def test_changes_in_force_act_on_the_typed_target() -> None:
    app = page(target=GERMAN, what="uniform:cross")
    shown = bars(app)
    for name, specs in (("before", ()), ("after", ("uniform:cross",))):
        np.testing.assert_allclose(shown[name], losses_of(GERMAN, *specs), atol=1e-5)
    both = page(target=GERMAN, what="uniform:cross", show="difference")
    np.testing.assert_allclose(bars(both)["after − before"], shown["after"] - shown["before"], atol=1e-5)
    app = page(target="Ja", what=f"mask:decoder:{len(ids_of(None))}.1")  # a row that it does not have
    assert "does not act with this target" in said(app)
    assert list(bars(app)) == ["−log p"]


def test_left_alone_the_model_says_what_greedy_search_says() -> None:
    app = page(target=GERMAN)
    drawn = figure(app, "free")
    log_probs, text = pass_of(GERMAN)["head.hook_log_probs"], said(app)
    forced, probabilities = log_probs.argmax(axis=1), array(drawn["data"][0]["z"])
    np.testing.assert_allclose(probabilities[: len(forced), 0], np.exp(log_probs.max(axis=1)), atol=1e-5)
    own = np.nonzero(np.array(ids_of(GERMAN)) != forced)[0]
    if len(own):
        assert f"**part at position {own[0] + 1}**" in text
        np.testing.assert_allclose(probabilities[: own[0] + 1, 0], probabilities[: own[0] + 1, 1], atol=1e-5)
    assert f"**{int((forced == np.array(ids_of(GERMAN))).sum())} of {len(forced)}**" in text


def test_a_target_that_is_too_long_is_refused_with_the_limit() -> None:
    app = page(target="हि " * (MAX_TOKENS // 2))
    assert f"the limit is {MAX_TOKENS}" in app.warning[0].value
    assert not [one for one in app.latex if "log" in one.value]


def test_a_new_sentence_forgets_the_target() -> None:
    app = page(target=GERMAN)
    app.text_input(key="sentence").set_value("The clouds are in the sky.").run()
    assert not app.exception
    own = translator().translate("The clouds are in the sky.")
    assert app.text_input(key="target-field").value == own.text
    assert len(bars(app)["−log p"]) == len(own.ids)


def test_where_the_two_ways_do_not_part_another_reference_is_offered() -> None:
    app = page()
    assert "do not part" in said(app)
    app.button(key="part").click().run()
    assert not app.exception
    own = translator().translate(app.session_state["sentence"])
    expected = next(one for one in own.hypotheses if one.tokens != own.best.tokens)
    parting = next(i for i, (a, b) in enumerate(zip(own.ids, expected.tokens, strict=False)) if a != b)
    assert f"part at position {parting + 1}" in said(app)
