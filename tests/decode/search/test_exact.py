"""Exact search finds what enumeration finds, reads no prefix that it need not read, and keeps no more than it must."""

import itertools
import math
from collections.abc import Callable

import pytest
from torch import Tensor

from explainer.decode.search.beam import best_hypotheses, greedy
from explainer.decode.search.exact import ExactRules, ExactStep, exact_search
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import BeamRules, LengthPenalty
from explainer.decode.search.table import ProbabilityTable
from explainer.decode.sources.transformer import CachedFrontier, CachedModel, PlainModel
from tests.decode.references import every_sequence
from tests.decode.search.test_table import D2L, d2l, log_rows, random_table, spelled
from tests.peers import random_model, random_sources

PENALTIES = [
    LengthPenalty(),
    *(LengthPenalty("huggingface", alpha) for alpha in (-1.0, 0.6, 1.0, 4.0)),
    *(LengthPenalty("gnmt", alpha) for alpha in (-1.0, 0.6, 2.0)),
]
LIMIT = 4


def last_of(source: object, rules: ExactRules, known: Hypothesis | None = None) -> ExactStep:
    *_, last = exact_search(source, rules, known)  # type: ignore[type-var]
    return last


def sum_of(log_probs: Callable[[tuple[int, ...]], list[float]], prefix: tuple[int, ...]) -> float:
    return math.fsum(log_probs(prefix[:i])[token] for i, token in enumerate(prefix))


def every_prefix(table: ProbabilityTable, limit: int) -> list[tuple[int, ...]]:
    """Everything that could be read: no end in it, and room for one more token."""
    others = [token for token in range(len(table.vocabulary)) if token != table.end_id]
    return [prefix for n in range(limit) for prefix in itertools.product(others, repeat=n)]


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("batch_size", [1, 3])
def test_equals_exhaustive_enumeration_and_a_beam_that_holds_everything(
    penalty: LengthPenalty, batch_size: int
) -> None:
    for seed in range(2):
        table = random_table(seed, "abc.")
        beam = BeamRules(beam_size=4**3, max_new_tokens=LIMIT, penalty=penalty, end_id=table.end_id)
        rules = ExactRules(max_new_tokens=LIMIT, penalty=penalty, end_id=table.end_id, batch_size=batch_size)
        (tokens, score), *_ = every_sequence(log_rows(table), 4, beam)
        found = last_of(table, rules)
        assert found.best is not None
        assert found.outcome == "proved"
        assert found.best.score == pytest.approx(score, abs=1e-12)
        assert found.best.tokens == tokens
        assert found.best.tokens == best_hypotheses(table, beam)[0].tokens
        assert found.best.finished == (tokens[-1] == table.end_id)
        assert found.best.log_prob == pytest.approx(sum_of(log_rows(table), tokens), abs=1e-12)


def test_four_tokens_by_hand() -> None:
    """Dive into Deep Learning's tables: greedy finds 0.048; 0.054 is better, and with the rest uniform 0.1 is best."""
    table = ProbabilityTable(("A", "B", "C", "</s>"), d2l)
    found = last_of(table, ExactRules(max_new_tokens=4, end_id=table.end_id))
    assert found.best is not None
    assert spelled(table, found.best.tokens) == "</s>"  # the empty sentence: p = 0.1, D2L[()][3]
    assert math.exp(found.best.log_prob) == pytest.approx(D2L[()][3]) == pytest.approx(0.1)


@pytest.mark.parametrize("batch_size", [1, 4])
def test_reads_only_prefixes_above_the_best_score(batch_size: int) -> None:
    for seed in range(6):
        table = random_table(seed, "abc.")
        log_probs = log_rows(table)
        rules = ExactRules(max_new_tokens=LIMIT, end_id=table.end_id, batch_size=batch_size)
        read: list[tuple[int, ...]] = []
        best, report = -math.inf, None
        for report in exact_search(table, rules):
            assert all(sum_of(log_probs, prefix) > best for prefix in report.expanded)  # by the bound of then
            assert report.best is not None
            best = report.best.score
            read += report.expanded
        assert report is not None
        assert len(read) == len(set(read)) == report.n_expanded
        necessary = {p for p in every_prefix(table, LIMIT) if sum_of(log_probs, p) > best}
        assert necessary <= set(read)
        assert report.n_needed == len(necessary)


@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_given_the_best_score_it_reads_exactly_what_it_must(penalty: LengthPenalty, batch_size: int) -> None:
    for seed in range(4):
        table = random_table(seed, "abc.")
        rules = ExactRules(max_new_tokens=LIMIT, penalty=penalty, end_id=table.end_id, batch_size=batch_size)
        best = last_of(table, rules).best
        assert best is not None
        reports = list(exact_search(table, rules, known=best))
        lengths = range(LIMIT + 1) if penalty.name != "none" else (1,)
        reachable = {
            prefix
            for prefix in every_prefix(table, LIMIT)
            if max(
                penalty.score(sum_of(log_rows(table), prefix), length)
                for length in lengths
                if length > len(prefix) or penalty.name == "none"
            )
            > best.score
        }
        assert {prefix for report in reports for prefix in report.expanded} == reachable
        assert reports[-1].n_needed == reports[-1].n_expanded == len(reachable)
        assert reports[-1].best == best


