"""The page about tokens without a browser: what it draws is what the tokenizer and the model have."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch

from explainer.model.transformer import Transformer
from explainer.pages.frame.models import translator
from explainer.text.tokenizer import Tokenizer
from explainer.train.offers.menu import TASK_REQUEST, sized
from explainer.train.runs.folder import RunFolder
from tests.pages.app import MONEY, array, figure, matrix, opened_on, said

page = partial(opened_on, "tokens", sentence=MONEY)


@pytest.mark.parametrize("side", ["source", "target"])
def test_both_sides_look_their_ids_up_in_the_same_table(side: str) -> None:
    app = page(side=side, row="3", cell="3.1")
    model = translator()
    ids = [*model.source_ids(MONEY), 2] if side == "source" else [1, *model.translate(MONEY).ids[:-1]]
    assert figure(app, f"tokens-{side}")["data"][1]["text"] == [str(token) for token in ids]
    expected = model.parameters[f"{side}_embedding.table"][ids, :6]
    np.testing.assert_allclose(matrix(app, "rows")[:, :6], expected, atol=1e-6)
    assert said(app).count("0, the same memory") == 3


def test_neighbours_and_map_are_torchs() -> None:
    dog = translator().checkpoint.tokenizer.encode("dog")[0]
    app = page(token=str(dog))
    table = torch.tensor(translator().parameters["source_embedding.table"].copy(), dtype=torch.double)
    ranked = torch.nn.functional.cosine_similarity(table, table[dog : dog + 1]).topk(11)
    bars = figure(app, "neighbours")["data"][0]
    np.testing.assert_allclose(array(bars["x"]), ranked.values[1:], atol=1e-6)
    assert [token for _, token in bars["customdata"]] == ranked.indices[1:].tolist()
    centred = table - table.mean(dim=0)
    _, sizes, axes = torch.linalg.svd(centred, full_matrices=False)
    for trace in figure(app, "embedding-map")["data"]:
        shadows = centred[array(trace["customdata"]).copy()] @ axes[:2].T
        shown = np.stack([array(trace[name]) for name in "xy"], axis=1)
        np.testing.assert_allclose(np.abs(shown), shadows.abs(), atol=1e-4)
    kept = float((sizes[:2] ** 2).sum() / (sizes**2).sum())
    assert f"**{100 * kept:.1f} %**" in said(app)


def test_it_says_so_when_the_weights_are_not_tied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(translator().checkpoint.model.config), "tie_embeddings", False)
    shown = said(page())
    assert "three separate matrices" in shown
    assert "the same matrix" not in shown


@pytest.mark.parametrize(
    ("word", "row", "needs", "lines"),
    [("␣I", "1", "one merge", 2), ("␣have", "2", "4 merges", 3), (".", "5", "no merge", 1)],
)
def test_merges_are_counted_and_walked_through(word: str, row: str, needs: str, lines: int) -> None:
    """Each merge makes one piece of two: ␣I takes one, the five characters of ␣have take four, the full stop none."""
    app = page(row=row, **({"merge": str(lines)} if lines > 1 else {}))
    assert f"needs {needs} and ends in one piece" in said(app)
    ladder = figure(app, "merges")["data"][0]
    assert max(line for _, line in ladder["customdata"]) == lines - 1
    top = [text for text, (_, line) in zip(ladder["text"], ladder["customdata"], strict=True) if line == 0]
    assert top == list(word)


def test_a_word_of_several_pieces_cannot_replace_a_row() -> None:
    app = page(row="4")
    app.text_input(key="other-word").set_value("xylophoneqzj").run()
    assert not app.exception
    assert "choose a word that is one piece" in said(app)
    app.text_input(key="other-word").set_value("cat").run()
    app.button(key="if-replace").click().run()
    assert app.query_params["what"].startswith("replace:4:")
    assert not app.exception
    assert "| after |" in said(app)


def test_the_title_of_the_cosine_shows_a_piece_literally() -> None:
    tokenizer = translator().checkpoint.tokenizer
    table = translator().parameters["source_embedding.table"]
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    marks = [i for i in range(len(tokenizer)) if tokenizer.piece(i).strip() in ("$", "*", ":", "&", ".")]
    nearest = {one: int(np.argsort(-(unit @ unit[one]))[1]) for one in range(500)}
    token = next(one for one, other in nearest.items() if other in marks)
    app = page(token=str(token))
    literally = f"\\{tokenizer.piece(nearest[token]).strip()}"
    assert any(one.label.endswith(f"b = {literally}") for one in app.expander)


def test_the_number_of_rules_is_the_vocabularys(runs: Path) -> None:
    tokenizer = Tokenizer.train(["low lower lowest new newer newest"], 290)
    request = sized(TASK_REQUEST, "small")
    folder = RunFolder(runs / "mine")
    folder.create(request)
    folder.save_step(Transformer(request.model_config(len(tokenizer))), tokenizer, 5)
    shipped, own = (
        len(json.loads(one.to_str())["model"]["merges"])
        for one in (translator().checkpoint.tokenizer, tokenizer)
    )
    assert 1 < own < 40
    assert f"that was done {shipped:,} times" in said(page())
    assert f"that was done {own} times" in said(page(sentence="low", model="mine"))
