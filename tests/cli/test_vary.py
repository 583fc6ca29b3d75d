from pathlib import Path

import pytest

from explainer.cli.commands import main
from explainer.text.corpora import read_pairs


@pytest.fixture
def names(tmp_path: Path) -> Path:
    file = tmp_path / "names.txt"
    file.write_text("Ayşe\nLuca\n", encoding="utf-8")
    return file


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_the_pool_holds_each_file_so_often_and_no_sentence_of_the_test_set(
    tmp_path: Path, names: Path
) -> None:
    one = written(
        tmp_path / "one.tsv", *(f"Word {letter}\tWort {letter}" for letter in "abcdefgh"), "Never.\tNie."
    )
    test = written(tmp_path / "test.tsv", "never!\tnie")
    templates = written(tmp_path / "templates.tsv", "Hi {given}\tHallo {given}")
    out = tmp_path / "pool.tsv.gz"
    options = ["--names", names, "--templates", templates, "--fill", 3, "--without", test, "--out", out]
    assert main(["vary", "--pairs", f"{one}:2.5", *map(str, options)]) == 0
    pairs = read_pairs(out).pairs
    text = " ".join(pair.target for pair in pairs)
    assert "Nie" not in text
    assert sum(text.count(f"Wort {letter}") for letter in "abcdefgh") == 8 + 8 + 4
    assert text.count("Hallo") == 3
    before = out.read_bytes()
    assert main(["vary", "--pairs", f"{one}:2.5", *map(str, options)]) == 0
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--pairs", "pool.tsv", "is not FILE:SHARE"),
        ("--pairs", "pool.tsv:1", "pool.tsv: no such file"),
        ("--templates", "{what}?\t{what}?", "no value for the slot {what}"),
        ("--values", "city\tRome", "line 1: expected three columns, found 2"),
    ],
)
def test_bad_input(
    option: str, value: str, said: str, tmp_path: Path, names: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        "--pairs": f"{written(tmp_path / 'one.tsv', 'Yes	Ja')}:1",
        "--names": str(names),
        "--templates": str(written(tmp_path / "templates.tsv", "Hi {given}\tHallo {given}")),
        "--values": str(written(tmp_path / "values.tsv", "city\tRome\tRom")),
        "--out": str(tmp_path / "pool.tsv"),
    }
    files[option] = value if option == "--pairs" else str(written(tmp_path / "bad.tsv", value))
    assert main(["vary", *(part for item in files.items() for part in item)]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "pool.tsv").exists()
