"""The sampling distribution and the bound on the page are those of the engine, which is tested against transformers."""

import math

import numpy as np
import pytest
import torch

from explainer.decode.search.exact import ExactRules
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.sampling import SamplingRules, sampling_log_probs
from explainer.equations.decoding import bound, off_by
from explainer.equations.sampling import drawn_from, kept_share, sampling, seen_of, survivors


@pytest.mark.parametrize("temperature", [0.2, 1.0, 2.0])
@pytest.mark.parametrize("top_k", [0, 3, 40])
@pytest.mark.parametrize("top_p", [0.3, 0.9, 1.0])
def test_equals_the_engine(temperature: float, top_k: int, top_p: float) -> None:
    log_probs = (torch.randn(60) * 2).log_softmax(dim=-1)
    engine = sampling_log_probs(log_probs, SamplingRules(temperature=temperature, top_k=top_k, top_p=top_p))
    ours = drawn_from(log_probs.numpy(), temperature, top_k, top_p)
    np.testing.assert_allclose(ours, engine.exp().numpy(), atol=1e-12)
    seen = seen_of(log_probs.numpy(), engine.numpy())
    equation = sampling(temperature, top_k, top_p)
    assert equation.agrees(seen)
    likely, unlikely = int(log_probs.argmax()), int(log_probs.argmin())
    assert equation.story(seen, (likely,)).deviation < 1e-9
    story = equation.story(seen, (unlikely,))
    assert story.deviation < 1e-9
    assert bool(story.note) == (float(engine[unlikely]) == -math.inf)


def test_by_hand() -> None:
    """p = 0.5, 0.3, 0.15, 0.05. Top-p 0.8 keeps two; T = 0.5 squares: 0.25, 0.09, 0.0225, 0.0025, sum 0.365."""
    log_probs = np.log([0.5, 0.3, 0.15, 0.05])
    np.testing.assert_allclose(drawn_from(log_probs, 1.0, 0, 0.79), [0.625, 0.375, 0, 0])
    np.testing.assert_allclose(
        drawn_from(log_probs, 0.5, 0, 1.0), np.array([0.25, 0.09, 0.0225, 0.0025]) / 0.365
    )
    np.testing.assert_allclose(drawn_from(log_probs, 1.0, 1, 1.0), [1, 0, 0, 0])
    assert survivors(np.array([0.5, 0.3, 0.15, 0.05]), 3, 0.9).tolist() == [True, True, True, False]
    n, share = kept_share(log_probs, np.array([np.log(0.625), np.log(0.375), -math.inf, -math.inf]))
    assert (n, share) == (2, pytest.approx(0.8))


@pytest.mark.parametrize("name", ["none", "huggingface", "gnmt"])
@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.6, 2.0])
def test_the_bound_is_the_engines_and_holds_for_every_length(name: str, alpha: float) -> None:
    penalty = LengthPenalty(name, alpha)  # type: ignore[arg-type]
    for length in (0, 3, 7):
        ours = bound(-3.0, name, alpha, length, 9)
        assert ours == pytest.approx(ExactRules(max_new_tokens=9, penalty=penalty).bound(-3.0, length))
        best = max(penalty.score(-3.0, n) for n in range(length + 1, 10))  # if further tokens cost nothing
        assert ours == pytest.approx(best)


def test_off_by() -> None:
    assert off_by(-3.0, np.array([-1.0, -1.5], dtype=np.float32)) == 0.5
