"""Sampling: the filters are transformers', the draws have their distribution, two probabilities stay apart."""

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from explainer.decode.search.beam import greedy
from explainer.decode.search.sampling import SampleStep, SamplingRules, sample, sampling_log_probs
from explainer.decode.search.table import ProbabilityTable
from explainer.decode.sources.transformer import CachedModel, PlainModel
from explainer.text.tokenizer import START_ID
from tests.decode.search.test_table import random_table
from tests.peers import random_model, random_sources

TEMPERATURES, TOP_KS, TOP_PS = (0.3, 1.0, 2.5), (0, 1, 7, 500), (0.05, 0.5, 0.93, 1.0)


def warped(logits: Tensor, rules: SamplingRules) -> Tensor:
    """What transformers draws from, by its own classes in its own order."""
    ids: Any = torch.zeros(len(logits), 1, dtype=torch.long)
    logits = TemperatureLogitsWarper(rules.temperature)(ids, logits)
    if rules.top_k:
        logits = TopKLogitsWarper(rules.top_k)(ids, logits)
    if rules.top_p < 1:
        logits = TopPLogitsWarper(rules.top_p)(ids, logits)
    return logits.log_softmax(dim=-1)


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("top_k", TOP_KS)
@pytest.mark.parametrize("top_p", TOP_PS)
def test_the_filters_are_those_of_transformers(temperature: float, top_k: int, top_p: float) -> None:
    logits = torch.randn(20, 300, dtype=torch.double) * 3
    rules = SamplingRules(temperature=temperature, top_k=top_k, top_p=top_p)
    expected = warped(logits, rules)
    torch.testing.assert_close(sampling_log_probs(logits, rules), expected)
    torch.testing.assert_close(sampling_log_probs(logits.log_softmax(dim=-1), rules), expected)


def test_equals_are_treated_as_transformers_does() -> None:
    logits = torch.tensor([[2.0, 1.0, 1.0, 1.0, 0.0, -math.inf]], dtype=torch.double)
    for top_k, top_p in itertools.product((0, 2, 3), (0.5, 1.0)):
        rules = SamplingRules(top_k=top_k, top_p=top_p)
        torch.testing.assert_close(
            sampling_log_probs(logits, rules).exp().sum(), torch.tensor(1.0, dtype=torch.double)
        )
    of_two = sampling_log_probs(logits, SamplingRules(top_k=2))
    torch.testing.assert_close(of_two, warped(logits, SamplingRules(top_k=2)))
    assert int(of_two.isfinite().sum()) == 4


def test_the_nucleus_is_the_smallest_set_that_has_enough() -> None:
    """Holtzman et al. 2020, eq. 2, by trying all sets."""
    for seed in range(5):
        probs = torch.rand(6, generator=torch.Generator().manual_seed(seed), dtype=torch.double) ** 2
        probs /= probs.sum()
        for top_p in (0.1, 0.45, 0.8, 0.99):
            kept = sampling_log_probs(probs.log(), SamplingRules(top_p=top_p)).isfinite()
            size = next(
                n
                for n in range(1, 7)
                if any(
                    float(probs[list(chosen)].sum()) >= top_p
                    for chosen in itertools.combinations(range(6), n)
                )
            )
            assert int(kept.sum()) == size
            assert float(probs[kept].sum()) >= top_p
            others = probs[~kept].tolist()
            assert float(probs[kept].min()) > max(others, default=0.0)


def drawn(table: ProbabilityTable, count: int, **fields: float) -> Counter[tuple[int, ...]]:
    """How often each sequence is drawn, with as many seeds."""
    found: Counter[tuple[int, ...]] = Counter()
    for seed in range(count):
        *_, last = sample(table, SamplingRules(seed=seed, max_new_tokens=2, end_id=table.end_id, **fields))  # type: ignore[arg-type]
        found[last.sampled.tokens] += 1
    return found


@pytest.mark.parametrize("fields", [{}, {"temperature": 0.5}, {"top_k": 2}, {"top_p": 0.6}])
def test_draws_have_the_distribution(fields: dict[str, float]) -> None:
    """Frequencies of whole sequences against products of warped probabilities: a chi-squared test at 0.1 %."""
    table = random_table(2, "abc.")
    rules = SamplingRules(end_id=table.end_id, **fields)  # type: ignore[arg-type]
    expected: dict[tuple[int, ...], float] = {}
    rows = {p: torch.tensor([table.probabilities(p)]).double().log() for p in [(), *((c,) for c in "abc")]}
    for first in range(4):
        p = float(warped(rows[()], rules)[0, first].exp())
        if first == table.end_id:
            expected[(first,)] = p
            continue
        for second in range(4):
            expected[first, second] = p * float(warped(rows["abc"[first],], rules)[0, second].exp())
    count = 600
    found = drawn(table, count, **fields)
    possible = {tokens: p * count for tokens, p in expected.items() if p > 0}
    assert math.fsum(possible.values()) == pytest.approx(count)
    assert set(found) <= set(possible)
    chi = sum((found[tokens] - mean) ** 2 / mean for tokens, mean in possible.items())
    degrees = len(possible) - 1
    assert chi < degrees + 3.3 * math.sqrt(2 * degrees) + 4


