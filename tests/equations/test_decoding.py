"""Decoding in NumPy: by the engine, by the worked example of the literature, by hand."""

import math

import numpy as np
import pytest

from explainer.decode.search import table
from explainer.decode.search.rules import PENALTIES, LengthPenalty
from explainer.equations import decoding

TOKENS = ("A", "B", "C", "</s>")
ROWS = {  # Zhang et al., Dive into Deep Learning, §10.8: greedy finds A B C </s>, A C B </s> is more probable
    (): (0.5, 0.2, 0.2, 0.1),
    ("A",): (0.1, 0.4, 0.3, 0.2),
    ("A", "B"): (0.2, 0.2, 0.4, 0.2),
    ("A", "B", "C"): (0.0, 0.2, 0.2, 0.6),
    ("A", "C"): (0.1, 0.6, 0.2, 0.1),
    ("A", "C", "B"): (0.1, 0.2, 0.1, 0.6),
}


def log_probs(*prefixes: tuple[str, ...]) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(np.array([ROWS[prefix] for prefix in prefixes]))


def test_choice_and_sum_of_the_example() -> None:
    rows = log_probs((), ("A",), ("A", "B"), ("A", "B", "C"))
    tokens = np.array([0, 1, 2, 3])
    sums = np.array([math.log(p) for p in (0.5, 0.5 * 0.4, 0.5 * 0.4 * 0.4, 0.048)])
    seen = decoding.seen_of(rows, tokens, sums)
    assert decoding.CHOICE.deviation(seen) == 0
    assert decoding.SUM.deviation(seen) < 1e-12
    story = decoding.SUM.story(seen, (3,))
    assert math.exp(story.result) == pytest.approx(0.048)
    assert [math.exp(term.value) for term in story.terms] == pytest.approx([0.5, 0.4, 0.4, 0.6])


def test_a_wrong_choice_is_noticed() -> None:
    rows = log_probs((), ("A",))
    assert decoding.CHOICE.deviation(decoding.seen_of(rows, np.array([0, 2]), np.zeros(2))) == 1
    added = decoding.seen_of(rows, np.array([0, 1]), np.log([0.5, 0.5 + 0.4]))  # not multiplied
    assert not decoding.SUM.agrees(added)


def test_the_lead_is_the_logarithm_of_a_ratio() -> None:
    rows = log_probs((), ("A",), ("A", "B"))
    np.testing.assert_allclose(decoding.lead(rows), np.log([0.5 / 0.2, 0.4 / 0.3, 0.4 / 0.2]))
    assert [decoding.runner_up(row) for row in rows] == [1, 2, 0]  # of equals the first


@pytest.mark.parametrize("n_layers", [1, 3])
def test_rows_grow_with_the_square_of_the_length_or_with_the_length(n_layers: int) -> None:
    for n in (1, 2, 10, 100):
        assert decoding.self_attention_rows("re-feed", n, n_layers).sum() == 3 * n_layers * n * (n + 1) // 2
        assert decoding.self_attention_rows("cache", n, n_layers).sum() == 3 * n_layers * n
        fed, kept = (
            decoding.cross_attention_rows(mode, n, n_layers, 7).sum() for mode in ("re-feed", "cache")
        )
        assert fed == n_layers * (n * (n + 1) // 2 + 14 * n)
        assert kept == n_layers * (n + 14)
    assert decoding.cache_bytes(n_layers, 5, 8) == 2 * 5 * 8 * 4 * n_layers


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.6, 1.0, 4.0])
def test_the_divisor_on_the_page_is_the_engines(penalty: str, alpha: float) -> None:
    for length in (1, 2, 7, 30):
        expected = LengthPenalty(penalty, alpha).divisor(length)  # type: ignore[arg-type]
        assert decoding.divisor(penalty, alpha, length) == pytest.approx(expected, rel=1e-12)
    assert set(decoding.DIVISORS) == set(decoding.SOURCES) == set(PENALTIES)


def test_an_unknown_penalty() -> None:
    with pytest.raises(ValueError, match="must be one of none, huggingface, gnmt"):
        decoding.divisor("bert", 1.0, 3)


def test_products_and_sums_are_one_thing() -> None:
    log_ps = np.log(np.array([0.5, 0.4, 0.4, 0.6]))
    assert decoding.products(log_ps)[-1] == pytest.approx(0.048)
    np.testing.assert_allclose(np.exp(decoding.sums(log_ps)), decoding.products(log_ps))
    assert decoding.added(log_ps) == pytest.approx(1.9)
    assert decoding.furthest(log_ps, log_ps + np.array([0, 0.1, -0.1, 0])) == pytest.approx(0.1)
    assert decoding.furthest(log_ps[:0], log_ps[:0]) == 0.0


def test_ranks_count_from_the_largest() -> None:
    assert decoding.by_rank([-2.0, -1.0, -3.0, -1.0]).tolist() == [3, 1, 4, 2]


@pytest.mark.parametrize("name", table.EXAMPLES)
def test_the_examples_are_distributions(name: str) -> None:
    for prefix, row in table.EXAMPLES[name].rows.items():
        assert len(row) == len(table.EXAMPLES[name].words), prefix
        assert math.fsum(row) == pytest.approx(1.0, abs=1e-12), prefix
        assert min(row) >= 0


@pytest.mark.parametrize("name", table.EXAMPLES)
def test_a_table_survives_a_link(name: str) -> None:
    example = table.EXAMPLES[name]
    assert table.read(table.table_text(example.rows), example.words) == example.rows
    assert table.words_of(" ".join(example.words)) == example.words


def test_numbers_that_are_none_are_left_to_the_check() -> None:
    rows = table.read(":0.5 what;a:nan 1", ("a", "."))
    assert math.isnan(rows[()][1])
    assert math.isnan(rows["a",][0])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("0.5 0.5", "a row is written prefix:probabilities"),
        (":0.5 0.5;:1 0", "two such rows"),
        ("q:0.5 0.5", "'q' must be one of a"),
        (".:0.5 0.5", "'.' must be one of a"),
        (";".join(f"{'a ' * i}:1 0" for i in range(41)), "41 rows: at most 40"),
    ],
)
def test_what_is_no_table(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        table.read(text, ("a", "."))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a", "1 tokens: must be from 2 to 8"),
        ("a a .", "must not occur twice"),
        ("a b:c", "must not contain"),
    ],
)
def test_what_are_no_tokens(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        table.words_of(text)


def test_a_row_that_is_missing() -> None:
    with pytest.raises(ValueError, match="after a b: the table has no row"):
        table.row_of({(): (1.0, 0.0)}, ("a", "b"))
    assert table.row_of({table.OTHERS: (1.0, 0.0)}, ("a", "b")) == (1.0, 0.0)
    assert table.prefix_of(" * ", ("a", ".")) == table.OTHERS
