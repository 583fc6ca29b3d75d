"""The vocabulary: any text survives, and no text can forge a special token."""

import json
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from explainer.text import tokenizer as tokenizer_module
from explainer.text.tokenizer import BYTES, MAX_PIECE, SPECIAL, Tokenizer

TEXTS = st.text() | st.text(alphabet="ab <>/s_▁0x41padunk \u200b\ufeff'’\n\t")


@given(text=TEXTS)
@example("<s> The street </s> <pad> <unk>")
@example("<0x41> is not A, ▁ is not a space")
@example("👩‍👩‍👧 é e\u0301 \ufeff")
@example("नमस्ते दुनिया")
@example("zero\u200bwidth\u200djoiner")
@example("  two  spaces \n\t\r\n ")
@example("\x00\x1f\x7f")
@example(" ▁street▁ ")
def test_any_text_survives_the_round_trip(tokenizer: Tokenizer, text: str) -> None:
    assert tokenizer.decode(tokenizer.encode(text)) == text


@given(text=TEXTS)
@example("<s></s><pad><unk>")
@example(" <s> </s>")
def test_no_text_makes_a_special_token(tokenizer: Tokenizer, text: str) -> None:
    assert all(token >= len(SPECIAL) for token in tokenizer.encode(text))


@given(texts=st.lists(TEXTS, max_size=4))
def test_a_batch_is_its_texts_one_by_one(tokenizer: Tokenizer, texts: list[str]) -> None:
    assert tokenizer.encode_batch(texts) == [tokenizer.encode(text) for text in texts]


@given(text=TEXTS)
def test_the_words_are_the_text_with_a_space_before_it(tokenizer: Tokenizer, text: str) -> None:
    assert "".join(tokenizer.words(text)) == (f" {text}" if text else "")


