"""Small tasks with an exact answer, as corpora: copy, reverse, sort, and dates in another spelling.

A sequence is written as letters with spaces between them, so that every letter is one token.
"""

import datetime
import random
from collections.abc import Callable
from dataclasses import dataclass

from explainer.text.corpora import SentencePair

LETTERS = "abcdefghijklmnopqrstuvwxyz"
SHORTEST, LONGEST = 3, 10  # letters of a sequence
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
FIRST_DAY, LAST_DAY = datetime.date(1800, 1, 1), datetime.date(2199, 12, 31)


@dataclass(frozen=True)
class TaskCorpus:
    """Pairs to learn from, to watch the loss, and to test; no source and no target is in two of them, or twice."""

    train: list[SentencePair]
    valid: list[SentencePair]
    test: list[SentencePair]


def generate_task(
    name: str, *, seed: int, train: int = 20_000, valid: int = 500, test: int = 500
) -> TaskCorpus:
    """The corpus of a task, one of TASKS, with so many pairs in each part; the same for the same seed.

    Raises:
        ValueError: there is no such task.
    """
    if name not in TASKS:
        raise ValueError(f"task = {name!r}: must be one of {', '.join(TASKS)}")
    chance = random.Random(f"{name} {seed}")
    by_target: dict[str, str] = {}
    while len(by_target) < train + valid + test:
        source, target = TASKS[name](chance)
        by_target.setdefault(
            target, source
        )  # in every task the source decides the target: sources differ, too
    made = [SentencePair(source, target) for target, source in by_target.items()]
    return TaskCorpus(made[valid + test :], made[:valid], made[valid : valid + test])


def _letters(chance: random.Random) -> list[str]:
    return chance.choices(LETTERS, k=chance.randint(SHORTEST, LONGEST))


def _copy(chance: random.Random) -> tuple[str, str]:
    letters = _letters(chance)
    return " ".join(letters), " ".join(letters)


def _reverse(chance: random.Random) -> tuple[str, str]:
    letters = _letters(chance)
    return " ".join(letters), " ".join(reversed(letters))


def _sort(chance: random.Random) -> tuple[str, str]:
    letters = _letters(chance)
    return " ".join(letters), " ".join(sorted(letters))


def _date(chance: random.Random) -> tuple[str, str]:
    """A day as people write it, and as ISO 8601 does: `Tuesday, 3 March 1998` → `1998-03-03`."""
    day = FIRST_DAY + datetime.timedelta(days=chance.randrange((LAST_DAY - FIRST_DAY).days + 1))
    month = MONTHS[day.month - 1]
    source = chance.choice(
        (
            f"{day.day} {month} {day.year}",
            f"{month} {day.day}, {day.year}",
            f"{day.day} {month[:3]} {day.year}",
            f"{WEEKDAYS[day.weekday()]}, {day.day} {month} {day.year}",
            f"{day.day}.{day.month}.{day.year}",
        )
    )
    return source, day.isoformat()


TASKS: dict[str, Callable[[random.Random], tuple[str, str]]] = {
    "copy": _copy,
    "reverse": _reverse,
    "sort": _sort,
    "dates": _date,
}
