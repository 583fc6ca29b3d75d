"""The page about the schedule without a browser: what it draws is what the trainer uses and what the runs were."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from explainer.pages.frame import models as training
from explainer.pages.frame.models import translator
from explainer.train.learning.request import TrainRequest
from explainer.train.learning.schedule import cosine, inverse_square_root, learning_rate_of, trapezoid
from explainer.train.offers.warmup import load_experiment
from explainer.train.runs.record import TrainingRecord, load_record, save_record
from tests.pages.app import array, figure, opened_on, said


def page(**query: str) -> AppTest:
    return opened_on("schedule", **query)


def curves(app: AppTest, key: str) -> list[dict[str, Any]]:
    """Name, x and y of each line of a figure."""
    return [
        {"name": one["name"], "x": array(one["x"]), "y": array(one["y"])}
        for one in figure(app, key)["data"]
        if one["mode"] != "markers+text"
    ]


def test_the_curves_are_the_trainers_schedule_and_the_papers_base() -> None:
    (alone,) = curves(page(), "schedule")
    assert alone["y"].max() == pytest.approx(6.988e-4, abs=5e-8)
    app = page(d="256", warmup="1000", step="250")
    base, ours = curves(app, "schedule")
    for line, d_model, warmup in ((alone, 512, 4000), (base, 512, 4000), (ours, 256, 1000)):
        expected = [inverse_square_root(int(step), d_model=d_model, warmup=warmup) for step in line["x"]]
        np.testing.assert_allclose(line["y"], expected, rtol=1e-6)
    assert base["name"] == "the paper's base model"
    latex = " ".join(one.value for one in app.latex)
    assert r"256^{-0.5} \cdot \min(250^{-0.5},\; 250 \cdot 1000^{-1.5})" in latex
    assert "| 1\u2009000 | 1.976 · 10⁻³ | 1.0000 |" in said(app)


def test_the_other_shapes_have_the_same_peak() -> None:
    paper, flat, wave = curves(page(steps="5000", warmup="1000", decay="0.5"), "shapes")
    peak = (512 * 1000) ** -0.5
    steps = [int(step) for step in paper["x"]]
    falling = [trapezoid(s, peak=peak, warmup=1000, decay_from=2500, steps=5000) for s in steps]
    np.testing.assert_allclose(flat["y"], falling, rtol=1e-5, atol=1e-12)
    waving = [cosine(s, peak=peak, warmup=1000, steps=5000) for s in steps]
    np.testing.assert_allclose(wave["y"], waving, rtol=1e-5, atol=1e-12)
    assert paper["y"].max() == flat["y"].max() == wave["y"].max()


def test_a_step_beyond_the_end_falls_back() -> None:
    app = page(steps="5000", step="7000")
    assert "step" not in app.query_params
    assert [one for one in app.toast if "step" in one.value]


@pytest.fixture
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the page looks for the record of the translator."""
    monkeypatch.setattr("explainer.train.runs.record.load_record", lambda _: load_record(tmp_path))
    training.training_record.cache_clear()
    return tmp_path


def test_an_absent_or_damaged_record_is_told_and_nothing_breaks(beside: Path) -> None:
    assert [one for one in page().info if "training.json` is absent" in one.value]
    training.training_record.cache_clear()
    (beside / "training.json").write_text("{", encoding="utf-8")
    assert [one for one in page().info if "expected" in one.value]


@pytest.mark.parametrize("schedule", ["trapezoid", "cosine", "inverse_sqrt"])
def test_the_translators_own_rates_and_the_formula_of_its_request(beside: Path, schedule: str) -> None:
    request = TrainRequest.from_json({"corpus": "x", "schedule": schedule, "steps": 6000, "warmup": 400})
    rate = learning_rate_of(request)
    used = tuple((step, rate(step) * (0.5 if step > 5000 else 1)) for step in range(1, 6001, 100))
    save_record(beside, TrainingRecord(request, used))
    app = page()
    formula, points = curves(app, "ours")
    np.testing.assert_allclose(points["y"], [one for _, one in used], rtol=1e-6)
    np.testing.assert_allclose(formula["y"], [rate(step) for step, _ in used], rtol=1e-5, atol=1e-12)
    (mark,) = [one for one in figure(app, "ours")["data"] if one["mode"] == "markers+text"]
    step = translator().checkpoint.step
    assert mark["text"] == [f"step {step}"]
    at, rates = zip(*used, strict=True)
    assert mark["y"][0] == pytest.approx(np.interp(step, at, rates))
    assert [one for one in app.caption if "leave the line" in one.value]
    assert f"| schedule | {schedule}".replace("_", r"\_") in said(app)


def test_adams_steps_follow_the_typed_gradients() -> None:
    app = page(g="1, -1, 1, -1", t="4")
    with_, _ = curves(app, "directions")
    np.testing.assert_allclose(np.abs(with_["y"][[0, 3]]), [1, 0.0526], atol=5e-4)
    assert "max |Δ|" in " ".join(one.value for one in app.caption)


def test_another_beta_moves_the_first_step_and_the_check_against_torch_holds() -> None:
    app = page(b2="0.999", bias="off", t="1")
    with_, without = curves(app, "directions")
    assert with_["y"][0] == pytest.approx(1, rel=1e-6)
    assert without["y"][0] == pytest.approx(0.1 / 0.001**0.5, rel=1e-6)
    checked = next(one.value for one in page(b1="0.0", b2="0.999").caption if "torch.optim.Adam" in one.value)
    assert float(checked.rpartition("= ")[2].rstrip(".").replace("−", "-")) < 1e-9


def test_a_beta_of_zero_is_kept_when_the_link_is_copied_or_typed() -> None:
    app = page()
    app.button_group(key="choose-b1").set_value(0.0).run()
    for spelling in (app.query_params["b1"][0], "0", "0.0"):
        copied = page(b1=spelling)
        assert copied.button_group(key="choose-b1").value == 0
        assert not copied.toast


@pytest.mark.parametrize("typed", ["one, two", "", "nan", "1e99", "1," * 40])
def test_what_are_no_gradients_is_refused(typed: str) -> None:
    app = page(g=typed)
    with_, _ = curves(app, "directions")
    assert len(with_["x"]) == 8
    assert [one for one in app.toast if "numbers with commas" in one.value]


def test_the_runs_on_the_page_are_the_shipped_ones() -> None:
    experiment = load_experiment()
    seed = experiment.seeds[-1]
    app = page(seed=str(seed), at="300")
    drawn = curves(app, "runs")
    four = [(norm, warm) for norm in ("post", "pre") for warm in (True, False)]
    for line, (norm, warm) in zip(drawn, four, strict=True):
        run = experiment.run(norm, warm=warm, seed=seed)
        np.testing.assert_allclose(line["y"], run.nll, rtol=1e-5)
        assert f"{run.nll[run.index_at(300)]:.3f}" in said(app)
    updates = curves(page(), "updates")
    first = experiment.run("post", warm=False, seed=experiment.seeds[0])
    np.testing.assert_allclose(updates[1]["y"], first.update, rtol=1e-5)


def test_an_example_sets_the_sliders() -> None:
    app = page(step="77")
    next(one for one in app.button if "1024" in one.label).click().run()
    assert not app.exception
    assert app.slider(key="slide-d").value == 1024
    assert app.slider(key="slide-step").value == 4000
