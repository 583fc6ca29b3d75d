"""Classroom German: a corpus of correct English-German pairs, written by the lessons in `explainer.text.lessons`.

It is made, not collected: the same for everybody, in a few seconds, from a seed. A part of the combinations of an
adjective, a noun and a verb is kept out of what is learnt, so that the test also asks for what was never read: who
knows *red*, *lamp* and *buy* from other sentences should be able to translate "Anna is buying the red lamp".
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import Literal
from zlib import crc32

from explainer.text.corpora import SentencePair
from explainer.text.lessons import clauses, modals, pronouns, questions, statements
from explainer.text.lessons.saying import Combination, Exercise
from explainer.text.tasks import TaskCorpus

Split = Literal["train", "valid", "test"]
SPLITS: tuple[Split, ...] = ("train", "valid", "test")
LESSONS: dict[str, Callable[[Random], Exercise | None]] = {
    "objects": statements.objects, "datives": statements.datives, "numbers": statements.numbers,
    "being": statements.being, "places": statements.whereabouts, "order": statements.order,
    "separable": statements.separable, "negation": statements.negation, "perfect": statements.perfect,
    "questions": questions.yes_no, "question words": questions.question_word, "pronouns": pronouns.pronoun,
    "modals": modals.modal, "commands": modals.command, "reasons": clauses.reasons,
    "that and whether": clauses.contents, "relative clauses": clauses.relative, "joined": clauses.joined,
}  # fmt: skip
PER_LESSON = 2000  # pairs drawn for each lesson
SEED = 1
VALID, TEST = 0.02, 0.03  # shares of the sentences whose combinations are learnt
HELD_OUT = 50  # one in this many pairs of adjective and noun, and one in this many with a verb, is held out


def classroom_pairs(split: Split, *, seed: int = SEED, per_lesson: int = PER_LESSON) -> list[SentencePair]:
    """Return one part of the corpus; no sentence of either language is in two parts.

    Args:
        split: "train", "valid", or "test": sentences not in the others, among them those with new combinations.
        seed: fixes which sentences are drawn.
        per_lesson: how many are drawn for each lesson.
    """
    return [SentencePair(each.english, each.german) for each in classroom_exercises(seed, per_lesson)[split]]


def classroom_corpus(seed: int = SEED) -> TaskCorpus:
    """Return all three parts in the shape of the small tasks."""
    return TaskCorpus(*(classroom_pairs(split, seed=seed) for split in SPLITS))


def classroom_exercises(seed: int = SEED, per_lesson: int = PER_LESSON) -> dict[Split, tuple[Exercise, ...]]:
    """Return all three parts, each pair with its lesson and combinations."""
    return _divided(seed, per_lesson)


@lru_cache(maxsize=4)
def _divided(seed: int, per_lesson: int) -> dict[Split, tuple[Exercise, ...]]:
    parts: dict[Split, list[Exercise]] = {split: [] for split in SPLITS}
    chance = Random(f"classroom split {seed}")
    for group in related(draw(seed, per_lesson)):
        parts[_part_of(group, chance.random())].extend(group)
    for split in SPLITS:
        Random(f"classroom {split} {seed}").shuffle(parts[split])
    return {split: tuple(found) for split, found in parts.items()}


def draw(seed: int, per_lesson: int) -> list[Exercise]:
    """Draw different sentences for each lesson.

    Raises:
        ValueError: a lesson has fewer sentences than asked for.
    """
    seen: set[str] = set()
    found: list[Exercise] = []
    for lesson, build in LESSONS.items():
        rng = Random(f"classroom {lesson} {seed}")
        count = misses = 0
        while count < per_lesson:
            each = build(rng)
            if each is None or each.english in seen:
                misses += 1
                if misses > 20 * per_lesson + 2000:
                    raise ValueError(
                        f"per_lesson = {per_lesson}: lesson {lesson!r} gave only {count} sentences"
                    )
                continue
            seen.add(each.english)
            found.append(each)
            count += 1
    return found


def related(exercises: Sequence[Exercise]) -> list[list[Exercise]]:
    """Group the pairs with the same German sentence ("is reading", "reads"); no English one occurs twice."""
    groups: dict[str, list[Exercise]] = {}
    for each in exercises:
        groups.setdefault(each.german, []).append(each)
    return list(groups.values())


def is_new(combination: Combination) -> bool:
    """Whether a combination is held out for the test: with every verb (red lamp), or with this one."""
    adjective, noun, verb = combination
    with_any = crc32(f"{adjective} {noun}".encode()) % HELD_OUT == 0
    return with_any or crc32(f"{adjective} {noun} {verb}".encode()) % HELD_OUT == 0


def has_new(exercise: Exercise) -> bool:
    """Whether a pair holds a combination that is never learnt."""
    return any(map(is_new, exercise.combinations))


def _part_of(group: Sequence[Exercise], chance: float) -> Split:
    if any(map(has_new, group)) or chance < TEST:
        return "test"
    return "valid" if chance < TEST + VALID else "train"
