"""Page: what happens around attention? The residual addition, the layer norm and the feed-forward layer."""

from typing import cast

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.flow.block import TITLES, block_flow
from explainer.figures.style import number
from explainer.language import _
from explainer.measures.anatomy import NAMES, SIDES, Side, Sublayer, parts_of
from explainer.measures.flow import norm, typical, updates
from explainer.measures.sublayers import HIDDEN, has_words, most_changed
from explainer.pages.blocks.arrays import Spot, show_array, show_hidden, show_strips, show_zeros, spot_of
from explainer.pages.blocks.depth import show_depth, show_lens, show_moments
from explainer.pages.frame import layout, whatif
from explainer.pages.frame.link import choose, link_choice, set_link
from explainer.pages.frame.page import WHOLE_PASS, Words, page
from explainer.pages.frame.view import Translated

LINKS = ("side", "layer", "sublayer", "stage", "cell", "unit", "row")


def show(view: Translated, words: Words) -> None:
    """The flow of one sublayer, one of its arrays beside the arithmetic, the norm, the depth, the lens, what if."""
    sublayer, default, best = _choose_sublayer(view)
    arrays = tuple(sublayer.hooks)
    if st.query_params.get("stage") in HIDDEN and not set(HIDDEN) & set(arrays):
        set_link(stage=None)  # only feed-forward has a hidden layer
    array = link_choice("stage", arrays, "sum")
    spot = spot_of(view, sublayer, array, default)
    _say_why(view, spot, default, best)
    st.markdown(words["pre" if sublayer.pre_norm else "post"])
    _show_flow(view, spot)
    choose("stage", _("Show"), arrays, "sum", format_func=TITLES.__getitem__)
    show_array(view, spot, words)
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_strips(view, spot, words)
        if sublayer.name == "feed_forward":
            show_hidden(view, spot, words)
    with right:
        _show_what_if(view, sublayer, words)
        if sublayer.name == "feed_forward":
            show_zeros(view, spot, words)
    show_moments(view, spot, words)
    show_depth(view, spot, words)
    show_lens(view, spot, words)


def _choose_sublayer(view: Translated) -> tuple[Sublayer, int, bool]:
    """Side, layer and sublayer from the link; where a token is changed most while it says nothing.

    The position is the one that it changes most; the last says whether it is the one that changes a token most.
    """
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        forgotten = ("cell", "layer", "sublayer")
        side = cast(Side, choose("side", _("Side"), SIDES, "encoder", forgets=forgotten, format_func=_))
        layers = parts_of(view.before).sublayers[side]
        ratios = updates(view.before, side)  # [layer, sublayer, position]
        pieces = view.tokens.source if side == "encoder" else view.tokens.target
        best = most_changed(ratios, pieces)
        layer = choose("layer", _("Layer"), range(1, len(layers) + 1), best[0] + 1) - 1
        names = tuple(layers[layer])
        default = names[most_changed(ratios, pieces, layer)[1]]
        name = choose("sublayer", _("Sublayer"), names, default, format_func=lambda one: _(NAMES[one]))
    place = most_changed(ratios, pieces, layer, names.index(name))
    return layers[layer][name], place[2], place == best


def _say_why(view: Translated, spot: Spot, most: int, best: bool) -> None:
    """Why this place is shown: how much the sublayer changes the selected token, and which it changes most."""
    x, update = (norm(view.shown[spot.sublayer.hooks[array]]) for array in ("before", "update"))
    side, ratios = spot.sublayer.side, update / x
    rows = [for_markdown(label) for label in spot.rows]
    here = {
        "update": update[spot.row],
        "x": x[spot.row],
        "ratio": ratios[spot.row],
        "median": typical(ratios),
    }
    numbers = {name: number(float(value)) for name, value in here.items()}
    ratio = _(
        "{sublayer}, token {token} {name}: ‖f(x)‖ ÷ ‖x‖ = {update} ÷ {x} = {ratio}; the median of all tokens is "
        "{median}."
    ).format(sublayer=spot.sublayer.words.capitalize(), token=spot.row + 1, name=rows[spot.row], **numbers)
    pieces = view.tokens.source if side == "encoder" else view.tokens.target
    among = _("tokens that are words (without punctuation and special tokens)")
    if not has_words(pieces):
        among = _("tokens (none of them is a word)")
    if spot.row != most:
        told = _("Of all {among}, this sublayer changes {token} {name} most, relative to x.")
    elif not best:
        told = _("Of all {among}, this sublayer changes this one most, relative to x.")
    elif side == "encoder":
        told = _(
            "Shown first: of all {among} and all sublayers of the encoder, this is the largest such ratio."
        )
    else:
        told = _(
            "Shown first: of all {among} and all sublayers of the decoder, this is the largest such ratio."
        )
    sentences = [ratio, told.format(among=among, token=most + 1, name=rows[most])]
    if view.specs:
        sentences.append(_("(Compared without the changes.)"))
    st.caption(" ".join(sentences))


def _show_flow(view: Translated, spot: Spot) -> None:
    hooks = spot.sublayer.hooks.items()
    lengths = {array: float(norm(view.shown[hook])[spot.row]) for array, hook in hooks}
    arrays = list(lengths)
    branch = arrays[1 : arrays.index("sum")]
    changes = () if view.compare == "before" else view.specs
    added, normed = (f"{change}:{spot.sublayer.spec}" not in changes for change in ("unadded", "unnormed"))
    drawing = block_flow(
        lengths, _(NAMES[spot.sublayer.name]), view.theme, array=spot.array, branch=branch,
        role=spot.accent, added=added, normed=normed,
    )  # fmt: skip
    one = _("{array} has length {length}")
    each = [one.format(array=TITLES[array], length=number(length)) for array, length in lengths.items()]
    layout.figure(
        drawing,
        key="block",
        alt=_("The way of token {token} through {sublayer}: {lengths}").format(
            token=spot.row + 1, sublayer=spot.sublayer.words, lengths=", ".join(each)
        ),
        table=lambda: ([_("array"), _("length")], [[TITLES[s], number(v, 4)] for s, v in lengths.items()]),
        says=lambda array: {"stage": array},
        part="stage",
    )


def _show_what_if(view: Translated, sublayer: Sublayer, words: Words) -> None:
    st.markdown(words["what if"])
    unadded = _("No residual here: f(x) replaces x + f(x)")
    whatif.offer(view, f"unadded:{sublayer.spec}", unadded, key="if-unadded")
    whatif.offer(view, f"unnormed:{sublayer.spec}", _("No layer norm here"), key="if-unnormed")
    whatif.tell_effect(view, words)


page("blocks", show, needs=WHOLE_PASS, links=LINKS)
