"""What a step of the search did, and what greedy search would have said, in words."""

import streamlit as st

from explainer.figures.escape import for_markdown, token_label
from explainer.figures.style import change, number
from explainer.pages.beam_search_tree import Scene
from explainer.pages.cut import marked


def say_step(scene: Scene) -> None:
    """How many candidates there were, how many were looked at, and what became of them."""
    moment = scene.told.moments[scene.step]
    if moment.report is None:
        name = for_markdown(token_label(scene.told.tree.names[moment.nodes[0].number]).strip())
        st.markdown(f"**Step {scene.step + 1}.** Here **{name}** was forced: nothing else runs on.")
        return
    report = moment.report
    n_beam, n_vocab = report.beam.frontier.log_probs.shape[1:]
    fates = [node.fate for node in moment.nodes]
    runs = "would run on" if report.is_last else "run on"
    parts = [f"**{fates.count('kept')} {runs}**"]
    parts += [f"**{fates.count(fate)} {words}**" for fate, words in _FATES if fates.count(fate)]
    st.markdown(
        f"**Step {scene.step + 1}.** {n_beam} × {_thousands(n_vocab)} = "
        f"**{_thousands(report.n_considered)} candidates** "
        "(hypotheses × vocabulary) compete in one pool. "
        f"The best {len(fates)} are ranked: {', '.join(parts)}."
    )


_FATES = (("finished", "finished"), ("cut", "cut at the limit"), ("pruned", "pruned"))


def _thousands(value: int) -> str:
    return f"{value:,}".replace(",", "\u2009")


def say_greedy(scene: Scene) -> None:
    """What greedy search would have said, and whether the beam found something more probable."""
    said, log_prob = scene.told.greedy
    best = scene.told.recording.finished
    text = for_markdown(scene.ground.sentence(said))
    same = bool(best) and best[0].tokens == said
    ended = bool(said) and said[-1] == scene.ground.end_id
    if same or not best:
        line = f"Greedy search would say: {text} (log p {number(log_prob, 3)})."
        line += " That is what the beam comes to, too." if same else ""
    elif best[0].finished and ended:
        greedy, first, gain = change(log_prob, best[0].log_prob, 3)
        line = f"Greedy search would say: {text} (log p {greedy}). The beam's first has log p {first}, "
        line += f"{'' if gain.startswith('−') else '+'}{gain} against greedy."
    else:
        line = (
            f"Greedy search would say: {marked(text, ended)} (log p {number(log_prob, 3)}). "
            "What was cut is no sentence: its log p is not compared with the other one's."
        )
    st.caption(line)
