"""What each head is worth to a translation: its log-probability without that head, all heads in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from explainer.capture.record import Intervention, changed
from explainer.measures.anatomy import Kind
from explainer.text.tokenizer import END_ID, START_ID
from explainer.whatif.changes import Changes, combined, compiled, edited, model_parts


@dataclass(frozen=True, kw_only=True)
class HeadEffect:
    """One head of one kind of attention (layer and head from 0), and log p of the target without it, in nats.

    `effect` is `log_prob` minus log p with the head: below 0 if the target loses probability without it.
    """

    layer: int
    head: int
    log_prob: float
    effect: float


def head_effects(
    model: nn.Module,
    source_ids: Sequence[int],
    target_ids: Sequence[int],
    kind: Kind,
    changes: Changes = (),
) -> list[HeadEffect]:
    """Switch off each head of a kind in turn, on top of `changes`, in eval mode; the largest effect first.

    The sentence stands in the batch once as it is and once for each head; in row 1 + n the n-th head's Z is 0. The
    source has no `</s>`; the target is what the decoder rows predict, `</s>` last unless it was cut.
    """
    anatomy = model_parts(model)
    counts = {path: anatomy.heads[path][0] for path in anatomy.attentions[kind]}
    heads = [(layer, head) for layer, n_heads in enumerate(counts.values()) for head in range(n_heads)]
    source_rows = torch.tensor([[*edited(changes, source_ids), END_ID]]).expand(1 + len(heads), -1)
    target_rows = torch.tensor([[START_ID, *target_ids[:-1]]]).expand(1 + len(heads), -1)
    predicted = torch.tensor(target_ids)
    off = {
        f"{path}.attend.hook_mixed": _one_off_in_each_row(1 + heads.index((layer, 0)), n_heads)
        for layer, (path, n_heads) in enumerate(counts.items())
    }
    acts = combined(compiled(changes, model), off)
    with torch.inference_mode(), changed(model, acts):
        log_probs = model(source_rows, target_rows)  # [batch, target, vocab]
    chosen = log_probs.gather(2, predicted.expand(1 + len(heads), -1)[..., None])
    whole, *without = chosen.squeeze(2).sum(dim=1, dtype=torch.float64).tolist()
    found = [
        HeadEffect(layer=layer, head=head, log_prob=log_prob, effect=log_prob - whole)
        for (layer, head), log_prob in zip(heads, without, strict=True)
    ]
    return sorted(found, key=lambda one: -abs(one.effect))


def _one_off_in_each_row(first: int, n_heads: int) -> Intervention:
    """At `attend.hook_mixed`: head h is 0 in row `first` + h of the batch."""

    def switch_off(mixed: Tensor) -> Tensor:
        less = mixed.clone()
        heads = torch.arange(n_heads)
        less[first + heads, heads] = 0
        return less

    return switch_off
