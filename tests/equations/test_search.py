"""The numbers of a search: by the engine, by the literature, by hand."""

import math

import numpy as np
import pytest

from explainer.decode.search.rules import PENALTIES, LengthPenalty
from explainer.decode.search.table import (
    EXAMPLES,
    OTHERS,
    prefix_of,
    read,
    row_of,
    words_of,
    written,
)
from explainer.equations.decoding import DIVISORS, SOURCES, added, by_rank, divisor, furthest, products, sums


@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("alpha", [-1.0, 0.0, 0.6, 1.0, 4.0])
def test_the_divisor_on_the_page_is_the_engines(penalty: str, alpha: float) -> None:
    for length in (1, 2, 7, 30):
        expected = LengthPenalty(penalty, alpha).divisor(length)  # type: ignore[arg-type]
        assert divisor(penalty, alpha, length) == pytest.approx(expected, rel=1e-12)
    assert set(DIVISORS) == set(SOURCES) == set(PENALTIES)


def test_an_unknown_penalty() -> None:
    with pytest.raises(ValueError, match="must be one of none, huggingface, gnmt"):
        divisor("bert", 1.0, 3)


def test_products_and_sums_are_one_thing() -> None:
    log_ps = np.log(np.array([0.5, 0.4, 0.4, 0.6]))
    assert products(log_ps)[-1] == pytest.approx(0.048)
    np.testing.assert_allclose(np.exp(sums(log_ps)), products(log_ps))
    assert added(log_ps) == pytest.approx(1.9)
    assert furthest(log_ps, log_ps + np.array([0, 0.1, -0.1, 0])) == pytest.approx(0.1)
    assert furthest(log_ps[:0], log_ps[:0]) == 0.0


def test_ranks_count_from_the_largest() -> None:
    assert by_rank([-2.0, -1.0, -3.0, -1.0]).tolist() == [3, 1, 4, 2]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_distributions(name: str) -> None:
    for prefix, row in EXAMPLES[name].rows.items():
        assert len(row) == len(EXAMPLES[name].words), prefix
        assert math.fsum(row) == pytest.approx(1.0, abs=1e-12), prefix
        assert min(row) >= 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_table_survives_a_link(name: str) -> None:
    example = EXAMPLES[name]
    assert read(written(example.rows), example.words) == example.rows
    assert words_of(" ".join(example.words)) == example.words


def test_numbers_that_are_none_are_left_to_the_check() -> None:
    rows = read(":0.5 what;a:nan 1", ("a", "."))
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
        read(text, ("a", "."))


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
        words_of(text)


def test_a_row_that_is_missing() -> None:
    with pytest.raises(ValueError, match="after a b: the table has no row"):
        row_of({(): (1.0, 0.0)}, ("a", "b"))
    assert row_of({OTHERS: (1.0, 0.0)}, ("a", "b")) == (1.0, 0.0)
    assert prefix_of(" * ", ("a", ".")) == OTHERS
