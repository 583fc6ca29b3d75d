"""What a change asks of a model: its parts, whatever their paths are; what it lacks is refused."""

import pytest

from explainer.model.config import TransformerConfig
from explainer.whatif.attention import HeadOff, MaskCell, NoLookAheadMask, OnlyHead, Unscaled
from explainer.whatif.change import Change, ImpossibleError, Lengths, Where
from explainer.whatif.changes import model_parts
from explainer.whatif.stream import NoNorm, NoPositions, NoResidual
from tests.foreign import OnlyEncoder

SIZES = TransformerConfig(
    vocab_size=9, d_model=12, n_heads=2, d_ff=20, n_encoder_layers=2, n_decoder_layers=2
)
FOREIGN = model_parts(OnlyEncoder(SIZES))


@pytest.mark.parametrize(
    ("change", "hooks"),
    [
        (Unscaled(Where("encoder")), {"looks.0.attend.hook_scores", "looks.1.attend.hook_scores"}),
        (HeadOff(Where("encoder", 1, 1)), {"looks.1.attend.hook_mixed"}),
        (NoPositions("source"), {"words.hook_position"}),
        (NoResidual("encoder", 1, "self_attention"), {"adds.1.hook_update", "adds.1.hook_sum"}),
    ],
    ids=lambda one: getattr(one, "spec", None),
)
def test_a_change_acts_where_the_model_says(change: Change, hooks: set[str]) -> None:
    change.check(FOREIGN, Lengths(3, 3))
    assert set(change.interventions(FOREIGN)) == hooks


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (NoLookAheadMask(), "no decoder self-attention"),
        (MaskCell("cross", 0, 0), "no cross-attention"),
        (OnlyHead(Where("encoder", 0, 2)), "no head 3: 1 to 2"),
        (NoPositions("target"), "unplaced:target: there is no German there, only English"),
        (NoNorm("encoder", 1, "feed_forward"), "no feed-forward"),
    ],
    ids=lambda one: getattr(one, "spec", None),
)
def test_what_a_model_lacks_is_refused(change: Change, reason: str) -> None:
    with pytest.raises(ImpossibleError, match=reason):
        change.check(FOREIGN, Lengths(3, 3))
