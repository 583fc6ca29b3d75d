"""The tree on the page: which step, which part of it is in view, and what the step did, in words."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from explainer.decode.watched.recording import Forced
from explainer.figures.escape import for_markdown
from explainer.figures.style import Theme
from explainer.figures.tree.nodes import GHOST, Viewport
from explainer.figures.tree.overview import overview
from explainer.figures.tree.tree import search_tree
from explainer.language import _, mark, ngettext
from explainer.pages.beam_search.recorded import Tokens, Told, spelled
from explainer.pages.beam_search.searched import Ground
from explainer.pages.frame import layout
from explainer.pages.frame.link import choose, fell_back, link_number, set_link, spelled_number
from explainer.pages.frame.page import Words
from explainer.pages.frame.share import note
from explainer.pages.frame.stepper import stepper

_PATH = re.compile(r"(\d{1,6}(\.\d{1,6})*)?", re.ASCII)
_MOST_PIECES = 12
_ALL = mark("all")
_VIEWS = ("3", "4", "6", "10", _ALL)


def link_path(name: str, n_vocab: int) -> Tokens | None:
    """The tokens that the link names, `12.7.301`; None (said) if it names none."""
    raw = st.query_params.get(name)
    if raw is None:
        return None
    found = _path(raw, n_vocab)
    if found is None:
        expected = _("numbers of tokens below {n} with points between them")
        fell_back(name, raw, expected.format(n=n_vocab))
    return found


def link_forced(n_vocab: int) -> tuple[Forced, ...]:
    """What is forced: `force=12.7:301:5:77` says 301 after 12 7, then, once the search went on with 5, 77."""
    raw = st.query_params.get("force")
    if raw is None:
        return ()
    parts = [_path(part, n_vocab) for part in raw.split(":")]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or len(parts) % 2 or () in known[1::2]:
        fell_back("force", raw, _("beginning:forced tokens, such as {example}").format(example="12.7:301"))
        return ()
    said: Tokens = ()
    found = []
    for free, tokens in zip(known[::2], known[1::2], strict=True):
        found.append(Forced((*said, *free), tokens))
        said = (*said, *free, *tokens)
    return tuple(found)


def link_after(prefix: Tokens, tokens: Tokens, before: tuple[Forced, ...]) -> layout.Said:
    """What the link says when `tokens` are forced after `prefix`; what was forced on other branches is taken back."""
    ways = [(one, (*one.prefix, *one.tokens)) for one in before]
    kept = [one for one, way in ways if prefix[: len(way)] == way]
    return _link_of([*kept, Forced(prefix, tokens)])


def show_forced(ground: Ground, forced: tuple[Forced, ...]) -> None:
    """A chip for each forced token that takes it back, and whatever was forced after it."""
    if not forced:
        return
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="forced"):
        st.markdown(_("**Forced:**"), width="content")
        for i, one in enumerate(forced):
            said = for_markdown(ground.spell(one.tokens) or ground.piece(one.tokens[0]))
            after = for_markdown(ground.spell(one.prefix)) or _("the beginning")
            st.button(
                _("**{token}** after {prefix} ✕").format(token=said, prefix=after),
                key=f"forced-{i}",
                on_click=set_link,
                kwargs=_link_of(forced[:i]),
                help=_("Take it back"),
            )


def offer_to_force(ground: Ground, prefix: Tokens, forced: tuple[Forced, ...], room: int) -> None:
    """A field for a token or word that is to be said after `prefix`, where there is room for so many tokens."""
    bare = st.form("force", border=False, clear_on_submit=True)
    with bare, st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        st.text_input(
            _("Force a token or word here"),
            key="force-text",
            max_chars=40,
            placeholder=_("type it, or click a bar"),
            width=260,
        )
        most = min(_MOST_PIECES, room)
        st.form_submit_button(_("Force it"), on_click=_typed, args=(ground, prefix, forced, most))
    if message := st.session_state.pop("force-refused", None):
        st.error(message)


def _typed(ground: Ground, prefix: Tokens, forced: tuple[Forced, ...], most: int) -> None:
    typed = st.session_state["force-text"] or ""
    try:
        tokens = tuple(ground.encode(typed))
    except ValueError as error:
        st.session_state["force-refused"] = for_markdown(str(error))
        return
    if not tokens:
        st.session_state["force-refused"] = _("Type a token or a word first.")
    elif len(tokens) > most:
        told = ngettext(
            "{typed}: {n} token; there is room for {room}.",
            "{typed}: {n} tokens; there is room for {room}.",
            len(tokens),
        )
        told = told.format(typed=for_markdown(typed), n=len(tokens), room=most)
        st.session_state["force-refused"] = told
    elif ground.end_id in tokens[:-1]:
        st.session_state["force-refused"] = _("Nothing follows the end of a sentence.")
    else:
        set_link(**link_after(prefix, tokens, forced))


def _path(text: str, n_vocab: int) -> Tokens | None:
    if not _PATH.fullmatch(text):
        return None
    tokens = tuple(int(part) for part in text.split(".")) if text else ()
    return tokens if all(token < n_vocab for token in tokens) else None


def _link_of(forced: Sequence[Forced]) -> layout.Said:
    """What the link says of what is forced, each part from the one before on; the rest of it was of another tree."""
    said, parts = 0, []
    for one in forced:
        parts += [spelled(one.prefix[said:]), spelled(one.tokens)]
        said = len(one.prefix) + len(one.tokens)
    return {"force": ":".join(parts) or None, "node": None, "at": None, "end": None}


@dataclass(frozen=True, eq=False)
class TreeScene:
    """What is on the screen.

    Attributes:
        step: The step that the search has come to, from 0.
        tokens: The hypothesis that is looked at.
        is_chosen: Whether the visitor chose it.
        is_first: Whether this is what the page shows first: the whole search, its closest choice in view.
    """

    ground: Ground
    told: Told
    step: int
    tokens: Tokens
    is_chosen: bool
    is_first: bool
    theme: Theme

    @property
    def place(self) -> int:
        """Where the hypothesis is in the tree."""
        place = self.told.place(self.tokens)
        assert place is not None, "it was chosen from the tree"
        return place

    def draw(self, name: str, what: Any, *, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """A figure of this search; drawn before, perhaps."""
        recording = self.told.recording
        key = name, recording.rules, recording.forced, repr(what), self.theme.name
        return self.ground.drawing(*key, make=make)


def scene_of(ground: Ground, told: Told, theme: Theme) -> TreeScene:
    """Step and hypothesis from the link; the best hypothesis of the step while the link names none."""
    at = spelled_number(st.query_params.get("at", ""))
    if at is not None and at > told.n_steps:
        set_link(at=None)  # of a longer search
    named = {"at", "node", "end"} & set(st.query_params)
    step = stepper("at", told.titles, default=told.n_steps - 1)
    tokens = link_path("node", ground.n_vocab)
    if tokens is not None and told.place(tokens) is None:
        set_link(node=None)
        tokens = None
    best = told.best(step)
    first = best[: told.closest + 1] if step == told.n_steps - 1 else None
    is_first = not named or (named == {"at", "node"} and tokens == first)  # so says a copied link
    if is_first:
        tokens = first
    elif tokens is None or not 0 < len(tokens) <= step + 1:
        tokens = best
    tokens = tokens or best
    note("node", spelled(tokens))
    return TreeScene(ground, told, step, tokens, not is_first and tokens != best, is_first, theme)


def show_tree(scene: TreeScene, words: Words) -> None:
    """The tree, what is in view of it, and the strip with the whole of it."""
    count = _choose_view(scene.told)
    shown = _shown(scene, count)
    tree = scene.told.tree
    in_view = {"first": max(shown.first, 1), "last": shown.last}
    alt = _("The search tree after step {step}, steps {first} to {last} in view: {title}")
    layout.figure(
        scene.draw("tree", shown, make=lambda: search_tree(tree, shown, scene.theme)),
        key="tree",
        alt=alt.format(step=scene.step + 1, title=scene.told.titles[scene.step], **in_view),
        table=lambda: _table(scene, shown),
        says=scene.told.link_of,
        part="node",
    )
    st.caption(words["legend"])
    strip = {"first": shown.first, "last": shown.last, "now": scene.step + 1}
    if shown.first > 1 or shown.last < scene.told.n_steps:
        layout.figure(
            scene.draw("overview", strip, make=lambda: overview(tree, scene.theme, **strip)),
            key="overview",
            alt=_("The whole tree in a strip; steps {first} to {last} are in view above").format(**in_view),
            says=lambda level: _of_level(int(level), count, scene.step + 1),
            part="level",
        )
        if "end" in st.query_params:
            again = _("Follow the search again")
            st.button(again, on_click=set_link, kwargs={"end": None}, type="tertiary")


def _choose_view(told: Told) -> int:
    """How many steps are in view, and what of them is drawn; what is drawn stands in the link."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom", key="view"):
        named = {_ALL: _(_ALL)}
        count = choose("view", _("Steps in view"), _VIEWS, "4", format_func=lambda one: named.get(one, one))
        _switch("dead", _("Hide dead branches"), default=told.recording.rules.beam_size > 6)
        _switch("ghost", _("Greedy's path"), default=True)
    return told.n_steps if count == _ALL else min(int(count), told.n_steps)


