"""Which head a page shows: chosen in the link, or the one that tells most, with the reason and what it does."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.heat.matrix import decoder_labels, labels
from explainer.figures.heat.thumbnails import thumbnails
from explainer.figures.style import Role, number
from explainer.language import _, mark, ngettext
from explainer.measures.anatomy import (
    KIND_NAMES,
    KINDS,
    Kind,
    all_weights,
    attention_path,
    columns_of,
    meaning_of_rows,
)
from explainer.measures.heads import HeadMeasures, all_measures, end_share, weighted_outputs
from explainer.measures.roles import role_of
from explainer.measures.telling import most_telling_cell
from explainer.pages.frame import layout
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import choose
from explainer.pages.frame.view import Translated
from explainer.pages.kit.tensor import Tensor, dimensions

_Array = tuple[str, Literal["query", "key"], bool, Role, tuple[str, str]]
_ARRAYS: dict[str, _Array] = {  # title, rows, whether the columns are keys (or dimensions), colour, shape
    "hook_q": (mark("Q, queries"), "query", False, "query", ("T_q", "d_k")),
    "hook_k": (mark("K, keys"), "key", False, "key", ("T_k", "d_k")),
    "hook_v": (mark("V, values"), "key", False, "value", ("T_k", "d_v")),
    "attend.hook_dots": (mark("Q Kᵀ, dot products"), "query", True, "attention", ("T_q", "T_k")),
    "attend.hook_scores": (mark("S, scaled scores"), "query", True, "attention", ("T_q", "T_k")),
    "attend.hook_masked": (mark("S + M, masked scores"), "query", True, "attention", ("T_q", "T_k")),
    "attend.hook_weights": (mark("A, weights"), "query", True, "attention", ("T_q", "T_k")),
    "attend.hook_mixed": (mark("Z = A V, mixed values"), "query", False, "value", ("T_q", "d_v")),
}
SINK_SHARE = 0.3  # of the rows' weight on </s>: worth a word
FIRM = 0.3  # mean largest weight on another word: below it "firmly" would be too much


@dataclass(frozen=True)
class Place:
    """One head: kind of attention, layer and head, from 0."""

    kind: Kind
    layer: int
    head: int

    @property
    def path(self) -> str:
        """Module path of its attention."""
        return attention_path(self.kind, self.layer)

    @property
    def spec(self) -> str:
        """As links of changes name it."""
        return f"{self.kind}.{self.layer + 1}.{self.head + 1}"

    def tensor(self, view: Translated, hook: str) -> Tensor:
        """What a figure shows of one of its hook points: `hook_q`, `attend.hook_weights` and so on."""
        title, row_side, is_over_keys, role, symbols = _ARRAYS[hook]
        keys = key_labels(view, self.kind)
        wide = dimensions(view.trace[f"{self.path}.hook_q"].shape[-1])
        of_queries = query_labels(view, self.kind), row_title(self.kind)
        rows, rows_are = of_queries if row_side == "query" else (keys, _("key"))
        columns, columns_are = (keys, _("key")) if is_over_keys else (wide, _("dimension"))
        return Tensor(
            hook=f"{self.path}.{hook}", title=_(title), rows=rows, columns=columns, row_title=rows_are,
            column_title=columns_are, head=self.head, role=role, symbols=symbols,
        )  # fmt: skip

    def telling_cell(self, view: Translated) -> tuple[int, int]:
        """Row and column of the weight that is worth looking at first, before any change."""
        weights, tokens = view.before[f"{self.path}.attend.hook_weights"][self.head], view.before.info
        rows, columns = meaning_of_rows(self.kind, tokens), columns_of(self.kind, tokens)
        return most_telling_cell(weights, rows, columns, same=self.kind != "cross")


def query_labels(view: Translated, kind: Kind) -> list[str]:
    """The rows of an attention."""
    tokens = view.tokens
    return labels(tokens.source) if kind == "encoder" else decoder_labels(tokens.target, tokens.predicted)


def key_labels(view: Translated, kind: Kind) -> list[str]:
    """The columns of an attention."""
    return labels(columns_of(kind, view.tokens))


def row_title(kind: Kind) -> str:
    """What the rows of an attention are."""
    return _("query") if kind == "encoder" else _("query: input → predicts")


def choose_kind(label: str, default: Kind, *, kinds: Sequence[Kind] = KINDS) -> Kind:
    """Encoder, decoder or cross-attention, from the link."""
    forgets = ("layer", "head", "cell")
    return choose("kind", label, kinds, default, format_func=name_of_kind, forgets=forgets)


def name_of_kind(kind: Kind) -> str:
    """A kind of attention in words."""
    return _(KIND_NAMES[kind])


def choose_head(view: Translated, kind: Kind) -> Place:
    """Layer and head from the link; while it says nothing, the most telling one (of a chosen layer)."""
    measures, best = measures_of(view, kind, "before"), most_telling_of(view, kind)
    layers = range(1, measures[-1].layer + 2)
    layer = choose("layer", _("Layer"), layers, best.layer + 1, forgets=("cell",)) - 1
    heads = [one for one in measures if one.layer == layer]
    best = max(heads, key=lambda one: one.telling)
    head = choose("head", _("Head"), range(1, len(heads) + 1), best.head + 1, forgets=("cell",)) - 1
    return Place(kind, layer, head)


def measures_of(
    view: Translated, kind: Kind, which: Literal["shown", "before", "after"] = "shown"
) -> list[HeadMeasures]:
    """What every head of a kind does on this sentence: in the pass that is shown, before or after the changes."""
    is_before = which == "before" or (which == "shown" and view.compare == "before")
    return _measures(view, kind, is_before=is_before)


@kept(mebibytes=16)
def _measures(view: Translated, kind: Kind, *, is_before: bool) -> list[HeadMeasures]:
    return all_measures(view.before if is_before else view.trace, kind)


def most_telling_of(view: Translated, kind: Kind) -> HeadMeasures:
    """The head whose word rows look most firmly at words of their own, before any change: it stays when one is made."""
    return max(measures_of(view, kind, "before"), key=lambda one: one.telling)


def say_why(view: Translated, place: Place) -> None:
    """What this head does on this sentence, and which one tells most."""
    measures = measures_of(view, place.kind)
    here = next(one for one in measures if (one.layer, one.head) == (place.layer, place.head))
    best = most_telling_of(view, place.kind)
    role = role_of(here, place.kind)
    shown = _("Layer {layer}, head {head}: **{role}**. {reason}").format(
        layer=place.layer + 1, head=place.head + 1, role=role.name, reason=for_markdown(role.reason)
    )
    if (best.layer, best.head) == (place.layer, place.head):
        why = _why_first(best, is_changed=bool(view.specs))
    else:
        why = _("Most telling is layer {layer}, head {head} ★ (focus {focus} × variety {variety}).")
        sizes = {"focus": number(best.focus), "variety": number(best.variety)}
        why = why.format(layer=best.layer + 1, head=best.head + 1, **sizes)
    st.caption(f"{shown} {why}")
    _say_sink(view, place)


def _why_first(best: HeadMeasures, *, is_changed: bool) -> str:
    if not best.telling:
        return _("★ Shown first: there is no word here that could look at another one.")
    if best.focus < FIRM:
        now = _("★ Shown first: no head looks firmly at words of its own here, this one most.")
        before = _(
            "★ Shown first: before the changes no head looks firmly at words of its own here, this one most."
        )
    else:
        now = _("★ Shown first: its rows look most firmly at words of their own.")
        before = _("★ Shown first: before the changes its rows look most firmly at words of their own.")
    return before if is_changed else now


def _say_sink(view: Translated, place: Place) -> None:
    """Much weight on `</s>`: whether that adds anything is another number, and it stands beside."""
    seen, output = view.shown.under(place.path), view.model.parameters[f"{place.path}.output.weight"]
    weights = seen["attend.hook_weights"]
    found = end_share(
        weights[place.head],
        weighted_outputs(weights, seen["hook_v"], output)[place.head],
        seen["attend.hook_mask"][place.head],
        meaning_of_rows(place.kind, view.tokens),
        columns_of(place.kind, view.tokens),
    )
    if found is None or found.weight < SINK_SHARE:
        return
    if found.length <= found.weight / 2:
        told = _(
            "The rows about other tokens lay {weight} of their weight on `</s>`, but only {length} of the lengths "
            "‖α·v W_O‖ of what they add: a **sink**, where a head often looks that has nothing to look for."
        )
    else:
        told = _(
            "The rows about other tokens lay {weight} of their weight on `</s>`, and {length} of the lengths "
            "‖α·v W_O‖ of what they add: no mere sink, it does add something."
        )
    shares = {"weight": number(found.weight), "length": number(found.length)}
    st.info(told.format(**shares), icon=":material/water_drop:")


def show_all_heads(view: Translated, place: Place, *, key: str = "heads") -> None:
    """Thumbnails of all layers and heads of a kind; a click opens one."""
    weights = all_weights(view.shown, place.kind)
    measures, best = measures_of(view, place.kind), most_telling_of(view, place.kind)
    allowed = view.shown[f"{place.path}.attend.hook_mask"][place.head]
    here, star = (place.layer, place.head), (best.layer, best.head)
    alt = ngettext(
        "The weights of {n} head, a row of tiles for each layer",
        "The weights of all {n} heads, a row of tiles for each layer",
        len(measures),
    )
    layout.figure(
        thumbnails(weights, allowed, view.theme, selected=here, starred=star),
        key=key,
        alt=alt.format(n=len(measures)),
        table=lambda: _table(measures, place.kind),
        says=lambda layer, head: {"layer": str(layer + 1), "head": str(head + 1), "cell": None},
        part="head",
    )


def _table(measures: Sequence[HeadMeasures], kind: Kind) -> layout.Table:
    told = _("what it does on this sentence")
    heading = [_("layer"), _("head"), told, _("entropy, nats"), _("mean distance")]
    rows = []
    for one in measures:
        distance = "–" if one.distance is None else number(one.distance)
        rows.append([one.layer + 1, one.head + 1, str(role_of(one, kind)), number(one.entropy), distance])
    return heading, rows
