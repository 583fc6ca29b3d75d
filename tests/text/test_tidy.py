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
        ("\u200b\ufeff \u200d", ""),  # what nobody can see is no sentence
        ("a\u200bb", "ab"),
        ("\U0001f468\u200d\U0001f469", "\U0001f468\u200d\U0001f469"),  # joined emoji stay joined
    ],
)
def test_examples(typed: str, plain: str) -> None:
    assert tidy(typed) == plain


@given(text=ANY)
def test_tidy_text_stays_as_it_is_and_can_be_tokenized(tokenizer: Tokenizer, text: str) -> None:
    once = tidy(text)
    assert tokenizer.decode(tokenizer.encode(once)) == once
    assert tidy(once) == once
    assert unicodedata.is_normalized("NFC", once)