def test_two_probabilities_are_kept_apart() -> None:
    model, source = random_model(), random_sources(6)
    rules = SamplingRules(temperature=0.7, top_k=12, top_p=0.9, seed=3, max_new_tokens=6, end_id=50)
    steps = list(sample(CachedModel(model, source), rules))
    tokens = steps[-1].sampled.tokens
    log_probs = model(source, torch.tensor([[START_ID, *tokens[:-1]]]))[0]  # teacher forcing
    by_model = sum(float(log_probs[i, token]) for i, token in enumerate(tokens))
    as_drawn = sum(float(warped(log_probs[[i]].double(), rules)[0, token]) for i, token in enumerate(tokens))
    assert steps[-1].log_prob == pytest.approx(by_model, abs=1e-4)
    assert steps[-1].drawn_log_prob == pytest.approx(as_drawn, abs=1e-4)
    assert steps[-1].sampled.log_prob == steps[-1].log_prob
    assert abs(by_model - as_drawn) > 0.5
    for step in steps:
        np.testing.assert_allclose(np.exp(step.drawn_from).sum(), 1.0)
        assert np.isfinite(step.drawn_from[step.token])
        assert np.isfinite(step.drawn_from).sum() <= 12


def test_one_seed_one_sentence() -> None:
    model, source = random_model(), random_sources(6)

    def tokens(seed: int, kind: Any = CachedModel) -> tuple[int, ...]:
        *_, last = sample(kind(model, source), SamplingRules(seed=seed, max_new_tokens=6, end_id=50))
        return last.sampled.tokens

    first = tokens(1)
    torch.rand(5)  # the global generator is not used
    assert tokens(1) == first
    state = torch.random.get_rng_state()
    assert tokens(1, PlainModel) == first
    assert torch.equal(torch.random.get_rng_state(), state)
    assert len({tokens(seed) for seed in range(5)}) == 5


@pytest.mark.parametrize("fields", [{"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-3}])
def test_with_no_choice_left_it_is_greedy(fields: dict[str, float]) -> None:
    for seed in range(6):
        table = random_table(seed)
        rules = SamplingRules(seed=seed, max_new_tokens=7, end_id=table.end_id, **fields)  # type: ignore[arg-type]
        *_, last = sample(table, rules)
        assert last.sampled == greedy(table, max_new_tokens=7, end_id=table.end_id)


def test_a_sentence_ends_or_is_cut() -> None:
    table = random_table(1)
    endings = set()
    for seed in range(30):
        steps: list[SampleStep] = list(
            sample(table, SamplingRules(seed=seed, max_new_tokens=3, end_id=table.end_id))
        )
        assert [step.is_last for step in steps] == [False] * (len(steps) - 1) + [True]
        said = steps[-1].sampled
        assert said.finished == (said.tokens[-1] == table.end_id)
        assert said.finished or len(said) == 3
        endings.add(said.finished)
    assert endings == {True, False}


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"temperature": 0.0}, r"temperature = 0.0: must be above 0 and at most 10"),
        ({"temperature": math.nan}, r"temperature = nan: must be above 0"),
        ({"top_k": -1}, r"top_k = -1: must be at least 0"),
        ({"top_p": 0.0}, r"top_p = 0.0: must be above 0 and at most 1"),
        ({"top_p": 1.5}, r"top_p = 1.5: must be above 0"),
        ({"seed": -1}, r"seed = -1: must be at least 0"),
        ({"seed": 2**31}, r"seed = 2147483648: must be at most 2147483647"),
        ({"max_new_tokens": 0}, r"max_new_tokens = 0: must be at least 1"),
        ({"top_k": True}, r"top_k = True: must be a whole number"),
    ],
)
def test_rules_are_checked(fields: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        SamplingRules(**fields)  # type: ignore[arg-type]


def test_nan_is_refused() -> None:
    broken = random_model()
    broken.head.table.fill_(math.nan)
    with pytest.raises(ValueError, match="step 0: log-probabilities are not numbers"):
        next(sample(CachedModel(broken, random_sources(4)), SamplingRules()))
