"""The time machine without a browser: what it draws at a step is what was kept of that step."""

import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explainer.figures.escape import for_markdown
from explainer.model.transformer import Transformer
from explainer.pages.frame.session import prose
from explainer.pages.time_machine.history import SHIPPED
from explainer.text.tokenizer import END_ID, Tokenizer
from explainer.train.offers.menu import OFFERS, TASK_REQUEST, sized
from explainer.train.runs.folder import RunFolder
from explainer.translator import Translator
from explainer.translator.moments import KeptMoments, Moment
from tests.pages.app import array, figure, matrix, opened_on, said

PAIR = 1
LETTERS = "a b c d e f g h i j k l m n o p q r s t u v w x y z"


def page(**query: str) -> AppTest:
    return opened_on("time_machine", **{"pair": str(PAIR + 1), **query})


@pytest.fixture(scope="module")
def moments() -> list[Moment]:
    kept = KeptMoments.load()
    return [kept.at(step, kept.pairs[PAIR]) for step in kept.steps]


def test_the_colours_mean_the_same_at_every_step(moments: list[Moment]) -> None:
    for number in (1, len(moments)):
        app = page(moment=str(number), kind="encoder", layer="1", head="2")
        drawn, trace = figure(app, "moment-matrix")["data"][0], moments[number - 1].trace
        assert (drawn["zmin"], drawn["zmax"]) == (0, 1)
        hook = "encoder.layers.0.self_attention.attend.hook_weights"
        np.testing.assert_allclose(array(drawn["z"]), trace[hook][1], atol=1e-6)
        cosines = figure(app, "moment-cosines")["data"][0]
        assert (cosines["zmin"], cosines["zmax"]) == (-1, 1)
        rows, columns = trace["target_embedding.hook_token"][1:], trace["source_embedding.hook_token"]
        expected = [[a @ b / np.sqrt((a @ a) * (b @ b)) for b in columns] for a in rows]
        np.testing.assert_allclose(array(cosines["z"]), expected, atol=1e-5)


def test_cross_attention_the_use_of_positions_and_the_words_of_a_step(moments: list[Moment]) -> None:
    """The largest share on a neighbour, read off the weights of the encoder's heads."""
    expected = []
    for moment in moments:
        best = 0.0
        hooks = [name for name in moment.trace if re.fullmatch(r"encoder.*hook_weights", name)]
        for one in (head for hook in hooks for head in moment.trace[hook]):
            best = max(best, *(np.diagonal(one, side).mean() for side in (-1, 1)))
        expected.append(best)
    app = page(kind="cross", moment="3", layer="3", head="2")
    lines = {one["name"]: array(one["y"]) for one in figure(app, "moment-curves")["data"]}
    np.testing.assert_allclose(lines["use of positions"], expected, atol=1e-5)
    assert lines["use of positions"][-1] > 2 * lines["use of positions"][0]
    hook = "decoder.layers.2.cross_attention.attend.hook_weights"
    np.testing.assert_allclose(matrix(app, "moment-matrix"), moments[2].trace[hook][1], atol=1e-6)
    losses = array(figure(app, "moment-loss")["data"][0]["y"])
    np.testing.assert_allclose(losses, [moment.nats.mean() for moment in moments], rtol=1e-5)
    text = said(app)  # the table of what each step said
    assert f"**{moments[2].mean:.2f}**" in text
    assert for_markdown(moments[-1].text) in text


def made(path: Path, says: dict[int, str], **asked: str) -> RunFolder:
    """A run whose model says one piece again and again, another one at each saved step; "" ends at once."""
    lines = OFFERS["copy"].files(1)["corpus.tsv"].decode().splitlines()[:500]
    tokenizer = Tokenizer.train([line.partition("\t")[0] for line in lines], 300)
    request = dataclasses.replace(sized(TASK_REQUEST, "small"), **asked)
    folder = RunFolder(path)
    folder.create(request)
    for step, piece in says.items():
        saying = Transformer(request.model_config(len(tokenizer)))
        wanted = tokenizer.encode(piece)[-1] if piece else END_ID
        last = dict(saying.named_parameters())
        with torch.no_grad():  # the decoder's last vector is that piece's row, whatever it reads
            last["decoder.layers.0.feed_forward_residual.norm.weight"].zero_()
            row = 20 * last["source_embedding.table"][wanted]
            last["decoder.layers.0.feed_forward_residual.norm.bias"].copy_(row)
        folder.save_step(saying, tokenizer, step)
    return folder


