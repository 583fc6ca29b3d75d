"""Page: how does it look ahead? Beam search as a tree that grows, on the typed sentence or on a table by hand."""

from dataclasses import replace

import streamlit as st

from explainer.checkpoints import CheckpointError
from explainer.decode.search.rules import BeamRules
from explainer.decode.watched.recording import Forced
from explainer.figures.amounts import count
from explainer.figures.escape import for_markdown, token_label
from explainer.figures.style import change, number
from explainer.files import PRETRAINED
from explainer.language import _, mark
from explainer.pages.beam_search.node import say_node, show_next, show_node_attention, show_sum
from explainer.pages.beam_search.pools import say_penalty, show_adding, show_finished, show_pool
from explainer.pages.beam_search.recorded import Told
from explainer.pages.beam_search.searched import Ground, model_ground
from explainer.pages.beam_search.table import choose_table
from explainer.pages.beam_search.tree import TreeScene, link_forced, scene_of, show_forced, show_tree
from explainer.pages.frame.cut import marked
from explainer.pages.frame.link import link_choice, set_link
from explainer.pages.frame.models import loaded
from explainer.pages.frame.page import NOTHING, TRANSLATION, Needs, Words, page
from explainer.pages.frame.session import Specs, set_sentence, theme
from explainer.pages.frame.share import fragment
from explainer.pages.frame.view import Translated
from explainer.pages.kit.search_rules import choose_rules, forget_refused
from explainer.translator.translator import TooLongError, Translator

LINKS = (
    "search", "table", "rows", "words", "beam", "penalty", "alpha", "limit",
    "stop", "at", "node", "end", "force", "view", "dead", "ghost",
)  # fmt: skip


def say_step(scene: TreeScene) -> None:
    """How many candidates there were, how many were looked at, and what became of them."""
    moment = scene.told.moments[scene.step]
    if moment.report is None:
        name = for_markdown(token_label(scene.told.tree.names[moment.nodes[0].number]).strip())
        told = _("**Step {step}.** Here **{token}** was forced: nothing else runs on.")
        st.markdown(told.format(step=scene.step + 1, token=name))
        return
    report = moment.report
    n_beam, n_vocab = report.beam.frontier.log_probs.shape[1:]
    fates = [node.fate for node in moment.nodes]
    run_on = _("**{n} would run on**") if report.is_last else _("**{n} run on**")
    parts = [run_on.format(n=fates.count("kept"))]
    parts += [_(told).format(n=fates.count(fate)) for fate, told in _FATES if fates.count(fate)]
    told = _(
        "**Step {step}.** {n_beam} × {n_vocab} = **{n} candidates** (hypotheses × vocabulary) compete in one pool. "
        "The best {n_ranked} are ranked: {fates}."
    )
    st.markdown(
        told.format(
            step=scene.step + 1, n_beam=n_beam, n_vocab=count(n_vocab), n=count(report.n_considered),
            n_ranked=len(fates), fates=", ".join(parts),
        )
    )  # fmt: skip


_FATES = (
    ("finished", mark("**{n} finished**")),
    ("cut", mark("**{n} cut at the limit**")),
    ("pruned", mark("**{n} pruned**")),
)


def say_greedy(scene: TreeScene) -> None:
    """What greedy search would have said, and whether the beam found something more probable."""
    said, log_prob = scene.told.greedy
    best = scene.told.recording.finished
    text = for_markdown(scene.ground.sentence(said))
    same = bool(best) and best[0].tokens == said
    ended = bool(said) and said[-1] == scene.ground.end_id
    greedy = number(log_prob, 3)
    sentences = [_("Greedy search would say: {text} (log p {log_p}).")]
    if same:
        sentences.append(_("That is what the beam comes to, too."))
    elif best and best[0].finished and ended:
        greedy, first, gain = change(log_prob, best[0].log_prob, 3)
        gain = gain if gain.startswith("−") else f"+{gain}"
        compared = _("The beam's first has log p {log_p}, {gain} against greedy.")
        sentences.append(compared.format(log_p=first, gain=gain))
    elif best:
        text = marked(text, ended)
        sentences.append(_("What was cut is no sentence: its log p is not compared with the other one's."))
    sentences[0] = sentences[0].format(text=text, log_p=greedy)
    st.caption(" ".join(sentences))


GROUNDS = {
    "translator": mark("the translator"), "table": mark("a table by hand"), "hindi": mark("English → Hindi")
}  # fmt: skip
HINDI_SENTENCE = "I have some money."
_BEFORE_HINDI = "sentence before Hindi"
_FINISHED = 640  # pixels for a long list, about as high as its tree: the rest is scrolled to
NEEDS = {
    "translator": TRANSLATION,
    "table": replace(NOTHING, examples=""),
    "hindi": replace(TRANSLATION, changes=False, examples="try this hindi"),
}