def _shown(scene: TreeScene, count: int) -> Viewport:
    now = scene.step + 1
    wanted = scene.told.closest + 2 if scene.is_first else now
    last = max(min(wanted, now), count)  # while the link says nothing, what is in view follows the search
    if "end" in st.query_params:
        last = link_number("end", last, count, max(scene.told.n_steps, count))
    return Viewport(
        first=0 if last == count else last - count + 1,
        last=last,
        now=now,
        selected=scene.place,
        without_dead=st.session_state["switch-dead"],
        ghost=st.session_state["switch-ghost"],
    )


def _switch(name: str, label: str, *, default: bool) -> None:
    key = f"switch-{name}"
    raw = st.query_params.get(name)
    on = raw == "on" if raw in ("on", "off") else default
    note(name, "on" if on else "off")
    st.session_state[key] = on
    st.toggle(label, key=key, on_change=_switched, args=(name, key, default))


def _switched(name: str, key: str, default: bool) -> None:
    on = st.session_state[key]
    set_link(**{name: None if on == default else ("on" if on else "off")})


def _of_level(level: int, count: int, now: int) -> layout.Said:
    last = max(count, level + count // 2)
    return {"end": None if last == now else str(last)}


def _table(scene: TreeScene, shown: Viewport) -> layout.Table:
    """All candidates of the steps in view."""
    tree, told = scene.told.tree, scene.told
    places = np.flatnonzero(
        (tree.levels >= max(shown.first, 1)) & (tree.levels <= min(shown.last, shown.now))
    )
    heading = [_("step"), _("rank"), _("hypothesis"), "p", "log p", "Σ log p"]
    heading += [_("score"), _("what became of it")]
    rows: list[list[Any]] = []
    for place in places[np.lexsort((tree.ranks[places], tree.levels[places]))]:
        numbers = np.exp(tree.log_ps[place]), tree.log_ps[place], tree.log_probs[place], tree.scores[place]
        is_ranked = tree.fates[place] not in (GHOST, "forced")
        rows.append(
            [
                tree.levels[place],
                tree.ranks[place] + 1 if is_ranked else "–",
                scene.ground.sentence(told.tokens(int(place))),
                *(f"{value:.6g}" for value in numbers),
                _(tree.fates[int(place)]),
            ]
        )
    return heading, rows