def test_it_opens_on_the_run_that_all_pages_open_if_it_has_two_saved_steps(runs: Path) -> None:
    made(runs / "mine", {0: "e", 30: "d"})
    app = opened_on("time_machine", "a b c", model="mine")
    assert app.button_group(key="choose-run").value == "mine"
    assert "after 30 steps" in said(app)
    assert prose("time_machine")["said by the shipped"] not in said(app)
    other = opened_on("time_machine", "a b c", model="mine", run=SHIPPED)
    assert other.button_group(key="choose-run").value == SHIPPED
    assert prose("time_machine")["said by the shipped"] in said(other)
    made(runs / "young", {0: "e"})
    app = opened_on("time_machine", "a b c", model="young")
    assert app.button_group(key="choose-run").value == SHIPPED
    assert any("**young**" in told.value for told in app.info)


def test_a_run_that_went_on_from_a_model_does_not_claim_a_random_start(runs: Path) -> None:
    made(runs / "fresh", {0: "e", 30: "d"})
    made(runs / "later", {0: "e", 30: "d"}, start="/somewhere")
    told = prose("time_machine")["continued"]
    assert told not in said(opened_on("time_machine", "a b c", run="fresh"))
    assert told in said(opened_on("time_machine", "a b c", run="later"))


def test_a_target_that_was_cut_is_said_to_be_cut_and_of_nothing_nothing_is_compared(runs: Path) -> None:
    """All steps are forced to what the last one says: here it never ends, there it ends at once."""
    made(runs / "endless", {0: "", 30: "d"})
    made(runs / "mute", {0: "d", 30: ""})
    endless, mute = (opened_on("time_machine", "a b c", run=run) for run in ("endless", "mute"))
    cut, whole = ([one.value for one in app.info if "**Cut at" in one.value] for app in (endless, mute))
    last = Translator.load(RunFolder(runs / "endless").step_folder(30))
    limit = last.limit_for(len(last.source_ids("a b c")))
    assert len(cut) == 1
    assert f"limit** of {limit} tokens" in cut[0]
    assert not whole
    assert "(nothing)" in said(mute)
    assert any(told.value == prose("time_machine")["nothing to compare"] for told in mute.info)
    with pytest.raises(AssertionError):
        figure(mute, "moment-cosines")


def test_a_long_output_is_cut_in_the_table(runs: Path) -> None:
    """The piece of d has two characters here, that of e one: both are said equally often."""
    made(runs / "mine", {0: "d", 30: "e"})
    text = said(opened_on("time_machine", LETTERS, run="mine"))
    cells = dict(re.findall(r"\| \**(\d+)\** \| \**([^|]*?)\** \| \**[\d.]+\** \|", text))
    assert re.fullmatch("(d ){40}…", cells["0"])
    assert re.fullmatch("e{41,80}", cells["30"])


@pytest.mark.parametrize("measured", [[], [30], [0, 30]])
def test_the_validation_pairs_are_drawn_if_they_were_measured(measured: list[int], runs: Path) -> None:
    folder = made(runs / "mine", {0: "e", 30: "d"})
    for step in measured:
        folder.append({"step": step, "valid_nll": 3.5, "valid_exact": 0.0})
    drawn = figure(opened_on("time_machine", "a b c", run="mine"), "moment-loss")["data"]
    lines = [line for line in drawn if line["name"] == "validation pairs"]
    assert len(lines) == bool(measured)
    assert all(("markers" in line["mode"]) == (len(measured) == 1) for line in lines)
