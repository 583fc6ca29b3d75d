"""What a change asks of a model: its parts, whatever their paths are; what it lacks is refused."""

import pytest

from explainer.measures.anatomy import Anatomy, Sublayer
from explainer.whatif.attention import HeadOff, MaskCell, NoLookAheadMask, OnlyHead, Unscaled
from explainer.whatif.change import Change, ImpossibleError, Lengths, Where
from explainer.whatif.stream import NoNorm, NoPositions, NoResidual

FIRST = Sublayer("encoder", 0, "self_attention")
FOREIGN = Anatomy(  # an encoder alone, with names and head counts of its own
    attentions={"encoder": ("block.0.mix", "block.1.mix")},
    sublayers={"encoder": ({"self_attention": FIRST}, {})},
    positions={"source": "places.hook_out"},
    heads={"block.0.mix": (2, 4), "block.1.mix": (5, 4)},
    words=range(5, 9),
)


@pytest.mark.parametrize(
    ("change", "hooks"),
    [
        (Unscaled(Where("encoder")), {"block.0.mix.attend.hook_scores", "block.1.mix.attend.hook_scores"}),
        (HeadOff(Where("encoder", 1, 4)), {"block.1.mix.attend.hook_mixed"}),
        (NoPositions("source"), {"places.hook_out"}),
        (
            NoResidual("encoder", 0, "self_attention"),
            {f"{FIRST.residual}.hook_update", f"{FIRST.residual}.hook_sum"},
        ),
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
