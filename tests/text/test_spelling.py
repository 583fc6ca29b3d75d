"""Words and their pieces against the library's tokens; the replay of BPE ends in the same pieces."""

import random
from itertools import pairwise
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from explainer.text import spelling
from explainer.text.corpora import read_pairs
from explainer.text.spelling import first_pieces, replay, spelled
from explainer.text.tokenizer import SPECIAL, Tokenizer


@given(text=st.text() | st.text(alphabet="aeinrst ü'Straße<0x41>😀"))
@example("The animal didn't cross 😀 <b>कुछ</b>")
@example("")
@example("ttttttt eeeee ererer")
@example("The animal didn't cross the Straße 😀 <0x41> ▁")
def test_the_pieces_of_the_words_are_the_tokens_of_the_text(tokenizer: Tokenizer, text: str) -> None:
    words = spelled(tokenizer, text)
    tokens = tokenizer.pieces(tokenizer.encode(text)) if text else []
    assert [piece for word in words for piece in word.pieces] == tokens
    for place in range(len(tokens)):
        word = spelling.word_at(words, place)
        assert word is not None
        assert word.pieces[place - word.first] == tokens[place]
    assert spelling.word_at(words, len(tokens)) is None


def test_the_most_telling_word_has_the_most_pieces_then_the_most_merges(tokenizer: Tokenizer) -> None:
    words = spelled(tokenizer, "the xqzjvk the")
    best = spelling.most_telling_word(words)
    assert best is words[1]
    assert spelling.most_telling_word([]) is None
    the, a = spelled(tokenizer, "the a")  # of one piece each
    assert spelling.most_telling_word([a, the]) is the


def test_kinds() -> None:
    kinds = {
        "</s>": "special",
        "<0xF0>": "byte",
        " street": "word start",
        "ing": "continuation",
        ".": "continuation",
    }
    assert {piece: spelling.kind_of(piece) for piece in kinds} == kinds


def test_early_words_are_words_in_the_order_of_learning(tokenizer: Tokenizer) -> None:
    found = spelling.early_words(tokenizer, 9)
    assert found == sorted(found)
    pieces = tokenizer.pieces(found)
    assert len(set(pieces)) == 9
    assert all(piece[0] == " " and piece[1:].isalpha() and piece not in SPECIAL for piece in pieces)


@given(word=st.text(alphabet="aeinrstdhü'", min_size=1))
def test_each_step_does_what_it_says(tokenizer: Tokenizer, word: str) -> None:
    steps = replay(tokenizer, " " + word)
    for step in steps:
        assert step.before[step.at : step.at + 2] == step.pair == tokenizer.merges[step.rank]
        assert step.after == (*step.before[: step.at], "".join(step.pair), *step.before[step.at + 2 :])
        for pair in pairwise(step.before):  # no neighbours were learnt earlier
            assert pair == step.pair or pair not in tokenizer.merges[: step.rank]
    for one, following in pairwise(steps):
        assert one.after == following.before


def test_the_papers_example() -> None:
    """Sennrich et al. 2016, Algorithm 1: of low ×5, lower ×2, newest ×6, widest ×3, e s and es t merge."""
    words = ["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3
    learnt = Tokenizer.train([" ".join(words)], vocab_size=260 + 11 + 4)
    assert {("e", "s"), ("es", "t")} <= set(learnt.merges)
    steps = replay(learnt, "est")
    assert [step.pair for step in steps] == [("e", "s"), ("es", "t")]
    assert [step.before for step in steps] == [("e", "s", "t"), ("es", "t")]
    assert steps[-1].after == ("est",)


def test_an_unknown_character_is_its_bytes_and_merges_with_nothing(tokenizer: Tokenizer) -> None:
    assert first_pieces(tokenizer, " 😀") == (" ", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>")
    assert [replay(tokenizer, word) for word in (" 😀", "", " ", "x", " x")] == [[]] * 5


def test_thousands_of_words_of_the_corpus(shared: Path) -> None:
    pairs = read_pairs(shared / "data" / "tatoeba.en-de.valid.tsv.gz").pairs
    texts = [text for pair in pairs for text in (pair.source, pair.target)]
    learnt = Tokenizer.train(texts, vocab_size=4000)
    unseen = read_pairs(shared / "data" / "tatoeba.en-de.test.tsv.gz").pairs
    hindi = read_pairs(shared / "data" / "tatoeba.en-hi.test.tsv.gz").pairs
    some = random.Random(0).sample(texts, 1000) + [pair.target for pair in unseen[:500] + hindi]
    words = {word for text in some for word in learnt.words(text)}
    assert len(words) > 3000
    for word in sorted(word for word in words if word[0] == " "):
        (found,) = spelled(learnt, word[1:])
        assert list(found.pieces) == learnt.pieces(learnt.encode(word[1:])), word
