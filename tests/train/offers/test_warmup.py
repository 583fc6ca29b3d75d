"""The shipped runs with and without warm-up can be made again, and are what the page says they are."""

import dataclasses
from itertools import pairwise, product
from pathlib import Path

import pytest

from explainer.train.offers import warmup
from explainer.train.offers.warmup import Experiment, Recipe, load_experiment, reversals

FOUR = [(norm, warm) for norm in ("post", "pre") for warm in (True, False)]


@pytest.fixture(scope="module")
def shipped() -> Experiment:
    return load_experiment()


def test_all_runs_are_there_and_made_by_the_recipe_of_the_code(shipped: Experiment) -> None:
    assert shipped.recipe == Recipe()
    assert shipped.seeds
    for seed, (norm, warm) in product(shipped.seeds, FOUR):
        run = shipped.run(norm, warm=warm, seed=seed)
        assert run.steps[-1] == shipped.recipe.steps
        assert all(a < b for a, b in pairwise(run.steps))
        assert len(run.steps) == len(run.nll) == len(run.gradient_norm) == len(run.update)
    with pytest.raises(LookupError):
        shipped.run("post", warm=True, seed=99)


@pytest.mark.parametrize(("norm", "warm"), FOUR)
def test_the_first_steps_come_out_the_same_again(shipped: Experiment, norm: str, *, warm: bool) -> None:
    kept = shipped.run(norm, warm=warm, seed=shipped.seeds[0])
    again = warmup.warmup_run(dataclasses.replace(shipped.recipe, steps=4), norm, kept.warmup, kept.seed)
    assert again.nll == pytest.approx(kept.nll[:4], rel=2e-3)
    assert again.gradient_norm == pytest.approx(kept.gradient_norm[:4], rel=2e-2)
    assert again.update == pytest.approx(kept.update[:4], rel=2e-2)


def test_the_first_step_moves_weights_by_nearly_the_learning_rate(shipped: Experiment) -> None:
    for run in shipped.runs:
        assert 0.9 < run.update[0] <= 1.001
        assert run.update[-1] < run.update[0] / 2
        moved = run.moved(shipped.recipe.peak)
        assert moved[0] == pytest.approx(run.update[0] * shipped.recipe.peak / run.warmup)


def test_what_the_page_says_of_the_runs_holds_for_every_seed(shipped: Experiment) -> None:
    for seed in shipped.seeds:
        ends = {(norm, warm): shipped.run(norm, warm=warm, seed=seed).last_loss for norm, warm in FOUR}
        assert ends["post", False] > ends["post", True] + 0.3
        assert ends["pre", False] < ends["pre", True] + 0.05


def test_both_norms_begin_with_the_same_weights() -> None:
    post, pre = (
        dict(warmup.trainer_of(Recipe(), norm, 1, 5).model.named_parameters()) for norm in ("post", "pre")
    )
    assert set(post) < set(pre)  # pre-norm has one more norm at the end of each side
    assert all("norm" in name for name in set(pre) - set(post))
    assert all(post[name].equal(pre[name]) for name in post)


def test_the_task_is_to_reverse() -> None:
    recipe = dataclasses.replace(Recipe(), sentences=50)
    for example in reversals(recipe, 0):
        assert example.target == example.source[::-1]
        assert recipe.shortest <= len(example.source) <= recipe.longest
    assert reversals(recipe, 0) == reversals(recipe, 0)
    assert reversals(recipe, 0) != reversals(recipe, 1)


def test_an_experiment_survives_the_file(tmp_path: Path, shipped: Experiment) -> None:
    path = tmp_path / "runs.json"
    warmup.save_experiment(shipped, path)
    assert load_experiment(path) == shipped
    path.write_text('{"recipe": {}, "runs": [{}]}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"runs\.json: not the runs"):
        load_experiment(path)