def needs(__: Words) -> Needs:
    """What the page reads: that depends on what is searched."""
    return NEEDS[_choose_ground()]


def show(view: Translated | None, words: Words) -> None:
    """The search in what was chosen."""
    if view is None:
        st.markdown(words["by hand"])
        _table(words)
    elif st.session_state["ground"] == "hindi":
        _hindi(view, words)
    else:
        specs = () if view.compare == "before" else view.specs
        _search("translator", view.model, view.sentence, specs, words)


def _search(name: str, model: Translator, sentence: str, specs: Specs, words: Words) -> None:
    rules = choose_rules(name, model, sentence)
    show_search(model_ground(name, model, sentence, specs, rules.beam_size), rules, words)


def _hindi(view: Translated, words: Words) -> None:
    st.info(words["hindi"], icon=":material/menu_book:")
    try:
        hindi = loaded(PRETRAINED / "hindi")
        hindi.source_ids(view.sentence)
    except CheckpointError as error:
        told = _("**The Hindi model cannot be loaded.** {error}")
        st.error(told.format(error=error), icon=":material/folder_off:")
        return
    except TooLongError as error:
        told = _("**This sentence is too long:** {error}.")
        st.warning(told.format(error=error), icon=":material/straighten:")
        return
    _search("hindi", hindi, view.sentence, (), words)


@fragment
def _table(words: Words) -> None:
    rules = choose_rules("table")
    ground = choose_table(words)
    if ground is not None:
        show_search(ground, rules, words)


@fragment
def show_search(ground: Ground, rules: BeamRules, words: Words) -> None:
    """The tree and its pools; the hypothesis that is looked at: arithmetic, next tokens, attention.

    A fragment in a fragment: a step draws neither the rules nor the table anew.
    """
    forced = link_forced(ground.n_vocab)
    show_forced(ground, forced)
    told = _told(ground, replace(rules, end_id=ground.end_id), forced)
    if told is None:
        return
    scene = scene_of(ground, told, theme())
    say_step(scene)
    left, right = st.columns([4, 1.25], gap="medium")
    with left:
        show_tree(scene, words)
    with (
        right,
        st.container(border=True, key="finished", height=_FINISHED if rules.beam_size > 6 else "content"),
    ):
        show_finished(scene, words)
    say_penalty(scene)
    say_greedy(scene)
    left, right = st.columns([3, 2], gap="large")
    with left:
        say_node(scene)
        show_next(scene, words, forced)
    with right, st.container(key="arithmetic"):
        show_sum(scene, words)
    left, right = st.columns([3, 2], gap="large")
    with left:
        show_pool(scene, words)
        show_adding(scene, words)
    with right:
        show_node_attention(scene, words)


def _told(ground: Ground, rules: BeamRules, forced: tuple[Forced, ...]) -> Told | None:
    """The search; None after saying why there can be none."""
    try:
        return ground.told(rules, forced)
    except ValueError as error:
        if not forced:
            told = _("**This cannot be searched.** {error}.")
            st.error(told.format(error=for_markdown(str(error))), icon=":material/error:")
            return None
        told = _(
            "**What is forced cannot be kept under these rules:** {error}. The search without it is shown."
        )
        st.warning(told.format(error=for_markdown(str(error))))
        return _told(ground, rules, ())


def _choose_ground() -> str:
    """What is searched; stands in the link. Hindi begins with a sentence that its model knows."""
    st.session_state["ground"] = link_choice("search", tuple(GROUNDS), "translator")
    st.segmented_control(
        _("Search in"),
        tuple(GROUNDS),
        key="ground",
        required=True,
        format_func=lambda one: _(GROUNDS[one]),
        on_change=_chose_ground,
        label_visibility="collapsed",
    )
    return st.session_state["ground"]


def _chose_ground() -> None:
    chosen = st.session_state["ground"]
    forget_refused()
    set_link(**{**dict.fromkeys(LINKS), "search": None if chosen == "translator" else chosen})
    sentence, before = st.session_state.get("sentence", ""), st.session_state.pop(_BEFORE_HINDI, None)
    if chosen == "hindi":
        st.session_state[_BEFORE_HINDI] = sentence
        set_sentence(HINDI_SENTENCE)
    elif before is not None and sentence == HINDI_SENTENCE:
        set_sentence(before)  # it was put away, not thrown away


page("beam_search", show, needs=needs, links=LINKS)
