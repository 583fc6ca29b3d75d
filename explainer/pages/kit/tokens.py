"""Bars of the tokens that could come next: those that are listed, and all others as one."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float, Int

from explainer.figures.bars.tokens import Bars, grouped_bars
from explainer.figures.escape import token_label
from explainer.language import _
from explainer.measures.vocabulary import shares
from explainer.pages.frame import layout
from explainer.pages.frame.session import theme

if TYPE_CHECKING:
    from explainer.text.tokenizer import Tokenizer


def before_and_after(
    before: Float[np.ndarray, " vocab"] | None,
    after: Float[np.ndarray, " vocab"],
    ids: Int[np.ndarray, " listed"],
    *,
    is_difference: bool,
) -> list[Bars]:
    """The probabilities of the listed tokens and of all others, without the changes (None: there are none) and with."""
    now = shares(after, ids)
    if before is None:
        return [Bars(_("model probability"), now, "full")]
    then = shares(before, ids)
    if is_difference:
        return [Bars(_("after − before"), now - then, "full")]
    return [Bars(_("before"), then, "grey"), Bars(_("after"), now, "full")]


def show_token_bars(
    tokenizer: "Tokenizer",
    ids: Int[np.ndarray, " listed"],
    groups: Sequence[Bars],
    *,
    key: str,
    alt: str,
    n_others: int,
    chosen: int,
    selected: int | None,
    signed: bool = False,
    says: Callable[[int], layout.Said] | None = None,
    label: Callable[[str], str] = token_label,
) -> None:
    """A panel with one group of bars a distribution: a value for each of `ids`, the first on top, one for all others.

    `chosen` is the token that is said, `selected` the framed one; `signed` values may be negative. `says` is what the
    link says after a click on a token's bar; `label` writes an entry of the vocabulary in the table.
    """
    tokens = ids.tolist()
    pieces = tokenizer.pieces(tokens)
    place = None if selected is None else tokens.index(selected)
    drawing = grouped_bars(
        tokens, pieces, groups, theme(), chosen=tokens.index(chosen), selected=place, n_others=n_others, signed=signed
    )  # fmt: skip

    def table() -> layout.Table:
        names = [*map(label, pieces), _("all others")]
        rows = [[name, *(f"{group.values[i]:.6g}" for group in groups)] for i, name in enumerate(names)]
        return [_("token"), *(group.name for group in groups)], rows

    layout.figure(drawing, key=key, alt=alt, table=table, says=says, part="candidate")
