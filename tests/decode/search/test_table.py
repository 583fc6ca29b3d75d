"""Searches of tables that are small enough to check by hand or by enumeration."""

import itertools
import math
import random
from collections.abc import Callable

import pytest

from explainer.decode.search.beam import BeamRules, beam_search, best_hypotheses, greedy
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.table import ProbabilityTable
from tests.decode.references import EARLY_STOPPING, every_sequence, rules_of, rules_written_out

# Dive into Deep Learning, "Beam Search": the tables of figures 1 and 2 (the last row of each is after A B C / A C B)
D2L = {
    (): [0.5, 0.2, 0.2, 0.1],
    ("A",): [0.1, 0.4, 0.3, 0.2],
    ("A", "B"): [0.2, 0.2, 0.4, 0.2],
    ("A", "B", "C"): [0.0, 0.2, 0.2, 0.6],
    ("A", "C"): [0.1, 0.6, 0.2, 0.1],
    ("A", "C", "B"): [0.1, 0.2, 0.1, 0.6],
}


def d2l(prefix: tuple[str, ...]) -> list[float]:
    return D2L.get(prefix, [0.25] * 4)


def random_table(seed: int, vocabulary: str = "abcd.") -> ProbabilityTable:
    """Random rows, the same for the same prefix; "." ends. Some probabilities are 0."""

    def row(prefix: tuple[str, ...]) -> list[float]:
        chance = random.Random(f"{seed} {''.join(prefix)}")
        weights = [chance.choice((0.0, *[chance.random() ** 3] * 5)) for _ in vocabulary]
        weights[-1] += 0.1
        return [weight / sum(weights) for weight in weights]

    return ProbabilityTable(tuple(vocabulary), row, end=".")


def log_rows(table: ProbabilityTable) -> Callable[[tuple[int, ...]], list[float]]:
    def log_probs(tokens: tuple[int, ...]) -> list[float]:
        row = table.probabilities(tuple(table.vocabulary[token] for token in tokens))
        return [math.log(p) if p else -math.inf for p in row]

    return log_probs


def spelled(table: ProbabilityTable, tokens: tuple[int, ...]) -> str:
    return " ".join(table.vocabulary[token] for token in tokens)


def test_greedy_is_not_the_most_probable_sequence() -> None:
    table = ProbabilityTable(("A", "B", "C", "</s>"), d2l)
    first = greedy(table, max_new_tokens=4, end_id=table.end_id)
    assert spelled(table, first.tokens) == "A B C </s>"
    assert math.exp(first.log_prob) == pytest.approx(0.5 * 0.4 * 0.4 * 0.6)  # 0.048
    found = best_hypotheses(table, BeamRules(beam_size=3, max_new_tokens=4, end_id=table.end_id))
    by_text = {spelled(table, h.tokens): math.exp(h.log_prob) for h in found}
    assert by_text["A C B </s>"] == pytest.approx(0.5 * 0.3 * 0.6 * 0.6)  # 0.054
    assert by_text["A C B </s>"] > math.exp(first.log_prob)


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("early_stopping", EARLY_STOPPING)
@pytest.mark.parametrize(
    "penalty", [("none", 1.0), ("huggingface", 1.0), ("huggingface", -0.5), ("gnmt", 0.6)]
)
def test_agrees_with_the_rules_written_out(beam_size: int, early_stopping: bool, penalty: tuple) -> None:
    for seed in range(12):
        table = random_table(seed)
        rules = rules_of(beam_size, 6, LengthPenalty(*penalty), early_stopping, table.end_id)
        ours = best_hypotheses(table, rules)
        expected = rules_written_out(log_rows(table), rules)
        assert [h.tokens for h in ours] == [tokens for tokens, _ in expected]
        assert [h.score for h in ours] == pytest.approx([score for _, score in expected], abs=1e-12)


@pytest.mark.parametrize(
    "penalty", [("none", 1.0), ("huggingface", 0.6), ("huggingface", -1.0), ("gnmt", 1.0)]
)
def test_a_beam_that_holds_everything_is_exhaustive_search(penalty: tuple) -> None:
    for seed in range(3):
        table = random_table(seed, "abc.")
        rules = rules_of(4**4, 4, LengthPenalty(*penalty), end_id=table.end_id)
        ours = best_hypotheses(table, rules)
        expected = [found for found in every_sequence(log_rows(table), 4, rules) if found[1] > -math.inf]
        assert {h.tokens for h in ours} == {tokens for tokens, _ in expected}
        assert [h.score for h in ours] == pytest.approx([score for _, score in expected], abs=1e-12)


