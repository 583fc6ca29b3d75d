"""Teacher forcing: the model reads the real translation and is asked, at every row, for the token that follows.

What that costs, and how many sentences it gets entirely right, without decoding a single one. `max_tokens` are the
padded positions a side and batch; `autocast` is the precision of the matrix products, None for float32.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from explainer.model.families import Seq2Seq
from explainer.text.tokenizer import PAD_ID
from explainer.train.learning.batches import Batch, Example, collate, token_batches
from explainer.train.learning.loss import cross_entropy


def summed_loss(
    model: Seq2Seq, batch: Batch, *, smoothing: float = 0.0, autocast: torch.dtype | None = None
) -> tuple[Float[Tensor, ""], Float[Tensor, ""], int]:
    """Smoothed cross-entropy and −log p of the labels, both summed (nats), and how many labels there are.

    `batch` is on the device of the model, `smoothing` is ε of the label smoothing.
    """
    with torch.autocast(batch.source.device.type, dtype=autocast, enabled=autocast is not None):
        hidden = model.hidden(batch.source, batch.target)
    real = batch.labels != PAD_ID
    loss, nll = cross_entropy(hidden[real], model.head.table, batch.labels[real], smoothing)
    return loss, nll, int(real.sum())


def teacher_forced_nll(
    model: Seq2Seq,
    examples: Sequence[Example],
    *,
    max_tokens: int = 4096,
    autocast: torch.dtype | None = None,
) -> float:
    """Mean −log p per target token (nats; `</s>` counts as one), without smoothing: exp of it is the perplexity.

    A model without a look-ahead mask reads the very token that it is asked for: its value says nothing about how it
    translates.

    Raises:
        ValueError: the model is in training mode, or there is no example.
    """
    if model.training:
        raise ValueError(
            "the model is in training mode, dropout would blur the loss: call model.eval() first"
        )
    if not examples:
        raise ValueError("examples: none given, so there is no mean")
    total, count = 0.0, 0
    with torch.inference_mode():
        for chosen in token_batches(examples, max_tokens, seed=0, epoch=0):
            batch = collate(chosen).to(model.head.table.device)
            _, nll, n_labels = summed_loss(model, batch, autocast=autocast)
            total, count = total + float(nll), count + n_labels
    return total / count


def exactly_right(
    model: Seq2Seq,
    examples: Sequence[Example],
    *,
    max_tokens: int = 4096,
    autocast: torch.dtype | None = None,
) -> float:
    """Share of the examples whose every label, `</s>` included, is the likeliest token after the right ones before it.

    For these examples, and for no others, greedy search writes the target itself: as long as it has made no error, it
    reads the same tokens as under teacher forcing. A model without a look-ahead mask would read what comes later, too:
    it is asked row by row, and given no more than it would have written itself. It is in eval mode, and there is at
    least one example.
    """
    right = 0
    with torch.inference_mode():
        for chosen in token_batches(examples, max_tokens, seed=0, epoch=0):
            batch = collate(chosen).to(model.head.table.device)
            with torch.autocast(batch.source.device.type, dtype=autocast, enabled=autocast is not None):
                hidden = _hidden(model, batch)
            said = batch.labels.clone()
            real = batch.labels != PAD_ID
            for rows in real.nonzero().split(512):  # a full batch of logits would be large
                row, position = rows.unbind(dim=1)
                said[row, position] = (hidden[row, position].float() @ model.head.table.T).argmax(dim=-1)
            right += int((said == batch.labels).all(dim=1).sum())
    return right / len(examples)


def _hidden(model: Seq2Seq, batch: Batch) -> Float[Tensor, "batch target d_model"]:
    """The decoder's output at every row; row t has seen nothing of the target after its token t."""
    if model.is_causal:
        return model.hidden(batch.source, batch.target)
    lengths = range(1, batch.target.shape[1] + 1)
    return torch.stack([model.hidden(batch.source, batch.target[:, :n])[:, -1] for n in lengths], dim=1)
