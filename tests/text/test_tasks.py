"""The tasks have the right answers, and their parts share nothing."""

import datetime

import pytest

from explainer.text.tasks import LONGEST, MONTHS, SHORTEST, TASKS, generate_task

ANSWERS = {
    "copy": lambda source: source,
    "reverse": lambda source: source[::-1],
    "sort": lambda source: " ".join(sorted(source.split())),
    "dates": lambda source: read_date(source),
}


def read_date(source: str) -> str:
    """By Python's own reader of dates."""
    for spelling in ("%d %B %Y", "%B %d, %Y", "%d %b %Y", "%A, %d %B %Y", "%d.%m.%Y"):
        try:
            found = datetime.datetime.strptime(source, spelling).replace(tzinfo=datetime.UTC)
        except ValueError:
            continue
        if "%A" in spelling:
            assert f"{found:%A}" == source.split(",")[0]
        return found.date().isoformat()
    raise AssertionError(source)


@pytest.mark.parametrize("name", TASKS)
def test_every_answer_is_right(name: str) -> None:
    corpus = generate_task(name, seed=3, train=500, valid=50, test=50)
    for pair in corpus.train + corpus.valid + corpus.test:
        assert pair.target == ANSWERS[name](pair.source)
        if name != "dates":
            assert SHORTEST <= len(pair.source.split()) <= LONGEST


@pytest.mark.parametrize("name", TASKS)
def test_no_sentence_is_in_two_parts(name: str) -> None:
    corpus = generate_task(name, seed=1)
    parts = (corpus.train, corpus.valid, corpus.test)
    assert [len(part) for part in parts] == [20_000, 500, 500]
    pairs = [pair for part in parts for pair in part]
    assert len({pair.source for pair in pairs}) == len({pair.target for pair in pairs}) == 21_000


def test_the_same_seed_makes_the_same_corpus() -> None:
    one, same, other = (generate_task("sort", seed=seed, train=20, valid=2, test=2) for seed in (1, 1, 2))
    assert one == same != other


def test_all_spellings_of_dates_are_used() -> None:
    sources = [pair.source for pair in generate_task("dates", seed=1, train=300, valid=5, test=5).train]
    for part in (*MONTHS, "Tuesday, ", ", 1", " Jan ", ".12."):
        assert any(part in source for source in sources), part


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(ValueError, match="task = 'juggle': must be one of copy, reverse, sort, dates"):
        generate_task("juggle", seed=1)
