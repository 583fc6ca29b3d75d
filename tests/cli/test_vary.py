"""`python -m explainer vary`: each file so often, no sentence that is kept out, the same for the same seed."""

from pathlib import Path

from explainer.text.corpora import read_pairs
from tests.cli.conftest import Run, written


def test_the_pool_holds_each_file_so_often_and_no_sentence_of_the_test_set(run: Run, tmp_path: Path) -> None:
    lines = [f"Word {letter}\tWort {letter}" for letter in "abcdefgh"]
    one = written(tmp_path / "one.tsv", *lines, "Never.\tNie.")
    names = written(tmp_path / "names.txt", "Ayşe", "Luca")
    test = written(tmp_path / "test.tsv", "never!\tnie")
    templates = written(tmp_path / "templates.tsv", "Hi {given}\tHallo {given}")
    command = ["vary", "--pairs", f"{one}:2.5", "--names", names, "--templates", templates, "--fill", 3]
    outs = [tmp_path / "pool.tsv.gz", tmp_path / "again.tsv.gz"]
    for out in outs:
        assert run(*command, "--without", test, "--out", out)[0] == 0
    text = " ".join(pair.target for pair in read_pairs(outs[0]).pairs)
    assert "Nie" not in text
    assert sum(text.count(f"Wort {letter}") for letter in "abcdefgh") == 8 + 8 + 4
    assert text.count("Hallo") == 3
    assert outs[0].read_bytes() == outs[1].read_bytes()