def test_greedy_takes_the_argmax_until_the_end() -> None:
    for seed in range(20):
        table = random_table(seed)
        log_probs = log_rows(table)
        said: list[int] = []
        while len(said) < 7 and table.end_id not in said:
            row = log_probs(tuple(said))
            said.append(row.index(max(row)))
        found = greedy(table, max_new_tokens=7, end_id=table.end_id)
        assert found.tokens == tuple(said)
        assert found.finished == (said[-1] == table.end_id)
        assert found.words == tuple(token for token in said if token != table.end_id)


def test_equals_are_ranked_by_parent_and_token() -> None:
    table = ProbabilityTable(("a", "b", "c", "d", "."), lambda prefix: [0.2] * 5, end=".")
    rules = BeamRules(beam_size=2, max_new_tokens=3, end_id=table.end_id)
    first, second, *_ = beam_search(table, rules)
    assert first.tokens.tolist() == [0, 1, 2, 3]
    assert (second.parents.tolist(), second.tokens.tolist()) == ([0] * 4, [0, 1, 2, 3])


def test_both_survivors_may_have_one_parent() -> None:
    """All beam × vocabulary candidates compete in one pool (CAREFUL.md, Decoding 2)."""
    rows = {(): [0.6, 0.4, 0.0], ("a",): [0.5, 0.4, 0.1], ("b",): [0.34, 0.33, 0.33]}
    table = ProbabilityTable(("a", "b", "."), lambda prefix: rows.get(prefix, [0.1, 0.1, 0.8]), end=".")
    _, second, *_ = beam_search(table, BeamRules(beam_size=2, max_new_tokens=4, end_id=2))
    assert second.parents[second.fates == "kept"].tolist() == [0, 0]


def test_the_search_ends_when_nothing_can_follow() -> None:
    """A table may leave a single sequence possible, shorter than the limit and fewer than the beam."""
    table = ProbabilityTable(("a", "."), {(): [1.0, 0.0], ("a",): [0.0, 1.0]}, end=".")
    steps = list(beam_search(table, BeamRules(beam_size=3, max_new_tokens=9, end_id=1)))
    assert len(steps) == 2
    assert [h.tokens for h in steps[-1].finished] == [(0, 1)]
    assert steps[-1].finished[0].log_prob == 0.0


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ([0.5, 0.4], r"after A B: the probabilities sum to 0.9, must be 1"),
        ([0.5, math.nan], r"after A B: p\(</s>\) = nan, must be from 0 to 1; the row sums to nan"),
        ([1.5, -0.5], r"after A B: p\(A\) = 1.5, must be from 0 to 1; the row sums to 1"),
        ([math.inf, 0.0], r"after A B: p\(A\) = inf"),
        ([1.0], r"after A B: 1 probabilities for 2 tokens"),
    ],
)
def test_rows_are_checked(row: list[float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ProbabilityTable(("A", "</s>"), {("A", "B"): row})
    by_function = ProbabilityTable(("A", "</s>"), lambda prefix: row)
    with pytest.raises(ValueError, match=says):
        by_function.probabilities(("A", "B"))


def test_tables_are_checked() -> None:
    with pytest.raises(ValueError, match="must not hold a token twice"):
        ProbabilityTable(("A", "A", "</s>"), {})
    with pytest.raises(ValueError, match="end = '</s>': must be one of 'A', 'B'"):
        ProbabilityTable(("A", "B"), {})
    table = ProbabilityTable(("A", "</s>"), {(): [0.5, 0.5]})
    with pytest.raises(ValueError, match="after A: the table has no row"):
        best_hypotheses(table, BeamRules(beam_size=2, max_new_tokens=3, end_id=1))


def test_the_enumeration_is_complete() -> None:
    """The reference itself: the probabilities of all sequences that end or are cut sum to one."""
    table = random_table(0, "ab.")
    rules = BeamRules(max_new_tokens=5, end_id=table.end_id)
    found = every_sequence(log_rows(table), 3, rules)
    assert math.fsum(math.exp(score) for _, score in found) == pytest.approx(1.0)
    assert len(found) == len(set(itertools.chain(tokens for tokens, _ in found)))
