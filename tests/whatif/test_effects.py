"""The effect of each head, found in one batched pass, is that of switching the heads off one by one."""

from dataclasses import replace

import pytest

from explainer.equations.output import LOG_PROB, sequence_log_prob
from explainer.measures.anatomy import KINDS, Kind
from explainer.translator.translator import BEAM_4, Translator
from explainer.whatif.changes import parse
from explainer.whatif.effects import head_effects

SENTENCE = "The animal was too tired."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


@pytest.fixture(scope="module")
def ids(translator: Translator) -> tuple[int, ...]:
    return translator.translate(SENTENCE).ids


@pytest.mark.parametrize(
    "specs",
    [(), ("off:cross.3.2", "temperature:encoder.2:0.5", "swap:2.3"), ("unadded:decoder.2.feed_forward",)],
    ids=["alone", "on top of others", "without a residual"],
)
@pytest.mark.parametrize("kind", KINDS)
def test_one_pass_is_switching_off_one_by_one(
    translator: Translator, ids: tuple[int, ...], kind: Kind, specs: tuple[str, ...]
) -> None:
    changes = tuple(map(parse, specs))

    def log_prob(*more: str) -> float:
        changed = (*changes, *map(parse, more))
        trace = translator.trace(SENTENCE, ids, wanted=LOG_PROB.__eq__, changes=changed)
        return sequence_log_prob(trace[LOG_PROB], ids)

    model, whole = translator.checkpoint.model, log_prob()
    found = head_effects(model, translator.source_ids(SENTENCE), ids, kind, changes)
    layers = model.config.n_encoder_layers if kind == "encoder" else model.config.n_decoder_layers
    assert len({(one.layer, one.head) for one in found}) == layers * model.config.n_heads
    for one in found:
        alone = log_prob(f"off:{kind}.{one.layer + 1}.{one.head + 1}")
        assert one.log_prob == pytest.approx(alone, abs=2e-4)
        assert one.effect == pytest.approx(alone - whole, abs=2e-4)


def test_a_target_that_was_cut_pays_for_no_end(translator: Translator) -> None:
    ids = translator.translate(SENTENCE, rules=replace(BEAM_4, max_new_tokens=4)).ids
    found = head_effects(translator.checkpoint.model, translator.source_ids(SENTENCE), ids, "cross")
    for one in found[:2]:
        off = parse(f"off:cross.{one.layer + 1}.{one.head + 1}")
        trace = translator.trace(SENTENCE, ids, wanted=LOG_PROB.__eq__, changes=(off,))
        assert one.log_prob == pytest.approx(sequence_log_prob(trace[LOG_PROB], ids), abs=2e-4)


def test_the_largest_effect_is_first_whatever_its_sign(translator: Translator, ids: tuple[int, ...]) -> None:
    found = head_effects(translator.checkpoint.model, translator.source_ids(SENTENCE), ids, "cross")
    sizes = [abs(one.effect) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0.01


def test_a_head_that_is_off_has_no_effect(translator: Translator, ids: tuple[int, ...]) -> None:
    source = translator.source_ids(SENTENCE)
    found = head_effects(translator.checkpoint.model, source, ids, "encoder", (parse("off:encoder.2.3"),))
    here = next(one for one in found if (one.layer, one.head) == (1, 2))
    assert here.effect == pytest.approx(0, abs=1e-5)
