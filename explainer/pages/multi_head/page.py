"""Page: why several heads? All heads of a layer, how they are joined, and what the translation is without each."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from explainer.figures.bars.rows import effect_bars
from explainer.figures.escape import for_markdown
from explainer.figures.heat.multiples import heads_beside, tile_of
from explainer.figures.style import number, span
from explainer.language import _, mark, ngettext
from explainer.measures.heads import Aim, HeadMeasures
from explainer.measures.roles import role_of
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.caches import kept
from explainer.pages.frame.link import picked_part, say_once
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.session import Specs
from explainer.pages.frame.view import Translated
from explainer.pages.kit.heads import Place, choose_head, choose_kind, measures_of, say_why
from explainer.pages.kit.pair import chosen_pair
from explainer.pages.multi_head.joined import show_joining

if TYPE_CHECKING:
    from explainer.translator.translator import Translator

LINKS = ("kind", "layer", "head", "cell", "dim", "stage", "out")
EFFECT = mark("Δ log p of the translation without the head, nats")
_SHARES: dict[Aim, str] = {
    "previous": mark("on token before"),
    "same": mark("on itself"),
    "next": mark("on token after"),
    "punctuation": mark("on punctuation"),
    "start": mark("on <s>"),
    "end": mark("on </s>"),
}


def show_heads(view: Translated, place: Place, cell: tuple[int, int]) -> None:
    """Every head of the layer with the same axes; a click selects a head and a cell."""
    shown = place.tensor(view, "attend.hook_weights")
    values, columns = view.values(shown.hook), shown.columns
    heads = [one for one in measures_of(view, place.kind) if one.layer == place.layer]
    title = _("head {head} · {role}")

    def of_tile(row: int, column: int) -> layout.Said:
        head, key = tile_of(column, len(columns), len(values))
        return {"head": str(head + 1), "cell": f"{row + 1}.{key + 1}"}

    layout.figure(
        heads_beside(
            values,
            view.shown[f"{place.path}.attend.hook_mask"][0],
            shown.rows,
            columns,
            [title.format(head=one.head + 1, role=role_of(one, place.kind).name) for one in heads],
            view.theme,
            selected=(place.head, *cell),
            row_title=shown.row_title,
            bound=span(values) if view.is_difference else None,
        ),
        key="beside",
        alt=ngettext(
            "The weights of the {n} head of layer {layer}, rows are queries, columns are keys; "
            "head {head} is selected",
            "The weights of the {n} heads of layer {layer} beside each other, rows are queries, columns are keys; "
            "head {head} is selected",
            len(values),
        ).format(n=len(values), layer=place.layer + 1, head=place.head + 1),
        table=lambda: layout.matrix_table(
            np.concatenate(values, axis=1),
            shown.rows,
            [_("head {head}: {key}").format(head=h + 1, key=c) for h in range(len(values)) for c in columns],
        ),
        says=of_tile,
    )


def show_measures(view: Translated, place: Place) -> None:
    """What each head of the layer does on this sentence, in numbers."""
    heads = [one for one in measures_of(view, place.kind) if one.layer == place.layer]
    aims: list[Aim] = [aim for aim in _SHARES if any(aim in one.shares for one in heads)]
    heading = [_("head"), _("what it does here"), _("entropy, nats"), _("mean distance")]
    heading += [_(_SHARES[aim]) for aim in aims]
    rows = [_row(one, place, aims) for one in heads]
    st.markdown(layout.as_table([*map(for_markdown, heading)], rows, left=2))


def _row(one: HeadMeasures, place: Place, aims: list[Aim]) -> list[str]:
    name = f"**{one.head + 1}** ◀" if one.head == place.head else str(one.head + 1)
    shares = [one.shares.get(aim) for aim in aims]
    return [
        name,
        for_markdown(role_of(one, place.kind).name),
        _("{entropy} of {even}").format(entropy=number(one.entropy), even=number(one.even_entropy)),
        "–" if one.distance is None else number(one.distance),
        *("–" if share is None else number(share.weight) for share in shares),
    ]


def show_effects(view: Translated, place: Place, words: Words) -> None:
    """All heads of the kind, ranked by what the translation loses or gains without each."""
    st.markdown(words["effects"])
    specs = () if view.compare == "before" else view.specs
    found = effects_of(view.model, view.sentence, view.translation.ids, specs, place.kind)
    places = [(layer, head) for layer, head, __ in found]
    effects = np.array([effect for *__, effect in found])
    name, is_off = _("layer {layer}, head {head}"), _("{head} (off)")
    names = [name.format(layer=layer + 1, head=head + 1) for layer, head in places]
    off = [f"off:{place.kind}.{layer + 1}.{head + 1}" in specs for layer, head in places]
    layout.figure(
        effect_bars(
            effects,
            [is_off.format(head=one) if gone else one for one, gone in zip(names, off, strict=True)],
            [("effect", layer, head) for layer, head in places],
            view.theme,
            selected=places.index((place.layer, place.head)),
            title=_(EFFECT),
        ),
        key="effects",
        alt=ngettext(
            "The {n} head, ranked by what the translation loses without each; largest: {largest}",
            "The {n} heads, ranked by what the translation loses without each; largest: {largest}",
            len(found),
        ).format(n=len(found), largest=names[0]),
        table=lambda: (
            [_("head"), _(EFFECT)],
            [[n, f"{e:.6g}"] for n, e in zip(names, effects, strict=True)],
        ),
        on_pick=lambda: _pick_effect(view, place),
    )


@kept(mebibytes=4)
def effects_of(
    model: "Translator", text: str, ids: tuple[int, ...], specs: Specs, kind: str
) -> list[tuple[int, int, float]]:
    """Layer, head and effect of each head of a kind, the largest effect first, where `specs` are changed anyway."""
    from explainer.whatif.changes import parse
    from explainer.whatif.effects import head_effects

    changes = tuple(map(parse, specs))
    found = head_effects(model.checkpoint.model, model.source_ids(text), ids, kind, changes)  # pyright: ignore[reportArgumentType]
    return [(one.layer, one.head, one.effect) for one in found]


def _pick_effect(view: Translated, place: Place) -> None:
    picked = picked_part("effects", "effect")
    if picked is None:
        return
    layer, head = picked
    spec = f"off:{place.kind}.{layer + 1}.{head + 1}"
    specs = whatif.specs_in_force()
    if spec in specs:
        whatif.set_specs(tuple(one for one in specs if one != spec))
    elif why_not := whatif.refusal(view, spec):
        told = _("Layer {layer}, head {head} cannot be switched off: {reason}.")
        say_once(told.format(layer=layer + 1, head=head + 1, reason=why_not))
    else:
        whatif.set_specs((*specs, spec))


def show(view: Translated, words: Words) -> None:
    """The heads beside each other, what each does, how they are joined, what each is worth."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        place = choose_head(view, choose_kind(_("Where"), "encoder"))
    say_why(view, place)
    pair = chosen_pair(view, place)
    show_heads(view, place, (pair.query, pair.key))
    show_measures(view, place)
    st.caption(words["measures"])
    left, right = st.columns(2, gap="large")
    with left:
        show_effects(view, place, words)
    with right:
        _show_what_if(view, place, words)
    show_joining(view, place, pair, words)


def _show_what_if(view: Translated, place: Place, words: Words) -> None:
    st.markdown(words["what if"])
    layer = f"{place.kind}.{place.layer + 1}"
    for head in range(len(view.trace[f"{place.path}.hook_q"])):
        label = _("Switch off layer {layer}, head {head}").format(layer=place.layer + 1, head=head + 1)
        whatif.offer(view, f"off:{layer}.{head + 1}", label, key=f"if-off-{head}")
    label = _("Switch off all of the layer but layer {layer}, head {head}")
    here = {"layer": place.layer + 1, "head": place.head + 1}
    whatif.offer(view, f"only:{place.spec}", label.format(**here), key="if-only")
    whatif.tell_effect(view, words)


page("multi_head", show, needs=WHOLE_PASS, links=LINKS)
