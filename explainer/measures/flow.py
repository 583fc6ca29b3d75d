"""The numbers of the flow map: what one translation looks like inside, small enough for one picture."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from explainer.capture.trace import Trace
from explainer.equations.output import LOG_PROB
from explainer.language import _
from explainer.measures.anatomy import EMBEDDINGS, ENDS, KINDS, NAMES, Kind, Side, all_weights, parts_of

_HOOKS = (  # the ends of the names of what is read
    *(f"{path}.hook_{stage}" for path in EMBEDDINGS.values() for stage in ("scaled", "position")),
    *(f"{name}.hook_output" for name in NAMES),
    *(".attend.hook_weights", ".hook_post", ".hook_before", ".hook_sum", ".hook_after"),
    *(*ENDS.values(), LOG_PROB),
)


def flow_hooks(name: str) -> bool:
    """Whether `flow_numbers` reads the hook of this name: the predicate for `record`."""
    return name.endswith(_HOOKS)


@dataclass(frozen=True, kw_only=True)
class FlowNumbers:
    """What the flow map draws. Decoder row t holds the input token t and predicts `predicted[t]`.

    The target has `<s>` first, the source `</s>` last. An embedding is √d_model · E and a position is PE, of both
    only the `dimensions` that a strip shows, of d_model. A stream is ‖x‖: the input; after each sublayer x+f(x), then
    what the next sublayer receives; last the memory, in the decoder what the output head receives. Weights are of the
    head `head` (from 0), or the mean of all n_heads if it is None; updates ‖f(x)‖ / ‖x‖ of each sublayer, in the
    order of the pass; active is the share of the feed-forward neurons that ReLU lets through. Candidates are the k
    most probable of the vocab_size next tokens of each row, best first; `chosen` is the probability of `predicted`
    (chosen, or the reference's).
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    predicted: tuple[str, ...]
    predicted_ids: tuple[int, ...]
    source_embedding: Float[np.ndarray, "source cell"]
    source_position: Float[np.ndarray, "source cell"]
    target_embedding: Float[np.ndarray, "target cell"]
    target_position: Float[np.ndarray, "target cell"]
    source_stream: Float[np.ndarray, "encoder_station source"]
    target_stream: Float[np.ndarray, "decoder_station target"]
    encoder_weights: Float[np.ndarray, "encoder_layer source source"]
    decoder_weights: Float[np.ndarray, "decoder_layer target target"]
    cross_weights: Float[np.ndarray, "decoder_layer target source"]
    encoder_updates: Float[np.ndarray, "encoder_layer 2 source"]
    decoder_updates: Float[np.ndarray, "decoder_layer 3 target"]
    encoder_active: Float[np.ndarray, "encoder_layer source"]
    decoder_active: Float[np.ndarray, "decoder_layer target"]
    candidates: tuple[tuple[str, ...], ...]
    candidate_ids: Int[np.ndarray, "target k"]
    probabilities: Float[np.ndarray, "target k"]
    chosen: Float[np.ndarray, " target"]
    head: int | None
    n_heads: int
    dimensions: tuple[int, ...]
    d_model: int
    vocab_size: int


def flow_numbers(
    trace: Trace,
    *,
    predicted_ids: Sequence[int],
    piece: Callable[[int], str],
    head: int | None = None,
    k: int = 8,
    cells: int = 12,
) -> FlowNumbers:
    """Read them off a trace of one sentence, which must hold what `flow_hooks` asks for.

    `piece` is token id → vocabulary entry; without a `head`, weights are the mean of all. There are k candidates per
    row; an embedding strip shows `cells` values of a vector, evenly spread over its dimensions.

    Raises:
        ValueError: there is not one predicted id per decoder row.
        KeyError: a hook was not recorded.
    """
    log_probs = trace[LOG_PROB]  # [target, vocab]
    chosen_ids = np.asarray(predicted_ids, dtype=np.int64)
    if chosen_ids.shape != log_probs.shape[:1]:
        raise ValueError(
            f"{chosen_ids.size} predicted ids for {len(log_probs)} decoder rows: expected one per row"
        )
    best = top(log_probs, k)
    source, target = (trace.under(path) for path in EMBEDDINGS.values())
    d_model = source["hook_scaled"].shape[-1]
    dimensions = np.linspace(0, d_model - 1, min(cells, d_model)).round().astype(np.int64)

    weights = {kind: all_weights(trace, kind) for kind in KINDS}

    def chosen_weights(kind: Kind) -> np.ndarray:
        return weights[kind].mean(axis=1) if head is None else weights[kind][:, head]

    return FlowNumbers(
        source=trace.info.source,
        target=trace.info.target,
        predicted=tuple(piece(int(i)) for i in chosen_ids),
        predicted_ids=tuple(int(i) for i in chosen_ids),
        source_embedding=source["hook_scaled"][:, dimensions],
        source_position=source["hook_position"][:, dimensions],
        target_embedding=target["hook_scaled"][:, dimensions],
        target_position=target["hook_position"][:, dimensions],
        source_stream=stream(trace, "encoder"),
        target_stream=stream(trace, "decoder"),
        encoder_weights=chosen_weights("encoder"),
        decoder_weights=chosen_weights("decoder"),
        cross_weights=chosen_weights("cross"),
        encoder_updates=updates(trace, "encoder"),
        decoder_updates=updates(trace, "decoder"),
        encoder_active=active(trace, "encoder"),
        decoder_active=active(trace, "decoder"),
        candidates=tuple(tuple(piece(int(i)) for i in row) for row in best),
        candidate_ids=best,
        probabilities=np.exp(np.take_along_axis(log_probs, best, axis=-1)),
        chosen=np.exp(log_probs[np.arange(len(chosen_ids)), chosen_ids]),
        head=head,
        n_heads=weights["encoder"].shape[1],
        dimensions=tuple(dimensions.tolist()),
        d_model=d_model,
        vocab_size=log_probs.shape[-1],
    )


def stream(trace: Trace, side: Side) -> Float[np.ndarray, "station position"]:
    """‖x‖ at the input, after each addition and each normalisation, and at the end of the stack."""
    sublayers = [one for layer in parts_of(trace).sublayers[side] for one in layer.values()]
    names = [f"{one.residual}.hook_{array}" for one in sublayers for array in ("sum", "after")]
    return np.stack([norm(trace[name]) for name in (sublayers[0].reads, *names, ENDS[side])])


def updates(trace: Trace, side: Side) -> Float[np.ndarray, "layer sublayer position"]:
    """‖f(x)‖ / ‖x‖: how much a sublayer adds, relative to the stream it adds to."""
    ratios = [
        [
            norm(trace[f"{one.path}.hook_output"]) / norm(trace[f"{one.residual}.hook_before"])
            for one in layer.values()
        ]
        for layer in parts_of(trace).sublayers[side]
    ]
    return np.array(ratios)


def typical(
    values: Float[np.ndarray, "*places position"],
) -> Float[np.ndarray, "*places"]:
    """The median over the tokens: unlike a mean it is not made by a single one, such as `</s>`."""
    return np.asarray(np.median(values, axis=-1))


def active(trace: Trace, side: Side) -> Float[np.ndarray, "layer position"]:
    """Share of the hidden neurons of each feed-forward layer that are above zero after ReLU."""
    layers = parts_of(trace).sublayers[side]
    return np.stack([(trace[layer["feed_forward"].hooks["relu"]] > 0).mean(axis=-1) for layer in layers])


def top(values: Float[np.ndarray, "row column"], k: int) -> Int[np.ndarray, "row k"]:
    """The columns of the k largest values of each row, largest first; the lower column first among equals."""
    k = min(k, values.shape[-1])
    found = np.sort(np.argpartition(-values, k - 1, axis=-1)[:, :k], axis=-1)
    order = np.argsort(-np.take_along_axis(values, found, axis=-1), axis=-1, kind="stable")
    return np.take_along_axis(found, order, axis=-1)


def norm(vectors: Float[np.ndarray, "position d_model"]) -> Float[np.ndarray, " position"]:
    """Euclidean length of each row."""
    return np.sqrt(np.square(vectors).sum(axis=-1))


def stream_table(numbers: FlowNumbers) -> tuple[list[str], list[list[str]]]:
    """Heading and rows of the map's upper bands: ‖x‖ of each source token, before the first and after each sublayer."""
    n_layers = len(numbers.encoder_weights)
    names = _("layer {layer} attention"), _("layer {layer} feed-forward")
    sublayers = [name.format(layer=i + 1) for i in range(n_layers) for name in names]
    heading = [_("‖x‖ of"), _("input"), *sublayers]
    after = numbers.source_stream[
        [0, *range(2, 2 * len(sublayers) + 1, 2)]
    ]  # without the sums before the norm
    columns = zip(numbers.source, after.T.tolist(), strict=True)
    return heading, [[token.strip(), *(f"{length:.3f}" for length in lengths)] for token, lengths in columns]
