"""The pages about training, without a browser: a real run in a process of its own, followed to its end."""

import json
from pathlib import Path

import numpy as np
import pytest

from explainer.checkpoints import load_checkpoint
from explainer.figures.escape import for_markdown
from explainer.figures.style import probability
from explainer.files import PRETRAINED
from explainer.pages.frame import engine as train_engine
from explainer.translator.translator import Translator
from tests.pages.app import MONEY, array, figure, has_button, matrix, opened_on, table_of
from tests.pages.test_time_machine import made
from tests.train.small import wait_until


def test_a_run_is_started_followed_opened_and_averaged(runs: Path) -> None:
    app = opened_on("train", MONEY)
    app.button_group(key="task").set_value("copy").run()
    app.button_group(key="size").set_value("small").run()
    app.number_input(key="steps-copy").set_value(20).run()
    app.number_input(key="save-copy").set_value(10).run()
    app.button(key="start").click().run()
    assert not app.exception
    wait_until(lambda: not train_engine.engine().status("copy").is_active)
    assert train_engine.engine().status("copy").status == "finished"

    app = opened_on("train", MONEY, run="copy")
    reports = [json.loads(line) for line in (runs / "copy" / "metrics.jsonl").read_text().splitlines()]
    for drawn, name in zip(figure(app, "run-loss")["data"], ("nll", "valid_nll"), strict=True):
        expected = [one[name] for one in reports if name in one]
        np.testing.assert_allclose(array(drawn["y"]), expected, rtol=1e-5)
    app.button(key="average").click().run()
    assert not app.exception
    made = load_checkpoint(runs / "copy-mean2" / "steps" / "000020").model
    ends = [load_checkpoint(runs / "copy" / "steps" / f"{step:06d}").model for step in (10, 20)]
    for name, value in made.named_parameters():
        one, two = (end.get_parameter(name).detach() for end in ends)
        np.testing.assert_allclose(value.detach(), (one + two) / 2, atol=2e-3, err_msg=name)  # float16

    app = opened_on("self_attention", "a b c", model="copy", layer="1", head="1")
    own = Translator.load(runs / "copy" / "steps" / "000020")
    trace = own.trace("a b c", own.translate("a b c").ids)
    hook = "encoder.layers.0.self_attention.attend.hook_weights"
    np.testing.assert_allclose(matrix(app, "made"), trace[hook][0], atol=1e-6)

    app = opened_on("time_machine", "a b c", run="copy", moment="3")
    assert any("after 20 steps" in text.value for text in app.markdown)


def test_the_run_that_is_open_stays_open_from_page_to_page_until_it_is_closed(runs: Path) -> None:
    made(runs / "tiny", {5: "e"})
    app = opened_on("translate", "a b c", model="tiny")
    for page in ("greedy", "masks"):
        app.query_params.clear()  # as the menu does
        app.switch_page(f"{page}/page.py").run()
        assert not app.exception
        assert app.query_params["model"] == "tiny"
    app.button(key="own-model").click().run()
    app.switch_page("greedy/page.py").run()
    assert "model" not in app.query_params


@pytest.mark.parametrize(
    "page",
    ["translate", "tokens", "positions", "self_attention", "multi_head", "masks", "blocks", "cross_attention",
     "output_head", "greedy", "beam_search", "strategies", "loss"],
)  # fmt: skip
def test_every_page_opens_a_model_of_another_size(page: str, runs: Path) -> None:
    made(runs / "tiny", {5: "e"})
    app = opened_on(page, "a b c", model="tiny")
    assert any("tiny" in button.label for button in app.button)


def test_the_form_says_what_the_settings_really_reach(runs: Path) -> None:
    """Thirty steps: the warm-up s / 100 and the fall (30 − s) / 15 to zero leave 26 / 100 of the highest rate."""
    app = opened_on("train", MONEY)
    app.button_group(key="task").set_value("copy").run()
    assert any(text.value.endswith("learning rate up to 0.003`") for text in app.caption)
    assert not app.info
    app.number_input(key="steps-copy").set_value(30).run()
    assert not app.exception
    assert any(text.value.endswith("learning rate up to 0.00078`") for text in app.caption)
    told = "\n".join(text.value for text in app.info)
    assert "30 steps are too few for a warm-up of 100" in told
    assert "50 is more than 30 steps" in told
    app.number_input(key="warmup-copy").set_value(10).run()
    app.number_input(key="save-copy").set_value(10).run()
    assert any(text.value.endswith("learning rate up to 0.003`") for text in app.caption)
    assert not app.info


def test_a_failure_is_started_only_after_a_prediction(runs: Path) -> None:
    app = opened_on("failures", MONEY, failure="labels")
    assert not has_button(app, "break")
    app.radio(key="predict-labels").set_value(0).run()
    assert not app.exception
    assert has_button(app, "break")


def test_the_twins_are_compared_with_the_shipped_translator_whatever_is_open(runs: Path) -> None:
    made(runs / "tiny", {5: "e"})
    app = opened_on("masks", MONEY, model="tiny")
    shipped = Translator.load(PRETRAINED / "translator")
    target = shipped.translate("I have some money.")
    rows = shipped.trace("I have some money.", target.ids)["head.hook_log_probs"]
    loss = -float(np.mean([row[token] for row, token in zip(rows, target.ids, strict=True)]))
    table = table_of(app, "the shipped translator, trained")
    line = next(line for line in table.splitlines() if "the shipped translator" in line)
    assert f"| {probability(loss)} | {for_markdown(target.text)} |" in line
