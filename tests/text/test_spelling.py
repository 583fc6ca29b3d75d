"""Words and their pieces against the library's tokens."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explainer.text.spelling import early_words, kind_of, most_telling_word, spelled, word_at
from explainer.text.tokenizer import SPECIAL, Tokenizer


@given(text=st.text() | st.text(alphabet="aeinrst ü'Straße<0x41>😀"))
@example("The animal didn't cross 😀 <b>कुछ</b>")
@example("")
def test_the_pieces_of_the_words_are_the_tokens_of_the_text(tokenizer: Tokenizer, text: str) -> None:
    words = spelled(tokenizer, text)
    tokens = tokenizer.pieces(tokenizer.encode(text)) if text else []
    assert [piece for word in words for piece in word.pieces] == tokens
    for place in range(len(tokens)):
        word = word_at(words, place)
        assert word is not None
        assert word.pieces[place - word.first] == tokens[place]
    assert word_at(words, len(tokens)) is None


def test_the_most_telling_word_has_the_most_pieces_then_the_most_merges(tokenizer: Tokenizer) -> None:
    words = spelled(tokenizer, "the xqzjvk the")
    best = most_telling_word(words)
    assert best is not None
    assert best.text == " xqzjvk"
    assert most_telling_word([]) is None
    same = [word for word in spelled(tokenizer, "the a") if len(word.pieces) == 1]
    chosen = most_telling_word(same)
    assert chosen is not None
    assert len(chosen.steps) == max(len(word.steps) for word in same)


@pytest.mark.parametrize(
    ("piece", "kind"),
    [
        ("</s>", "special"),
        ("<0xF0>", "byte"),
        (" street", "word start"),
        ("ing", "continuation"),
        (".", "continuation"),
    ],
)
def test_kinds(piece: str, kind: str) -> None:
    assert kind_of(piece) == kind


def test_early_words_are_words_in_the_order_of_learning(tokenizer: Tokenizer) -> None:
    found = early_words(tokenizer, 9)
    assert found == sorted(found)
    pieces = tokenizer.pieces(found)
    assert len(set(pieces)) == 9
    assert all(piece[0] == " " and piece[1:].isalpha() and piece not in SPECIAL for piece in pieces)
