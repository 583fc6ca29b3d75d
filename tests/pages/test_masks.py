"""The page about masks without a browser: its numbers are the model's, and what cannot be is refused."""

from functools import partial

import numpy as np
import pytest

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.pages.frame.models import translator
from explainer.whatif.attention import NoLookAheadMask
from tests.pages.app import MONEY, figure, opened_on, table_of, told_change, traced

page = partial(opened_on, "masks", sentence=MONEY)


def test_padding_stays_hidden_and_changes_no_word() -> None:
    ids = translator().translate(MONEY).ids
    for change in ((), (NoLookAheadMask(),)):
        plain, padded = (translator().trace(MONEY, ids, changes=change, padding=n) for n in (0, 2))
        for kind in ("self", "cross"):
            weights = padded[f"decoder.layers.1.{kind}_attention.attend.hook_weights"]
            assert (weights[..., -2:] == 0).all()
        difference = padded[LOG_PROB][:-2] - plain[LOG_PROB]
        assert np.abs(difference).max() < 1e-4
    app = page()
    app.slider(key="slide-pad").set_value(2).run()
    assert not app.exception
    assert figure(app, "mask")["layout"]["xaxis"]["ticktext"][-2:] == ["&lt;pad&gt;"] * 2


def test_a_padding_cell_keeps_its_place_and_cannot_be_opened() -> None:
    app = page(kind="encoder", pad="2", cell="1.8")
    assert not app.toast
    assert any("belongs to padding" in text.value for text in app.caption)


def test_a_sentence_that_is_too_long_for_the_twins_is_said() -> None:
    app = opened_on("masks", "Unbelievably grumpy hippopotamuses " * 4)
    assert any("the limit is" in text.value for text in app.markdown if "small, trained" in text.value)


def test_a_cell_that_would_leave_a_row_without_keys_is_refused() -> None:
    app = page(kind="decoder", cell="1.1")
    assert app.toggle(key="if-cell").disabled
    assert any("would see no key" in text.value for text in app.caption)


def test_a_flipped_cell_changes_the_log_probability_on_the_bar() -> None:
    app = page(kind="decoder", cell="3.1")
    app.toggle(key="if-cell").set_value(True).run()
    assert not app.exception
    ids = translator().translate(MONEY).ids
    expected = sequence_log_prob(traced(MONEY, "mask:decoder:3.1")[LOG_PROB], ids)
    after = told_change(app)[1]
    assert float(after) == pytest.approx(expected, abs=0.6 * 10.0 ** int(after.as_tuple().exponent))


def test_rows_and_words_follow_a_change_of_the_mask() -> None:
    own, changed = page(), page(what="ahead")
    difference = table_of(own, "differ by at most").rpartition("= ")[
        2
    ]  # a row needs no more than its own past
    assert float(difference.rstrip("*.").replace("−", "-")) < 1e-4
    n_rows = len(translator().translate(MONEY).ids)
    said = [" ".join(text.value for text in (*app.markdown, *app.info)) for app in (own, changed)]
    assert "Not the model's own mask" not in said[0]
    assert "hatched cells read" in said[0]
    assert f"{n_rows * (n_rows - 1) // 2} of its cells" in said[1]  # all above the diagonal
    assert "hatched cells read" not in said[1]
    assert "No cell is masked here" in said[1]