def test_special_tokens_and_bytes_come_first_and_mean_what_they_say(tokenizer: Tokenizer) -> None:
    assert tokenizer.pieces(range(4)) == ["<pad>", "<s>", "</s>", "<unk>"]
    assert tokenizer.pieces(range(4, 260)) == list(BYTES)
    assert all(tokenizer.id_of(tokenizer.piece(i)) == i for i in range(len(tokenizer)))
    with pytest.raises(IndexError, match="token 340: the vocabulary has 340 entries"):
        tokenizer.piece(340)
    assert tokenizer.decode([1, *tokenizer.encode("the street"), 2, 0, 0]) == "the street"
    assert tokenizer.pieces(tokenizer.encode("😀")) == [" ", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>"]
    assert set(tokenizer.decode([4 + 0xF0, 4 + 0x9F])) == {"\ufffd"}  # bytes that are no UTF-8


def test_words_and_how_many_pieces_are_learnt(tokenizer: Tokenizer) -> None:
    assert tokenizer.words("Didn't it cost 42?") == [" Didn't", " it", " cost", " 4", "2", "?"]
    learnt = Tokenizer.train(["the street"] * 9, vocab_size=300)
    assert learnt.pieces(learnt.encode("the street, the")) == [" the", " street", "<0x2C>", " the"]
    assert len(tokenizer) == 340
    assert len(Tokenizer.train(["ab ab"], vocab_size=10_000)) < 280  # there is no more to learn


def test_what_is_saved_is_what_is_loaded(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer.to_str(), encoding="utf-8")
    again = Tokenizer.load(path)
    assert again.merges == tokenizer.merges
    text = "The tired Straße 😀"
    assert again.encode(text) == tokenizer.encode(text)


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", "not json", '{"version": "1.0"}'])
def test_what_is_no_tokenizer_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a tokenizer"):
        Tokenizer.from_str(text)


def changed(tokenizer: Tokenizer, path: str, value: object) -> str:
    """The JSON of a tokenizer with another value in one place."""
    fields = json.loads(tokenizer.to_str())
    *way, last = path.split(".")
    place = fields
    for name in way:
        place = place[name]
    place[last] = value
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("normalizer", {"type": "Replace", "pattern": {"Regex": "(a|a)*b"}, "content": "x" * 10_000}),
        ("normalizer", {"type": "Prepend", "prepend": " " * 10_000}),
        ("normalizer.more", 1),
        ("pre_tokenizer.pattern", {"Regex": "(?:(?:a*)*)*$"}),
        ("pre_tokenizer", None),
        ("post_processor", {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}),
        ("decoder", {"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 10_000}),
        ("added_tokens", [{"id": 1, "content": "e", "single_word": False, "lstrip": False, "rstrip": False,
                           "normalized": True, "special": False}]),
        ("truncation", {"direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0}),
        ("padding", {"strategy": {"Fixed": 10**9}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                     "pad_type_id": 0, "pad_token": "x"}),
        ("model.type", "Unigram"),
        ("model.dropout", 0.5),
        ("model.continuing_subword_prefix", "##"),
        ("model.ignore_merges", True),
        ("colour", "red"),
        ("version", "2.0"),
    ],
)  # fmt: skip
def test_components_that_the_trainer_does_not_write_are_refused(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch, path: str, value: object
) -> None:
    """Before the library sees them: what it does with them is not ours to bound."""
    text = changed(tokenizer, path, value)
    tokenizer_module._frame()  # is kept
    monkeypatch.setattr(tokenizer_module, "Backend", None)
    with pytest.raises(ValueError, match="is not what its trainer writes"):
        Tokenizer.from_str(text)


@pytest.mark.parametrize(
    ("vocab", "merges", "message"),
    [
        ({"<s>": 2, "</s>": 1}, [], "the first entries are"),
        ({"x" * 257: 340}, [], "an entry has 257 characters, the limit is 256"),
        ({str(number): number for number in range(340, 2**18 + 1)}, [], "262,145 entries or merges, the limit is"),
        ({"new": 10**30}, [], "the 341 entries are not numbered from 0 without a gap"),
        ({"new": 7}, [], "not numbered from 0 without a gap"),
        ({"new": True}, [], "the number of an entry is no whole number"),
        ({"new": 340.0}, [], "the number of an entry is no whole number"),
        ({}, [["e", "no such piece"]], "makes something that is no entry"),
        ({}, [["e"]], "a merge is not a pair of texts"),
        ({}, [["e", 5]], "a merge is not a pair of texts"),
        ({}, ["e n"], "a merge is not a pair of texts"),
        ({"\ud800": 340}, [], "not a tokenizer"),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_entries_and_merges_have_bounds(
    tokenizer: Tokenizer, vocab: dict[str, object], merges: list[object], message: str
) -> None:
    known = json.loads(tokenizer.to_str())["model"]
    text = changed(tokenizer, "model.vocab", {**known["vocab"], **vocab})
    if merges:
        text = changed(tokenizer, "model.merges", [*known["merges"], *merges])
    with pytest.raises(ValueError, match=message):
        Tokenizer.from_str(text)


def test_a_vocabulary_without_a_byte_is_refused(tokenizer: Tokenizer) -> None:
    vocab = json.loads(tokenizer.to_str())["model"]["vocab"]
    vocab["<other>"] = vocab.pop("<0x41>")
    with pytest.raises(ValueError, match="lacks byte entries"):
        Tokenizer.from_str(changed(tokenizer, "model.vocab", vocab))


def test_a_field_that_is_there_twice_does_not_get_past_the_check(tokenizer: Tokenizer) -> None:
    """A reader that keeps the first and one that keeps the last would not see the same tokenizer."""
    twice = '"normalizer": {"type": "Lowercase"}, "normalizer":'
    text = tokenizer.to_str().replace('"normalizer":', twice, 1)
    assert Tokenizer.from_str(text).to_str() == tokenizer.to_str()


def test_what_rust_throws_is_a_value_error(tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicException(BaseException):
        """As pyo3 makes it: no Exception."""

    text = tokenizer.to_str()
    tokenizer_module._frame()  # is kept
    panics = Mock(**{"from_str.side_effect": PanicException("unwrap")})
    monkeypatch.setattr(tokenizer_module, "Backend", panics)
    with pytest.raises(ValueError, match="not a tokenizer: unwrap"):
        Tokenizer.from_str(text)


def test_no_entry_that_is_learnt_is_longer_than_one_that_is_accepted() -> None:
    long = Tokenizer.train(["ab" * 400] * 5, vocab_size=340)
    assert MAX_PIECE // 2 < max(map(len, long.pieces(range(len(long))))) <= MAX_PIECE
