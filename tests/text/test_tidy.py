"""Typed text as the corpus writes it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.text.tidy import tidy
from explainer.text.tokenizer import Tokenizer

ANY = st.text(alphabet=st.characters(exclude_categories=()))  # lone surrogates too


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("  two   words \n", "two words"),
        ("“How are you?”", '"How are you?"'),
        ("„Wie geht’s?“", '"Wie geht\'s?"'),
        ("a – b — c…", "a - b - c..."),
        ("no\u00a0break", "no break"),
        ("u\u0308ber", "über"),  # NFC
        ("half a pair: \ud83d", "half a pair: \ufffd"),
        ("\ud83d\ude00", "😀"),  # two surrogates are a whole pair
        ("", ""),
    ],
)
def test_examples(typed: str, plain: str) -> None:
    assert tidy(typed) == plain


@given(text=ANY)
def test_tidy_text_stays_as_it_is(text: str) -> None:
    once = tidy(text)
    assert tidy(once) == once
    assert unicodedata.is_normalized("NFC", once)


@given(text=ANY)
def test_whatever_is_typed_can_be_tokenized(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(tidy(text))) == tidy(text)


def test_what_nobody_can_see_is_no_sentence() -> None:
    assert tidy("\u200b\ufeff \u200d") == ""
    assert tidy("a\u200bb") == "ab"
    family = "\U0001f468\u200d\U0001f469"
    assert tidy(family) == family
