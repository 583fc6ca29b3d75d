"""The form that starts a run: task, size, seed, device, name."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from explainer.figures.escape import for_markdown
from explainer.figures.style import digits
from explainer.files import PRETRAINED
from explainer.language import _, language, mark
from explainer.pages.frame import layout
from explainer.pages.frame.engine import engine
from explainer.pages.frame.link import set_link

if TYPE_CHECKING:
    from explainer.train.learning.request import TrainRequest
    from explainer.train.runs.corpus_upload import OwnCorpus

TRANSLATES = ("classroom", "own")  # tasks that the shipped translator may go on with
OWN_PAIRS, UPLOAD = mark("your own pairs"), mark("a run from a file")


def show_start(words: Mapping[str, str]) -> None:
    """Choose and start."""
    from explainer.train.offers.menu import OFFERS

    st.subheader(_("Start a run"), anchor=False)
    titles = {name: recipe.title for name, recipe in OFFERS.items()} | {OWN_PAIRS: OWN_PAIRS, UPLOAD: UPLOAD}
    task = st.segmented_control(
        _("Task"), list(titles), default="reverse", required=True, key="task",
        format_func=lambda one: _(titles[one]),
    )  # fmt: skip
    if task == UPLOAD:
        _show_upload(words)
    elif task == OWN_PAIRS:
        st.markdown(words["own pairs"])
        _show_own(words)
    else:
        st.caption(_(OFFERS[task].about))
        _show_form(task, OFFERS[task].request, None, words)


def _show_own(words: Mapping[str, str]) -> None:
    from explainer.train.offers.menu import OWN
    from explainer.train.runs.corpus_upload import mixed_in
    from explainer.train.runs.names import RunError

    request = OWN
    try:
        own = _uploaded(_("Sentence pairs: .tsv, .txt, .zip or .gz"), "own-pairs")
        if own is None:
            return
        files = own.files()
        if more := _uploaded(_("More pairs to mix in, if there are any"), "own-mix", words["mix"]):
            asked = _("So many in each epoch × the pairs above")
            share = st.number_input(asked, 0.01, 10.0, 0.1, key="mix-share")
            files, request = files | mixed_in(own, more), replace(OWN, mix="mix.tsv", mix_share=share)
    except RunError as error:
        _say(_("**This file cannot be learnt from:** {error}"), error)
        return
    _show_form("own", request, files, words)


def _uploaded(label: str, key: str, explained: str | None = None) -> "OwnCorpus | None":
    """The pairs of a file, read once, told what was read; RunError if they cannot be learnt from."""
    from explainer.train.runs.corpus_upload import MAX_UPLOAD, check_corpus

    types = ["tsv", "txt", "zip", "gz"]
    file = st.file_uploader(label, types, key=key, help=explained, max_upload_size=MAX_UPLOAD // 2**20)
    if file is None:
        st.session_state.pop(f"read-{key}", None)
        return None
    which = (file.file_id, language())
    if st.session_state.get(f"read-{key}", (None,))[0] != which:
        st.session_state[f"read-{key}"] = which, check_corpus(file.getvalue(), file.name)
    corpus: OwnCorpus = st.session_state[f"read-{key}"][1]
    st.success("\n".join(f"- {for_markdown(line)}" for line in corpus.report))
    return corpus


def _show_form(
    task: str, request: "TrainRequest", files: Mapping[str, bytes] | None, words: Mapping[str, str]
) -> None:
    """Size, seed, device, name and what is rarely changed."""
    import torch

    from explainer.checkpoints import CheckpointError
    from explainer.train.offers.menu import SIZES, continued, sized
    from explainer.train.runs.names import free_name

    devices = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        size = st.segmented_control(
            _("Size"), list(SIZES), default="medium", required=True, key="size", format_func=_
        )
        seed = st.number_input(_("Seed"), 0, 9999, 1, key="seed", width=110)
        device = st.segmented_control(_("Device"), devices, default="cpu", required=True, key="device")
        free = free_name(engine().runs, task)
        name = st.text_input(_("Name"), free, key=f"name-{task}", max_chars=40, width=180)
    chosen = replace(sized(request, size), seed=int(seed))
    go_on = _("Continue from the shipped translator")
    if task in TRANSLATES and st.toggle(go_on, key="continue", help=words["continue"]):
        try:
            chosen = continued(chosen, PRETRAINED / "translator")
        except CheckpointError as error:
            _say(_("**The shipped translator cannot be used:** {error}"), error)
            return
    with st.expander(_("More settings")), st.container(horizontal=True, gap="medium"):
        chosen = replace(
            chosen,
            steps=int(_number(_("Steps"), 10, 100_000, chosen.steps, f"steps-{task}")),
            peak=_number(_("Highest learning rate"), 1e-6, 1.0, chosen.peak, f"peak-{task}", "%.2g"),
            warmup=int(_number(_("Warm-up steps"), 1, 10_000, chosen.warmup, f"warmup-{task}")),
            dropout=_number(_("Dropout"), 0.0, 0.95, chosen.dropout, f"dropout-{task}"),
            smoothing=_number(_("Label smoothing ε"), 0.0, 1.0, chosen.smoothing, f"smoothing-{task}"),
            save_every=int(_number(_("Save every … steps"), 5, 10_000, chosen.save_every, f"save-{task}")),
        )
    st.caption(f"`{_in_words(chosen)}`")
    _show_hints(chosen, words)
    if st.button(_("Start"), type="primary", icon=":material/play_arrow:", key="start"):
        begin(name, task, chosen, device, files)


def _number(label: str, low: float, high: float, value: float, key: str, pattern: str | None = None) -> float:
    """A field whose number is refused by the browser if it is not from `low` to `high`."""
    typed = st.number_input(label, min_value=low, max_value=high, value=value, key=key, format=pattern)
    return value if typed is None else typed


def begin(
    name: str, task: str, request: "TrainRequest", device: str, files: Mapping[str, bytes] | None
) -> None:
    """Hand a run to the engine and show it."""
    from explainer.train.offers.menu import OFFERS
    from explainer.train.runs.names import RunError

    try:
        with st.spinner(_("Writing the corpus …")):
            files = files or OFFERS[task].files(request.seed)
            begun = engine().start(name, request, device=device, files=files)
    except (RunError, ValueError, OSError) as error:
        _say(_("**The run was not started:** {error}"), error)
        return
    set_link(run=begun.name)
    st.rerun()


def _show_upload(words: Mapping[str, str]) -> None:
    from explainer.train.runs.archive import MAX_UPLOAD, unpack_run
    from explainer.train.runs.names import RunError, free_name

    st.markdown(words["upload"])
    file = st.file_uploader(
        _("Run or checkpoint: .zip"), type=["zip"], max_upload_size=MAX_UPLOAD // 2**20, key="run-zip"
    )
    name = st.text_input(_("Name"), free_name(engine().runs, "uploaded"), key="upload-name", max_chars=40)
    if file is not None and st.button(_("Take it in"), type="primary", key="take-in"):
        try:
            taken = unpack_run(engine().runs, file.getvalue(), name)
        except (RunError, OSError) as error:
            _say(_("**This file was refused:** {error}"), error)
            return
        set_link(run=taken.path.name)
        st.rerun()


def _say(told: str, error: Exception) -> None:
    st.error(told.format(error=for_markdown(str(error))))


def _in_words(request: "TrainRequest") -> str:
    from explainer.train.learning.schedule import highest_rate

    told = _(
        "d_model {d_model}, {n_heads} heads, d_ff {d_ff}, {n_encoder} + {n_decoder} layers, {steps} steps of "
        "{positions} positions, learning rate up to {rate}"
    )
    return told.format(
        d_model=request.d_model, n_heads=request.n_heads, d_ff=request.d_ff, n_encoder=request.n_encoder_layers,
        n_decoder=request.n_decoder_layers, steps=f"{request.steps:,}", positions=f"{request.max_tokens:,}",
        rate=digits(highest_rate(request)),
    )  # fmt: skip


def _show_hints(request: "TrainRequest", words: Mapping[str, str]) -> None:
    """What the run will not do, though a setting says so: there are too few steps for it."""
    from explainer.train.learning.schedule import highest_rate, misses_peak

    values = {
        "steps": f"{request.steps:,}", "warmup": f"{request.warmup:,}", "save": f"{request.save_every:,}",
        "peak": digits(request.peak), "reached": digits(highest_rate(request)),
    }  # fmt: skip
    rarely = request.save_every > request.steps
    for is_so, key in ((misses_peak(request), "peak is missed"), (rarely, "saved at the ends")):
        if is_so:
            st.info(layout.filled(words[key], **values), icon=":material/info:")
