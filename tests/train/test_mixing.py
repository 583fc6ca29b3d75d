"""A second file mixed into every epoch: in order, round and round, resumed bit for bit; and requests from before."""

import dataclasses
import json
from itertools import chain, cycle, islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explainer.files import PRETRAINED
from explainer.text.corpora import SentencePair, read_pairs, write_pairs
from explainer.text.tokenizer import Tokenizer
from explainer.train.learning.averaging import average_run
from explainer.train.learning.data import TrainingData, portion_of
from explainer.train.learning.request import TrainRequest
from explainer.train.runs.archive import pack_run, unpack_run
from explainer.train.runs.folder import RunFolder
from explainer.train.runs.record import load_record
from explainer.train.runs.session import Session
from explainer.train.runs.status import look
from tests.train.small import REQUEST, assert_same, made, run

POOL = [SentencePair(f"It is {n}.", f"Es ist {n}.") for n in range(10)]
LONG = "Go.\t" + "".join(chr(0x4E00 + n) for n in range(600)) + "\n"  # no two of its letters are one token
MIXED = dataclasses.replace(
    REQUEST, valid="", mix="pool.tsv", mix_share=0.7, concatenated=0.0, steps=40, save_every=10
)


def with_pool(path: Path, request: TrainRequest = MIXED) -> RunFolder:
    """The folder of a run that nobody has begun, and the file that it mixes in."""
    folder = made(path, request)
    write_pairs(path / "pool.tsv", POOL)
    return folder


def data_of(path: Path, share: float) -> TrainingData:
    """The data of a request whose corpus has six pairs."""
    with_pool(path)
    files = {"corpus": str(path / "corpus.tsv"), "mix": str(path / "pool.tsv")}
    return TrainingData(TrainRequest.from_json(dataclasses.asdict(MIXED) | files | {"mix_share": share}))


@given(size=st.integers(0, 12), length=st.integers(1, 7), epochs=st.integers(1, 9))
def test_portions_in_a_row_are_the_entries_round_and_round(size: int, length: int, epochs: int) -> None:
    entries = list("abcdefg"[:length])
    portions = [portion_of(entries, size, epoch=epoch) for epoch in range(epochs)]
    assert list(chain.from_iterable(portions)) == list(islice(cycle(entries), size * epochs))


def test_an_epoch_holds_the_corpus_and_the_next_pairs_of_the_file(tmp_path: Path) -> None:
    data = data_of(tmp_path, 0.7)  # of six pairs: four
    decode = data.tokenizer.decode
    corpus = [pair.source for pair in read_pairs(tmp_path / "corpus.tsv").pairs]
    for epoch, numbers in enumerate([(0, 1, 2, 3), (4, 5, 6, 7), (8, 9, 0, 1), (2, 3, 4, 5)]):
        sources = [decode(example.source) for example in data.examples(epoch)]
        assert sources == [*corpus, *(POOL[n].source for n in numbers)]
    assert "pool.tsv: 10 pairs, 0 unreadable lines" in data.report
    assert "4 of them in each epoch" in data.report
    pairs = read_pairs(tmp_path / "corpus.tsv").pairs + POOL[:4]  # of the first epoch
    lines = [text for pair in pairs for text in (pair.source, pair.target)]
    assert data.tokenizer.to_str() == Tokenizer.train(lines, MIXED.vocab_size).to_str()


def test_interrupted_in_the_middle_of_an_epoch_it_goes_on_as_if_it_were_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = dataclasses.replace(MIXED, steps=20)
    whole, parted = with_pool(tmp_path / "whole", short), with_pool(tmp_path / "parted", short)
    run(whole)
    for step in (7, 12):
        with monkeypatch.context() as patch:
            patch.setattr(Session, "_asked", lambda session, orders, step=step: session._step >= step)
            run(parted)
        assert look(parted.path, []).step == step
    run(parted)
    assert look(parted.path, []).status == "finished"
    assert_same(whole, parted)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "nothing to mix in: pool.tsv: 0 pairs"),
        (b"one column\n", "nothing to mix in: .*expected two columns"),
        (LONG.encode(), "nothing to mix in: .*1 pairs longer than 512 tokens"),
    ],
)
def test_a_file_without_pairs_or_that_is_gone_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    folder = with_pool(tmp_path / "run")
    (folder.path / "pool.tsv").write_bytes(content)
    with pytest.raises(ValueError, match=f"(?s){said}"):
        run(folder)
    (folder.path / "pool.tsv").unlink()
    with pytest.raises(FileNotFoundError, match=r"pool\.tsv"):
        run(folder)
    assert "pool.tsv" in look(folder.path, []).reason


@pytest.mark.parametrize("share", [-0.1, float("nan"), float("inf"), 0])
def test_a_share_that_cannot_be_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="mix_share"):
        TrainRequest(corpus="pairs.tsv", mix="pool.tsv", mix_share=share)


class TestRequestsFromBefore:
    """They say how much was mixed in, as `grammar`, and no file: a program that is gone wrote the sentences."""

    @pytest.fixture
    def old(self, tmp_path: Path) -> RunFolder:
        folder = with_pool(tmp_path / "old", dataclasses.replace(MIXED, steps=20))
        run(folder)
        fields = dataclasses.asdict(folder.request()) | {"grammar": 0.7, "steps": 40}
        for name in ("mix", "mix_share"):
            del fields[name]
        (folder.path / "request.json").write_text(json.dumps(fields))
        folder.write_state("paused", step=20, steps=40, device="cpu")
        return folder

    def test_it_is_read_averaged_and_packed(self, old: RunFolder) -> None:
        assert (old.request().mix, old.request().mix_share) == ("", 0.7)
        found = look(old.path, [])
        assert (found.status, found.steps, found.can_resume) == ("paused", 40, True)
        runs = old.path.parent
        averaged = RunFolder(runs / average_run(runs, "old", 2).name)
        assert averaged.saved_steps() == [20]
        assert averaged.request().mix_share == 0.7
        assert unpack_run(runs, pack_run(runs, "old"), "taken").saved_steps() == [20]

    def test_to_go_on_it_needs_the_file_if_it_mixed_in_any(self, old: RunFolder) -> None:
        with pytest.raises(FileNotFoundError, match=r"--resume --mix FILE:0\.7"):
            run(old)
        found = look(old.path, [])
        assert "--mix FILE:0.7" in found.reason
        assert "goes on from step 20" in found.advice
        assert "\n" not in found.reason
        fields = json.loads((old.path / "request.json").read_text()) | {"grammar": 0.0}
        (old.path / "request.json").write_text(json.dumps(fields))
        run(old)
        assert look(old.path, []).status == "finished"

    def test_the_record_of_the_shipped_translator_is_one(self) -> None:
        text = (PRETRAINED / "translator" / "training.json").read_text(encoding="utf-8")
        record = load_record(PRETRAINED / "translator")
        assert record is not None
        assert record.request.mix_share == json.loads(text)["request"]["grammar"]
