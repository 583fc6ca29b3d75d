"""A visitor on the page about the schedule: an example, a step of the curve, Adam's steps, another seed."""

import pytest
from playwright.sync_api import Page, expect

from explainer.train.learning.schedule import inverse_square_root
from explainer.train.offers.warmup import load_experiment
from tests.browser.conftest import plot, query_is, visit

LINES = "plot => plot._fullData.map(t => [t.name, [...t.x], [...t.y]])"


def test_a_visitor_compares_schedules_and_walks_through_adam(page: Page, server: str) -> None:
    visit(page, f"{server}/schedule")
    page.get_by_role("button", name="d_model 512, warm-up 1000").click()
    query_is(page, "warmup", "1000")
    lines = {name: (x, y) for name, x, y in plot(page, "schedule").evaluate(LINES)}
    x, y = lines["d_model 512, warm-up 1000"]
    for step, rate in zip(x, y, strict=True):
        assert rate == pytest.approx(inverse_square_root(round(step), d_model=512, warmup=1000), rel=1e-5)
    page.locator(".st-key-slide-step input[type=range]").press("End")
    query_is(page, "step", "20000")
    marked = plot(page, "schedule").evaluate(LINES)[-1]
    assert marked[1:] == [[20_000], [pytest.approx(inverse_square_root(20_000, d_model=512, warmup=1000))]]
    page.get_by_role("textbox", name="Gradients").fill("1, 1, -1")
    page.get_by_role("textbox", name="Gradients").press("Enter")
    query_is(page, "g", "1, 1, -1")
    steps = plot(page, "directions").evaluate(LINES)[0][2]
    assert steps[:2] == pytest.approx([1, 1])
    assert steps[2] == pytest.approx((0.9 * 0.19 - 0.1) / (1 - 0.9**3), rel=1e-4)
    page.get_by_role("button", name="Next step").click()
    query_is(page, "t", "3")
    expect(page.locator(".st-key-adam-story").first).to_contain_text("torch.optim.Adam")


def test_another_seed_shows_its_own_runs(page: Page, server: str) -> None:
    experiment = load_experiment()
    seed = experiment.seeds[-1]
    visit(page, f"{server}/schedule?seed={seed}&at=300")
    drawn = plot(page, "runs").evaluate(LINES)
    run = experiment.run("post", warm=False, seed=seed)
    assert drawn[1][2] == pytest.approx(list(run.nll), rel=1e-5)
    expect(page.locator(".st-key-runs-story").first).to_contain_text(f"{run.nll[run.index_at(300)]:.3f}")
