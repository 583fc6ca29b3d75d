"""The page about tokens without a browser: what it draws is what the tokenizer and the model have."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from explainer.model.transformer import Transformer
from explainer.pages.frame import models as chosen
from explainer.pages.frame.models import translator
from explainer.pages.frame.session import DEFAULT_SENTENCE
from explainer.text.tokenizer import Tokenizer
from explainer.train.offers.menu import TASK_REQUEST, sized
from explainer.train.runs.folder import RunFolder
from tests.pages.app import MONEY, array, figure, matrix, opened_on, said, traced


def opened(sentence: str = DEFAULT_SENTENCE, **query: str) -> AppTest:
    return opened_on("tokens", sentence, **query)


def rows(app: AppTest, part: int) -> np.ndarray:
    """The six dimensions of E[token] (0) or √d·E[token] (1) on the page."""
    return matrix(app, "rows")[:, 7 * part : 7 * part + 6]


def test_tokens_ids_and_rows_are_the_models() -> None:
    app = opened(sentence=MONEY, cell="4.11", dims="11")
    model = translator()
    ids = [*model.source_ids(MONEY), 2]
    assert figure(app, "tokens-source")["data"][1]["text"] == [str(token) for token in ids]
    trace = traced(MONEY)
    np.testing.assert_allclose(rows(app, 0), trace["source_embedding.hook_token"][:, 10:16], atol=1e-6)
    np.testing.assert_allclose(rows(app, 1), trace["source_embedding.hook_scaled"][:, 10:16], atol=1e-5)
    np.testing.assert_allclose(
        rows(app, 0), model.parameters["source_embedding.table"][ids, 10:16], atol=1e-6
    )
    shown = f"The model has {trace['source_embedding.hook_scaled'][3, 10]:.4f} there".replace("-", "−")
    assert shown in said(app)


def test_the_german_side_looks_up_in_the_same_table() -> None:
    app = opened(sentence=MONEY, side="target", row="3", cell="3.1")
    ids = [1, *translator().translate(MONEY).ids[:-1]]
    expected = translator().parameters["target_embedding.table"][ids, :6]
    np.testing.assert_allclose(rows(app, 0), expected, atol=1e-6)
    assert said(app).count("0, the same memory") == 3


def test_a_replaced_embedding_is_seen_before_after_and_as_a_difference() -> None:
    cat = translator().checkpoint.tokenizer.encode("cat")
    assert len(cat) == 1
    spec = f"replace:4:{cat[0]}"
    before, after = (traced(MONEY, *specs)["source_embedding.hook_scaled"] for specs in ((), (spec,)))
    expected = {"after": after, "before": before, "difference": after - before}
    for compare, values in expected.items():
        app = opened(sentence=MONEY, what=spec, show=compare, row="4", cell="4.1", dims="1")
        np.testing.assert_allclose(rows(app, 1), values[:, :6], atol=1e-5)
    assert np.abs(after - before)[[0, 1, 2, 4, 5]].max() == 0


def test_the_neighbours_are_torchs() -> None:
    dog = translator().checkpoint.tokenizer.encode("dog")[0]
    app = opened(sentence=MONEY, token=str(dog))
    table = torch.tensor(translator().parameters["source_embedding.table"].copy())
    ranked = torch.nn.functional.cosine_similarity(table, table[dog : dog + 1]).topk(11)
    bars = figure(app, "neighbours")["data"][0]
    np.testing.assert_allclose(array(bars["x"]), ranked.values[1:], atol=1e-6)
    assert [token for _, token in bars["customdata"]] == ranked.indices[1:].tolist()


def test_the_map_is_the_principal_plane() -> None:
    app = opened(sentence=MONEY)
    table = torch.tensor(translator().parameters["source_embedding.table"].copy(), dtype=torch.double)
    centred = table - table.mean(dim=0)
    _, sizes, axes = torch.linalg.svd(centred, full_matrices=False)
    for trace in figure(app, "embedding-map")["data"]:
        ids = array(trace["customdata"]).copy()
        shadows = centred[ids] @ axes[:2].T
        for i, name in enumerate("xy"):
            np.testing.assert_allclose(np.abs(array(trace[name])), shadows[:, i].abs(), atol=1e-4)
    kept = float((sizes[:2] ** 2).sum() / (sizes**2).sum())
    assert f"**{100 * kept:.1f} %**" in said(app)


@pytest.mark.parametrize(("merge", "lines"), [("1", 1), ("3", 3)])
def test_the_merges_are_walked_through(merge: str, lines: int) -> None:
    app = opened(sentence=DEFAULT_SENTENCE, row="6", merge=merge)
    ladder = figure(app, "merges")["data"][0]
    assert max(line for _, line in ladder["customdata"]) == lines - 1
    top = [text for text, (_, line) in zip(ladder["text"], ladder["customdata"], strict=True) if line == 0]
    assert top == list("␣street")


def test_a_word_of_several_pieces_cannot_replace_a_row() -> None:
    app = opened(sentence=MONEY, row="4")
    app.text_input(key="other-word").set_value("xylophoneqzj").run()
    assert not app.exception
    assert "choose a word that is one piece" in said(app)
    app.text_input(key="other-word").set_value("cat").run()
    app.button(key="if-replace").click().run()
    assert app.query_params["what"].startswith("replace:4:")
    assert not app.exception
    assert "| after |" in said(app)


def test_it_says_so_when_the_weights_are_not_tied() -> None:
    config = translator().checkpoint.model.config
    assert config.tie_embeddings
    object.__setattr__(config, "tie_embeddings", False)
    try:
        shown = said(opened())
    finally:
        object.__setattr__(config, "tie_embeddings", True)
    assert "three separate matrices" in shown
    assert "the same matrix" not in shown


def test_the_title_of_the_cosine_shows_a_piece_literally() -> None:
    tokenizer = translator().checkpoint.tokenizer
    table = translator().parameters["source_embedding.table"]
    unit = table / np.linalg.norm(table, axis=1, keepdims=True)
    marks = [
        token
        for token in range(len(tokenizer))
        if tokenizer.piece(token).strip() in ("$", "*", ":", "&", ".")
    ]
    token = next(  # whose nearest other entry is one of them
        one for one in np.argsort(-(unit @ unit[marks].T).max(axis=1)).tolist()
        if np.argsort(-(unit @ unit[one]))[1] in marks
    )  # fmt: skip
    nearest = tokenizer.piece(int(np.argsort(-(unit @ unit[token]))[1])).strip()
    app = opened(sentence=MONEY, token=str(token))
    assert any(one.label.endswith(f"b = \\{nearest}") for one in app.expander)


def n_rules(tokenizer: Tokenizer) -> int:
    """As the tokenizer's own file lists them."""
    return len(json.loads(tokenizer.to_str())["model"]["merges"])


def test_the_number_of_rules_is_the_vocabularys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = n_rules(translator().checkpoint.tokenizer)
    assert f"that was done {shipped:,} times" in said(opened(sentence=MONEY))

    monkeypatch.setattr(chosen, "RUNS", tmp_path)
    tokenizer = Tokenizer.train(["low lower lowest new newer newest"], 290)
    request = sized(TASK_REQUEST, "small")
    folder = RunFolder(tmp_path / "mine")
    folder.create(request)
    folder.save_step(Transformer(request.model_config(len(tokenizer))), tokenizer, 5)
    assert 1 < n_rules(tokenizer) < 40
    assert f"that was done {n_rules(tokenizer)} times" in said(opened(sentence="low", model="mine"))


@pytest.mark.parametrize(("row", "needs"), [("1", "one merge"), ("2", "4 merges"), ("5", "no merge")])
def test_merges_are_counted_in_english(row: str, needs: str) -> None:
    """Each merge makes one piece of two: ␣I takes one, the five characters of ␣have take four, the full stop none."""
    assert f"needs {needs} and ends in one piece" in said(opened(sentence=MONEY, row=row))
