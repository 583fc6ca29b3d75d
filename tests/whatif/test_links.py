"""Links of many days: what they named when `links.tsv` was written, they name for ever.

A row of the file is a spec and its outcome with the model and sentence below: either the spec as the app writes it, the
change, its words and whether it needs rows, or "refused" and the sentence that said why (which may get better).
"""

import re
from pathlib import Path

import pytest

from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.whatif.change import Lengths
from explainer.whatif.changes import BY_CODE, check, parse

MODEL = Transformer(
    TransformerConfig(vocab_size=31, d_model=24, n_heads=3, d_ff=20, n_encoder_layers=2, n_decoder_layers=1)
)
LENGTHS = Lengths(source=5, target=4)
ROWS = [line.split("\t") for line in Path(__file__).with_name("links.tsv").read_text("utf-8").splitlines()]
GOOD = [row for row in ROWS if row[1] != "refused"]
BAD = [row for row in ROWS if row[1] == "refused"]


@pytest.mark.parametrize("row", GOOD, ids=lambda row: row[0])
def test_a_link_means_what_it_meant(row: list[str]) -> None:
    change = parse(row[0])
    check((change,), MODEL, LENGTHS)
    rows = "rows" if change.needs_rows else ""
    assert [row[0], change.spec, repr(change), change.words("<{}>".format), rows] == row


@pytest.mark.parametrize("row", BAD, ids=lambda row: row[0][:40])
def test_what_was_refused_still_is_and_the_sentence_names_it(row: list[str]) -> None:
    spec, _, before = row
    quoted, numbers = re.findall("'([^']*)'", before), re.findall(r"[\w.]*[0-9][\w.]*", before)
    wrong = quoted[-1][:30] if quoted else numbers[0] if numbers else spec.split(":")[1]
    with pytest.raises(ValueError, match=re.escape(wrong or repr(spec))):
        check((parse(spec),), MODEL, LENGTHS)


def test_there_are_links_of_every_class_good_and_bad() -> None:
    for rows in (GOOD, BAD):
        assert set(BY_CODE) <= {row[0].split(":")[0] for row in rows}