def test_what_is_reported_on_the_way() -> None:
    for seed in range(4):
        table = random_table(seed, "abc.")
        rules = ExactRules(max_new_tokens=6, end_id=table.end_id, batch_size=2)
        reports = list(exact_search(table, rules))
        final = reports[-1].best
        assert final is not None
        for before, after in itertools.pairwise(reports):
            assert after.n_expanded == before.n_expanded + len(after.expanded)
            assert len(after.expanded) <= 2
            assert after.settled >= before.settled - 1e-12
            assert after.best_possible <= before.best_possible + 1e-12
            assert (before.outcome, before.n_needed) == ("searching", None)
            assert before.n_waiting > 0
        assert all(report.best_possible >= final.score for report in reports)
        assert (reports[-1].settled, reports[-1].n_waiting, reports[-1].outcome) == (1.0, 0, "proved")
        assert reports[-1].best_possible == final.score


def test_the_budget() -> None:
    table = random_table(3, "abcdefgh.")
    rules = ExactRules(max_new_tokens=9, penalty=LengthPenalty("huggingface", 4.0), end_id=8, max_nodes=7)
    found = last_of(table, rules)
    assert found.outcome == "budget"
    assert found.n_expanded == 7
    assert found.n_waiting > 0
    assert found.settled < 1
    assert found.best is not None
    assert found.best_possible > found.best.score


def test_a_known_hypothesis_saves_work_and_is_kept_if_nothing_is_better() -> None:
    table = random_table(5)
    rules = ExactRules(max_new_tokens=7, end_id=table.end_id, batch_size=1)
    alone = last_of(table, rules)
    first = greedy(table, max_new_tokens=7, end_id=table.end_id)
    assert last_of(table, rules, known=first).best == alone.best
    assert last_of(table, rules, known=alone.best).n_expanded <= alone.n_expanded


def test_a_known_hypothesis_is_scored_by_these_rules() -> None:
    table = random_table(5)
    by_sum = last_of(table, ExactRules(max_new_tokens=7, end_id=table.end_id)).best
    assert by_sum is not None
    penalty = LengthPenalty("huggingface", 1.0)
    rules = ExactRules(max_new_tokens=7, penalty=penalty, end_id=table.end_id)
    first = next(iter(exact_search(table, rules, known=by_sum))).best
    assert first is not None
    assert first.score == penalty.score(first.log_prob, len(first))


def test_only_one_sequence_is_possible() -> None:
    table = ProbabilityTable(("a", "."), {(): [1.0, 0.0], ("a",): [0.0, 1.0]}, end=".")
    found = last_of(table, ExactRules(max_new_tokens=9, end_id=1))
    assert found.best == Hypothesis((0, 1), 0.0, 0.0, finished=True)
    assert found.n_expanded == 2


def test_what_is_cut_at_the_limit() -> None:
    table = ProbabilityTable(("a", "."), lambda prefix: [0.9, 0.1], end=".")
    found = last_of(table, ExactRules(max_new_tokens=3, end_id=1))
    assert found.best is not None
    assert (found.best.tokens, found.best.finished) == ((0, 0, 0), False)


class Watched(CachedModel):
    """Remembers how many rows of keys and values were alive."""

    rows = 0
    peak = 0

    def extend(self, after: CachedFrontier, parents: Tensor, tokens: Tensor) -> CachedFrontier:
        found = super().extend(after, parents, tokens)
        self.rows += parents.numel()
        self.peak = max(self.peak, found.cache.n_nodes)
        return found


@pytest.mark.parametrize("batch_size", [1, 5])
def test_a_model_with_a_cache_without_one_and_memory(batch_size: int) -> None:
    """The same search; the cache holds at most one batch for each token on the way down."""
    model, source = random_model(seed=2, vocab_size=12), random_sources(6, vocab_size=12)
    penalty = LengthPenalty("huggingface", 1.0)  # so that much must be read
    rules = ExactRules(max_new_tokens=4, penalty=penalty, end_id=6, batch_size=batch_size)
    watched = Watched(model, source)
    cached, plain = list(exact_search(watched, rules)), list(exact_search(PlainModel(model, source), rules))
    assert [report.expanded for report in cached] == [report.expanded for report in plain]
    one, two = cached[-1].best, plain[-1].best
    assert one is not None
    assert two is not None
    assert one.tokens == two.tokens
    assert one.log_prob == pytest.approx(two.log_prob, abs=1e-5)
    assert watched.rows > 3 * watched.peak  # otherwise the next line says nothing
    assert watched.peak <= 1 + batch_size * (rules.max_new_tokens - 1)
    beam = BeamRules(beam_size=12**3, max_new_tokens=4, penalty=penalty, end_id=6)
    assert one.tokens == best_hypotheses(CachedModel(model, source), beam)[0].tokens


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"max_nodes": 0}, "max_nodes = 0: must be at least 1"),
        ({"max_new_tokens": -3}, "max_new_tokens = -3: must be at least 1"),
        ({"batch_size": 0}, "batch_size = 0: must be at least 1"),
        ({"max_nodes": True}, "max_nodes = True: must be a whole number"),
    ],
)
def test_rules_are_checked(fields: dict[str, int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ExactRules(**fields)  # type: ignore[arg-type]


def test_nan_is_refused() -> None:
    broken = random_model()
    broken.head.table.fill_(math.nan)
    with pytest.raises(ValueError, match="after 0 tokens: log-probabilities are not numbers"):
        last_of(CachedModel(broken, random_sources(4)), ExactRules())
