"""What a change asks of a model: the Transformer has all that is named, and another model's paths serve as well."""

import pytest

from explainer.capture.record import hook_names
from explainer.model.attention import Attend
from explainer.model.blocks import Residual
from explainer.model.config import TransformerConfig
from explainer.model.transformer import Transformer
from explainer.whatif.anatomy import Anatomy, Attention, anatomy_of
from explainer.whatif.attention import HeadOff, MaskCell, NoLookAheadMask, OnlyHead, Unscaled
from explainer.whatif.change import Change, ImpossibleError, Lengths, Where
from explainer.whatif.stream import NoNorm, NoPositions, NoResidual

CONFIG = TransformerConfig(
    vocab_size=31, d_model=24, n_heads=3, d_ff=20, n_encoder_layers=2, n_decoder_layers=1
)
FOREIGN = Anatomy(  # an encoder alone, with names and head counts of its own
    attentions={"encoder": (Attention("block.0.mix", 2, 4), Attention("block.1.mix", 5, 4))},
    residuals={"encoder": ({"self_attention": "block.0.add"}, {})},
    positions={"source": "places.hook_out"},
    words=range(5, 9),
)


def test_the_transformer_has_every_part_that_is_named() -> None:
    model, anatomy = Transformer(CONFIG), anatomy_of(CONFIG)
    attends = {one.attend for layers in anatomy.attentions.values() for one in layers}
    residuals = {path for layers in anatomy.residuals.values() for layer in layers for path in layer.values()}
    modules = dict(model.named_modules())
    assert attends == {name for name, one in modules.items() if isinstance(one, Attend)}
    assert residuals == {name for name, one in modules.items() if isinstance(one, Residual)}
    assert set(anatomy.positions.values()) <= set(hook_names(model))


@pytest.mark.parametrize(
    ("change", "hooks"),
    [
        (Unscaled(Where("encoder")), {"block.0.mix.hook_scores", "block.1.mix.hook_scores"}),
        (HeadOff(Where("encoder", 1, 4)), {"block.1.mix.hook_mixed"}),
        (NoPositions("source"), {"places.hook_out"}),
        (
            NoResidual("encoder", 0, "self_attention"),
            {"block.0.add.hook_update", "block.0.add.hook_sum"},
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
