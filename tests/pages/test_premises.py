"""What the pages ask and hint at holds on the shipped model, or an exercise leads nowhere.

Every line under "find out" and "try this" has its premise here, and further claims of the prose about one model have
theirs. A line is known by its page, section, number and a fingerprint of its words: whoever changes the words is asked
to read the premise again. A model that breaks a premise needs another text.
"""

import functools
import hashlib
import itertools
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from explainer.capture.record import record
from explainer.capture.trace import Trace
from explainer.checkpoints import load_checkpoint
from explainer.decode.search.beam import BeamRules, beam_search, best_hypotheses, first_beam, force, greedy
from explainer.decode.search.exact import ExactRules, ExactStep, exact_search
from explainer.decode.search.prefixes import Hypothesis
from explainer.decode.search.rules import LengthPenalty
from explainer.decode.search.sampling import SampleStep, SamplingRules, sample
from explainer.decode.search.table import EXAMPLES, Rows, row_of
from explainer.decode.sources.batch import source_batch
from explainer.decode.sources.transformer import CachedModel
from explainer.equations.loss import EVERYWHERE, smoothed
from explainer.equations.optimiser import adam, inverse_square_root, peak_of
from explainer.equations.output import entropies, tempered
from explainer.equations.softmax import entropy
from explainer.equations.stream import sinusoids
from explainer.equations.waves import distances, wavelength
from explainer.files import PRETRAINED
from explainer.measures.anatomy import Kind, all_weights, attention_path
from explainer.measures.growth import alignment, evenness
from explainer.measures.heads import Aim, HeadMeasures, all_measures
from explainer.measures.lens import read_layers
from explainer.measures.roles import role_of
from explainer.model.transformer import Transformer
from explainer.pages.beam_search.table import table_of
from explainer.pages.frame.session import _PAGES
from explainer.text.tokenizer import END_ID, START_ID
from explainer.train.learning.loop import Trainer, TrainStep
from explainer.train.learning.request import TrainRequest
from explainer.train.offers.menu import OFFERS, sized
from explainer.train.offers.warmup import load_experiment
from explainer.translator import Translation, Translator
from explainer.translator.moments import KeptMoments, Moment
from explainer.whatif.changes import parse
from explainer.whatif.effects import HeadEffect, head_effects
from explainer.whatif.order import order_test
from tests.pages.test_prose import prose_of
from tests.train.offers.test_failures import SMALL, argmax_of, pairs

PAGES = ("translate", "tokens", "positions", "self_attention", "multi_head", "masks", "blocks", "cross_attention",
         "output_head", "greedy", "beam_search", "strategies", "loss", "schedule", "time_machine", "train",
         "failures")  # fmt: skip
SECTIONS = ("find out", "try this", "try this hindi")
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
MONEY = "I have some money."
FOX = "The quick brown fox jumps over the lazy dog."
GERMANY = "I grew up in Germany. That's why I speak fluent German."
HELLO, SHUFFLED = "Hello! How are you?", "are you how hello"
WATCH, NOT_WATCH = "I love my new watch.", "I didn't like my new watch."
CLOUDS = "The clouds are in the sky."
CHASED = "The dog that chased the dog was tired."
SPILT = "It is no use crying over spilt milk."
COLORLESS = "Colorless green ideas sleep furiously."
PARLIAMENT = "The parliament rejected the amendment by a narrow majority."

Check = Callable[[], None]
Key = tuple[str, str, int]  # page, section, number of the line from 1
PREMISES: dict[Key, tuple[str, Check]] = {}
CLAIMS: dict[tuple[str, str, str], Check] = {}  # page, section, words that stand there


def premise(page: str, section: str, number: int, fingerprint: str) -> Callable[[Check], Check]:
    """What a task or an example takes for granted."""

    def keep(check: Check) -> Check:
        assert (page, section, number) not in PREMISES
        PREMISES[page, section, number] = fingerprint, check
        return check

    return keep


def claim(page: str, section: str, words: str) -> Callable[[Check], Check]:
    """Another sentence of the prose that is about one model."""

    def keep(check: Check) -> Check:
        CLAIMS[page, section, words] = check
        return check

    return keep


def section_of(page: str, section: str) -> str:
    return prose_of(page).partition(f"## {section}\n")[2].partition("\n## ")[0]


def lines() -> Iterator[tuple[Key, str]]:
    """All lines that need a premise."""
    for page in PAGES:
        for section in SECTIONS:
            mark = r"^\d+\. " if section == "find out" else r"^- "
            parts = re.split(mark, section_of(page, section), flags=re.MULTILINE)[1:]
            for number, part in enumerate(parts, 1):
                yield (page, section, number), " ".join(part.split())


def fingerprint_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:6]


LINES = dict(lines())


def test_every_page_is_looked_at() -> None:
    assert {path.parent.name for path in _PAGES.glob("*/en.md")} == set(PAGES)


@functools.cache
def _once(check: Check) -> None:
    """Some lines share a premise."""
    check()


def _lines() -> list[Any]:
    """The keys; of two pages the premises are small trainings."""
    slow = {"train", "failures"}
    return [pytest.param(key, marks=[pytest.mark.slow] if key[0] in slow else []) for key in LINES]


@pytest.mark.parametrize("key", _lines(), ids=lambda key: "-".join(map(str, key)).replace(" ", "-"))
def test_the_premise_of_a_line_holds(key: Key) -> None:
    text = LINES[key]
    assert key in PREMISES, f"no premise is checked of: {text}"
    known, check = PREMISES[key]
    assert fingerprint_of(text) == known, (
        f"new words: read the premise again, then write {fingerprint_of(text)}"
    )
    _once(check)


@pytest.mark.parametrize("key", CLAIMS, ids=lambda key: "-".join(key[:2]).replace(" ", "-"))
def test_what_the_prose_claims_of_the_model_holds(key: tuple[str, str, str]) -> None:
    page, section, words = key
    assert words in " ".join(section_of(page, section).split())
    CLAIMS[key]()


def test_no_premise_is_left_of_a_line_that_is_gone() -> None:
    assert PREMISES.keys() <= LINES.keys()


# What the checks ask of the model


class Run(NamedTuple):
    """A small training."""

    model: Transformer
    reports: list[TrainStep]


@functools.cache
def translator() -> Translator:
    return Translator.load()


@functools.cache
def said(sentence: str, *specs: str) -> Translation:
    return translator().translate(sentence, changes=tuple(map(parse, specs)))


@functools.cache
def traced(sentence: str, *specs: str) -> Trace:
    """The pass under some changes, forced to the translation without them."""
    return translator().trace(sentence, said(sentence).ids, changes=tuple(map(parse, specs)))


def forced(sentence: str, german: str) -> Trace:
    return translator().trace(sentence, translator().checkpoint.tokenizer.encode(german))


def nats(trace: Trace) -> np.ndarray:
    """−log p of the token that each row should predict."""
    log_probs, tokenizer = trace["head.hook_log_probs"], translator().checkpoint.tokenizer
    ids = [tokenizer.pieces(range(log_probs.shape[1])).index(piece) for piece in trace.info.predicted]
    return -log_probs[np.arange(len(ids)), ids]


def log_p(sentence: str, *specs: str) -> float:
    rows = traced(sentence, *specs)["head.hook_log_probs"]
    ids = list(said(sentence).ids)
    return float(rows[np.arange(len(ids)), ids].sum())


@functools.cache
def heads(sentence: str, kind: Kind) -> list[HeadMeasures]:
    return all_measures(traced(sentence), kind)


def most_telling(sentence: str, kind: Kind) -> tuple[int, int]:
    best = max(heads(sentence, kind), key=lambda one: one.telling)
    return best.layer, best.head


@functools.cache
def effects(sentence: str, kind: Kind) -> list[HeadEffect]:
    """The largest first."""
    model, ids = translator().checkpoint.model, said(sentence).ids
    return head_effects(model, translator().source_ids(sentence), ids, kind)


def shares(sentence: str, kind: Kind, aim: Aim) -> list[float]:
    return [one.shares[aim].weight for one in heads(sentence, kind) if aim in one.shares]


def source(sentence: str) -> CachedModel:
    return CachedModel(translator().checkpoint.model, source_batch([translator().source_ids(sentence)]))


@functools.cache
def beam(sentence: str, width: int) -> tuple[Hypothesis, ...]:
    return best_hypotheses(source(sentence), BeamRules(beam_size=width, max_new_tokens=40))


def text_of(found: Hypothesis) -> str:
    return translator().checkpoint.tokenizer.decode(found.words)


def exact(sentence: str, known: Hypothesis | None = None, penalty: LengthPenalty | None = None) -> ExactStep:
    rules = ExactRules(max_new_tokens=40, max_nodes=20_000, penalty=penalty or LengthPenalty())
    *_, last = exact_search(source(sentence), rules, known)
    assert last.outcome == "proved"
    return last


def nothing(sentence: str) -> Hypothesis:
    """The empty sentence."""
    log_prob = float(source(sentence).start().log_probs[0, 0, END_ID])
    return Hypothesis((END_ID,), log_prob, log_prob, finished=True)


@functools.cache
def better_detours(sentence: str, tried: int = 3) -> list[float]:
    """Leads, in nats, of greedy's token where another one leads greedy search to a more probable sentence."""
    found, said_by_greedy = [], greedy(source(sentence), 40)
    for step in range(len(said_by_greedy) - 1):
        reader = source(sentence)
        here = first_beam(reader)
        for token in said_by_greedy.tokens[:step]:
            here = force(reader, here, 0, token)
        row = here.frontier.log_probs[0, 0]
        for token in row.topk(tried).indices.tolist():
            if token in (said_by_greedy.tokens[step], END_ID):
                continue
            start = force(reader, here, 0, token)
            rules = BeamRules(beam_size=1, max_new_tokens=40, early_stopping=True)
            *_, last = beam_search(reader, rules, start)
            if last.finished[0].log_prob > said_by_greedy.log_prob:
                found.append(float(row[said_by_greedy.tokens[step]] - row[token]))
    return found


def sampled(sentence: str, **fields: Any) -> SampleStep:
    *_, last = sample(source(sentence), SamplingRules(max_new_tokens=40, **fields))
    return last


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def pieces(text: str) -> list[str]:
    return translator().checkpoint.tokenizer.pieces(translator().source_ids(text))


def row_that_predicts(trace: Trace, *candidates: str) -> int:
    return next(row for row, piece in enumerate(trace.info.predicted) if piece.strip() in candidates)


# Translate


@premise("translate", "find out", 1, "0b576a")
def _two_words_change() -> None:
    old, new = (said(sentence).text.split() for sentence in (TIRED, WIDE))
    assert len(old) == len(new)
    changed = [(one, other) for one, other in zip(old, new, strict=True) if one != other]
    assert changed[0] == ("es", "sie")
    assert len(changed) == 2
    for sentence in (TIRED, WIDE):  # some head of that row does look at "it", another at the adjective
        trace = traced(sentence)
        row = all_weights(trace, "cross")[:, :, row_that_predicts(trace, "es", "sie")]
        looked_at = {trace.info.source[column].strip() for column in row.argmax(axis=-1).ravel()}
        assert {"it", sentence.split()[-1].rstrip(".")} <= looked_at


@premise("translate", "find out", 2, "2f271d")
def _scores_can_be_added_up() -> None:
    seen = traced(MONEY).under(f"{attention_path('encoder', 0)}")
    q, k = seen["hook_q"][0, 1].astype(float), seen["hook_k"][0, 2].astype(float)
    terms = np.sort(np.abs(q * k))
    assert len(terms) > 5
    assert (q @ k) / math.sqrt(len(q)) == pytest.approx(float(seen["attend.hook_scores"][0, 1, 2]), abs=1e-4)


@premise("translate", "find out", 3, "a12623")
def _some_heads_rest_on_the_start_and_none_on_the_token_before() -> None:
    for sentence in (TIRED, WIDE, FOX):
        assert max(shares(sentence, "decoder", "start")) > 0.5
        assert max(shares(sentence, "decoder", "previous")) < 0.5


@premise("translate", "find out", 4, "f9d81c")
def _the_most_telling_head_is_not_the_most_needed() -> None:
    costly = min(effects(MONEY, "cross"), key=lambda one: one.effect)
    assert costly.effect < -0.5
    telling = most_telling(MONEY, "cross")
    assert (costly.layer, costly.head) != telling
    (effect,) = [one.effect for one in effects(MONEY, "cross") if (one.layer, one.head) == telling]
    assert abs(effect) < 0.05


@premise("translate", "try this", 1, "6de542")
def _two_adjectives_are_inflected() -> None:
    assert {"schnelle", "braune", "faulen"} <= words(said(FOX).text)
    assert set("abcdefghijklmnopqrstuvwxyz") <= set(FOX.lower())


@premise("translate", "try this", 2, "afbc4d")
def _the_pronoun_of_the_animal() -> None:
    assert "weil es " in said(TIRED).text


@premise("translate", "try this", 3, "72178c")
def _the_pronoun_follows() -> None:
    assert "weil sie " in said(WIDE).text


@premise("translate", "try this", 4, "74b75a")
@premise("masks", "try this", 1, "36ec7a")
@premise("blocks", "try this", 2, "0f88a6")
@premise("self_attention", "try this", 3, "3c90b4")
@premise("beam_search", "try this", 2, "b325a9")
def _few_tokens() -> None:
    assert len(pieces(MONEY)) <= 5
    assert len(said(MONEY).ids) <= 6


# Tokens


@premise("tokens", "find out", 1, "4b905c")
def _one_word_three_spellings() -> None:
    lower, upper, plural = (translator().source_ids(word) for word in ("street", "Street", "streets"))
    assert plural[0] == lower[0]
    assert not set(upper) & set(lower)


@premise("tokens", "find out", 2, "83d798")
def _a_piece_of_ten_letters() -> None:
    vocabulary = translator().checkpoint.tokenizer.pieces(
        range(translator().checkpoint.model.config.vocab_size)
    )
    assert any(re.fullmatch(r" [a-z]{10}", piece) for piece in vocabulary)


@premise("tokens", "find out", 3, "985d45")
def _three_words_of_one_token() -> None:
    assert {" Monday", " three", " red"} <= set(pieces("On Monday I saw three red cars."))


@premise("tokens", "find out", 4, "3fe88a")
def _a_cat_in_the_garden() -> None:
    sentence = "My dog sleeps in the garden."
    place = pieces(sentence).index(" dog")
    (cat,) = translator().source_ids("cat")
    old, new = said(sentence).text.split(), said(sentence, f"replace:{place + 1}:{cat}").text.split()
    assert "Katze" in new
    assert sum(one != other for one, other in zip(old, new, strict=True)) > 1  # "Mein" follows


@premise("tokens", "try this", 1, "06722c")
def _every_word_is_one_token() -> None:
    assert [piece.strip() for piece in pieces(TIRED)] == re.findall(r"[\w']+|\.", TIRED)


@premise("tokens", "try this", 2, "8a376b")
def _rare_words_fall_into_pieces() -> None:
    assert len(pieces("grumpy hippopotamus")) > 4


@premise("tokens", "try this", 3, "73e4f0")
def _the_same_word_twice() -> None:
    ids = translator().source_ids("My dog and your dog are dogs.")
    assert ids.count(translator().source_ids("dog")[0]) == 2


@premise("tokens", "try this", 4, "71dc90")
def _no_letter_is_in_the_vocabulary() -> None:
    assert all(re.fullmatch(r"<0x..>|[ !]", piece) for piece in pieces("😀 नमस्ते!"))


@claim(
    "tokens", "careful", "here with a length of about 1, beside positions of $\\sqrt{d_{\\text{model}}/2}$"
)
def _rows_begin_short() -> None:
    config = translator().checkpoint.model.config
    fresh = Transformer(config).source_embedding.state_dict()
    (table,) = [one for name, one in fresh.items() if name.endswith("table")]
    assert float(table.norm(dim=1).mean()) == pytest.approx(1, abs=0.02)
    lengths = np.linalg.norm(traced(MONEY)["source_embedding.hook_position"], axis=1)
    np.testing.assert_allclose(lengths, math.sqrt(config.d_model / 2), rtol=1e-5)


@claim("positions", "sizes", "The rows of $E$ are much shorter here")
def _rows_are_short() -> None:
    for sentence in (TIRED, MONEY):
        seen = traced(sentence)
        rows, places = (
            np.linalg.norm(seen[f"source_embedding.{hook}"], axis=1)
            for hook in ("hook_token", "hook_position")
        )
        assert (rows < places / 4).all()


# Positions


@premise("positions", "find out", 1, "bfca9f")
@premise("positions", "try this", 3, "ac1fd8")
def _the_same_word_at_two_places() -> None:
    seen, dogs = traced(CHASED), [i for i, piece in enumerate(pieces(CHASED)) if piece == " dog"]
    assert len(dogs) == 2
    word, place, both = (
        seen[f"source_embedding.{hook}"][dogs] for hook in ("hook_scaled", "hook_position", "hook_sum")
    )
    np.testing.assert_array_equal(word[0], word[1])
    assert np.abs(place[0] - place[1]).max() > 0.1
    assert np.abs(both[0] - both[1]).max() > 0.1


@premise("positions", "find out", 2, "ab3cd8")
def _some_wave_is_as_long_as_the_sentence() -> None:
    d_model, length = translator().checkpoint.model.config.d_model, len(pieces(TIRED))
    lengths = [wavelength(pair, d_model) for pair in range(d_model // 2)]
    assert lengths[0] < length < lengths[-1]


@premise("positions", "find out", 3, "385ef2")
def _a_position_comes_closer_again() -> None:
    config = translator().checkpoint.model.config
    away = distances(sinusoids(config.max_positions, config.d_model), 0)
    assert (np.diff(away) < 0).any()


@premise("positions", "find out", 4, "f84eb7")
def _without_positions_some_words_survive_and_a_swap_does_nothing() -> None:
    without = said(TIRED, "unplaced:source").text
    assert words(without) & words(said(TIRED).text)
    assert without != said(TIRED).text
    assert said(TIRED, "unplaced:source", "swap:2.6").text == without


@premise("positions", "try this", 1, "9e6db4")
@premise("positions", "try this", 2, "a0a186")
def _the_same_words_in_another_order() -> None:
    one, other = (re.findall(r"\w+", sentence.lower()) for sentence in (HELLO, SHUFFLED))
    assert sorted(one) == sorted(other)
    assert one != other
    assert said(HELLO).text != said(SHUFFLED).text


@premise("positions", "try this", 4, "87bb49")
def _a_capital_letter_is_another_token() -> None:
    assert {" The", " the"} <= set(pieces(CLOUDS))


# Self-attention


@premise("self_attention", "find out", 1, "7dbe23")
def _a_weight_depends_on_the_whole_row() -> None:
    attend = traced(MONEY).under(f"{attention_path('encoder', 0)}.attend")
    scores = attend["hook_masked"][0, 1].astype(float)
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(attend["hook_weights"][0, 1], weights, atol=1e-6)


@premise("self_attention", "find out", 2, "809502")
def _without_the_root_attention_is_sharper() -> None:
    for layer in range(translator().checkpoint.model.config.n_encoder_layers):
        hook = f"{attention_path('encoder', layer)}.attend.hook_weights"
        for head in range(translator().checkpoint.model.config.n_heads):
            old, new = (
                traced(TIRED)[hook][head],
                traced(TIRED, f"unscaled:encoder.{layer + 1}.{head + 1}")[hook][head],
            )
            assert entropy(new).mean() < entropy(old).mean()
            assert new.max(axis=-1).mean() > old.max(axis=-1).mean()


@premise("self_attention", "find out", 3, "ac3291")
def _a_score_for_a_weight_of_nine_tenths() -> None:
    scores = traced(MONEY)[f"{attention_path('encoder', 0)}.attend.hook_scores"][0, 1].astype(float)
    others = np.exp(np.delete(scores, 2)).sum()
    wanted = math.log(9 * others)
    assert abs(wanted) < 1000  # what can be set
    hook = f"{attention_path('encoder', 0)}.attend.hook_weights"
    assert traced(MONEY, f"score:encoder.1.1:2.3:{wanted:g}")[hook][0, 1, 2] == pytest.approx(0.9, abs=1e-3)


@premise("self_attention", "find out", 4, "e2896e")
def _some_head_does_not_look_at_itself() -> None:
    weights = all_weights(traced(TIRED), "encoder")
    away = (weights.argmax(axis=-1) != np.arange(weights.shape[-1])).mean(axis=-1)
    assert away.max() > 0.5
    assert away.min() < 0.5  # it is something to look for


@premise("self_attention", "try this", 1, "5a9eb6")
def _one_head_lets_it_look_at_a_noun() -> None:
    seen = traced(TIRED)
    weights = all_weights(seen, "encoder")[:, :, seen.info.source.index(" it")]
    looked_at = [seen.info.source[column] for column in weights.argmax(axis=-1).ravel()]
    assert 1 <= sum(piece in (" animal", " street") for piece in looked_at) < len(looked_at) / 4


@premise("self_attention", "try this", 2, "00de58")
def _only_the_last_word_differs() -> None:
    one, other = pieces(TIRED), pieces(WIDE)
    assert [i for i, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]] == [len(one) - 2]


@premise("self_attention", "try this", 4, "cf8318")
@premise("multi_head", "try this", 2, "756a16")
def _a_head_looks_at_the_word_before() -> None:
    assert "previous-token head" in {role_of(one, "encoder").name for one in heads(FOX, "encoder")}


# Several heads


@premise("multi_head", "find out", 1, "e6c4d8")
@premise("multi_head", "try this", 1, "f39332")
def _heads_of_one_layer_differ() -> None:
    found = heads(TIRED, "encoder")
    assert any(
        len({role_of(one, "encoder").name for one in found if one.layer == layer}) > 1 for layer in range(4)
    )
    weights = all_weights(traced(TIRED), "encoder").argmax(axis=-1)
    assert (weights[:, 0] != weights[:, 1]).any()


@premise("multi_head", "find out", 2, "73d5c9")
def _words_change_for_one_kind_and_not_for_another() -> None:
    changes = {}
    for kind in ("encoder", "decoder", "cross"):
        worst = effects(TIRED, kind)[0]
        changes[kind] = said(TIRED, f"off:{kind}.{worst.layer + 1}.{worst.head + 1}").text != said(TIRED).text
    assert any(changes.values())
    assert not all(changes.values())


@premise("multi_head", "find out", 3, "306a5a")
def _a_head_without_which_it_is_more_probable() -> None:
    assert max(one.effect for one in effects(TIRED, "encoder")) > 0.01


@premise("multi_head", "find out", 4, "68d7c8")
def _heads_add_unequally() -> None:
    seen = traced(TIRED)
    mixed = seen[f"{attention_path('encoder', 0)}.attend.hook_mixed"][:, 0]
    output = translator().parameters[f"{attention_path('encoder', 0)}.output.weight"]
    d_head = mixed.shape[-1]
    parts = np.array(
        [mixed[head] @ output[:, head * d_head : (head + 1) * d_head].T for head in range(len(mixed))]
    )
    assert len(set(np.abs(parts).argmax(axis=0))) > 1  # not the same head for every column


@premise("multi_head", "try this", 3, "78b80f")
def _a_short_sentence_needs_few_heads() -> None:
    found = [abs(one.effect) for one in effects(MONEY, "encoder")]
    assert sum(one > 0.1 for one in found) < len(found) / 2


# Masks


@premise("masks", "find out", 1, "2b2f76")
@premise("masks", "try this", 3, "edf79d")
def _padding_changes_no_weight() -> None:
    for sentence in (MONEY, HELLO):
        plain, n_pads = traced(sentence), 2
        padded = translator().trace(sentence, said(sentence).ids, padding=n_pads)
        for kind in ("encoder", "decoder", "cross"):
            weights = all_weights(padded, kind)
            rows, columns = all_weights(plain, kind).shape[-2:]
            np.testing.assert_allclose(weights[..., :rows, :columns], all_weights(plain, kind), atol=1e-5)
            assert (weights[..., :rows, columns:] == 0).all()


@premise("masks", "find out", 2, "d1270f")
def _without_the_mask_it_is_disturbed() -> None:
    for sentence in (MONEY, TIRED, HELLO):
        assert log_p(sentence, "ahead") < log_p(sentence) - 1


@premise("masks", "find out", 3, "864583")
def _one_open_cell() -> None:
    seen, opened = traced(MONEY), traced(MONEY, "mask:decoder:2.4")
    differs = np.abs(opened["decoder.hook_final"] - seen["decoder.hook_final"]).max(axis=-1) > 1e-4
    assert differs[1]
    assert not differs[0]


@premise("masks", "try this", 2, "d24108")
def _rows_that_see_the_pronoun() -> None:
    seen = traced(TIRED)
    column = seen.info.target.index(" es")
    allowed = seen[f"{attention_path('decoder', 0)}.attend.hook_mask"][0, :, column]
    assert allowed.tolist() == [row >= column for row in range(len(allowed))]


@claim(
    "masks",
    "careful",
    "*added* to them it would leave the softmax as it was, but float32 rounds the scores away",
)
def _a_large_negative_number() -> None:
    scores = traced(MONEY)[f"{attention_path('encoder', 0)}.attend.hook_scores"][0, 0]
    assert len(set(scores.tolist())) == len(scores)
    assert len(set((scores - np.float32(1e9)).tolist())) == 1
    double = scores.astype(float)
    np.testing.assert_allclose((double - 1e9) - (double[0] - 1e9), double - double[0], atol=1e-5)


# Blocks


@premise("blocks", "find out", 1, "d920eb")
def _what_the_norm_did_and_what_gain_and_bias_did() -> None:
    norm = traced(MONEY).under("encoder.layers.0.self_attention_residual.norm")
    np.testing.assert_allclose(norm["hook_normalized"].mean(axis=-1), 0, atol=1e-5)
    np.testing.assert_allclose(norm["hook_normalized"].var(axis=-1), 1, atol=1e-3)
    assert (np.abs(norm["hook_output"].var(axis=-1) - 1) > 0.05).all()
    assert (np.abs(norm["hook_x"].var(axis=-1) - 1) > 0.05).any()


@premise("blocks", "find out", 2, "fcf567")
def _a_unit_that_is_on_for_one_token() -> None:
    here, there = (
        traced(sentence)["encoder.layers.0.feed_forward.hook_post"] > 0 for sentence in (MONEY, WATCH)
    )
    alone = here.sum(axis=0) == 1
    assert alone.any()
    assert there[:, alone].any()


@premise("blocks", "find out", 3, "f0bc7e")
def _without_a_residual() -> None:
    n_layers = translator().checkpoint.model.config.n_encoder_layers
    first, last = (said(TIRED, f"unadded:encoder.{layer}.self_attention").text for layer in (1, n_layers))
    kept = words(said(TIRED).text)
    assert len(words(last) & kept) < len(words(first) & kept)


@premise("blocks", "try this", 1, "d46053")
def _feed_forward_changes_some_tokens_more() -> None:
    seen, more = traced(TIRED), []
    for layer in range(translator().checkpoint.model.config.n_encoder_layers):
        attention, inner = (
            np.linalg.norm(seen[f"encoder.layers.{layer}.{part}_residual.hook_update"], axis=-1)
            for part in ("self_attention", "feed_forward")
        )
        more += (inner > attention).tolist()
    assert any(more)
    assert not all(more)


@premise("blocks", "try this", 3, "c291b5")
def _the_head_says_the_right_word_late() -> None:
    first, *_, last = read_layers(traced(FOX).beside(translator().parameters), 1).ids[..., 0]
    ids = list(said(FOX).ids)
    assert last.tolist() == ids
    assert first.tolist() != ids


# Cross-attention


@premise("cross_attention", "find out", 1, "35c6ce")
@premise("cross_attention", "try this", 2, "bd9332")
def _an_alignment_in_the_order_of_the_words() -> None:
    weights = all_weights(traced(FOX), "cross")
    largest = weights[:, :, : len(said(FOX).ids) - 1].argmax(axis=-1)
    in_order = (np.diff(largest, axis=-1) >= 0).all(axis=-1) & (largest[..., -1] > 6)
    assert in_order.any()
    assert not in_order.all()


@premise("cross_attention", "find out", 2, "2ed67f")
def _keys_change_with_the_layer_and_the_memory_does_not() -> None:
    seen = traced(MONEY)
    first, second = (seen.under(attention_path("cross", layer)) for layer in (0, 1))
    np.testing.assert_array_equal(first["hook_y"], second["hook_y"])
    assert np.abs(first["hook_k"] - second["hook_k"]).max() > 0.1


@premise("cross_attention", "find out", 3, "fe2a6f")
def _a_few_words_survive_an_even_look() -> None:
    old, new = words(said(FOX).text), words(said(FOX, "uniform:cross").text)
    assert 0 < len(old & new) < len(old)


@premise("cross_attention", "try this", 1, "df7cb3")
def _the_pronouns_row_looks_somewhere() -> None:
    seen = traced(TIRED)
    row = all_weights(seen, "cross")[:, :, row_that_predicts(seen, "es")]
    assert (row.max(axis=-1) > 0.5).any()


@premise("cross_attention", "try this", 3, "06bdc1")
def _a_word_far_away() -> None:
    seen = traced(NOT_WATCH)
    row = seen.info.predicted.index(" nicht")
    weights = all_weights(seen, "cross")[:, :, row]
    looked_at = [seen.info.source[column] for column in weights.argmax(axis=-1).ravel()]
    assert " didn't" in looked_at
    assert row - seen.info.source.index(" didn't") >= 4


@claim("cross_attention", "careful", "Some heads align words, others rest on `</s>`.")
def _heads_of_cross_attention() -> None:
    assert "alignment head" in {role_of(one, "cross").name for one in heads(TIRED, "cross")}
    rest = [
        one
        for one in heads(MONEY, "cross")
        if max(one.shares, key=lambda aim: one.shares[aim].weight) == "end"
    ]
    assert rest


# Output head


@premise("output_head", "find out", 1, "2c621f")
@premise("output_head", "try this", 1, "30ee89")
def _two_pronouns_compete() -> None:
    seen = traced(TIRED)
    row = row_that_predicts(seen, "es")
    log_probs, logits = seen["head.hook_log_probs"][row], seen["head.hook_logits"][row]
    one, other = (translator().checkpoint.tokenizer.encode(word)[0] for word in ("es", "sie"))
    assert np.argsort(-log_probs)[:2].tolist() == [one, other]
    assert math.exp(log_probs[other]) > 0.25
    assert log_probs[one] - log_probs[other] == pytest.approx(float(logits[one] - logits[other]), abs=1e-4)


@premise("output_head", "find out", 2, "8f0181")
def _a_temperature_keeps_the_order() -> None:
    logits = traced(TIRED)["head.hook_logits"][row_that_predicts(traced(TIRED), "es")].astype(float)
    order = [np.argsort(-tempered(logits, one), kind="stable")[:20].tolist() for one in (0.1, 1.0, 3.0)]
    assert order[1] == order[2]
    assert order[0][:2] == order[1][:2]
    assert abs(tempered(logits, 0.1).max() - tempered(logits, 3.0).max()) > 0.5


@premise("output_head", "find out", 3, "03bb41")
def _without_the_last_norm_not_as_with_a_temperature() -> None:
    n_layers = translator().checkpoint.model.config.n_decoder_layers
    old, new = traced(MONEY), traced(MONEY, f"unnormed:decoder.{n_layers}.feed_forward")
    lengths = [np.linalg.norm(seen["head.hook_x"], axis=-1) for seen in (old, new)]
    assert (lengths[1] > lengths[0]).mean() > 0.5
    falls = entropies(new["head.hook_log_probs"]) < entropies(old["head.hook_log_probs"])
    assert 0.5 < falls.mean() < 1
    ranked = [np.argsort(-seen["head.hook_logits"], axis=-1)[:, :10] for seen in (old, new)]
    assert (ranked[0] != ranked[1]).any()  # which dividing by a number never does


@premise("output_head", "try this", 2, "9c6fd6")
def _rows_are_not_equally_sure() -> None:
    surest = np.exp(-nats(traced(WATCH)))
    assert surest.max() - surest.min() > 0.05


@premise("output_head", "try this", 3, "1ff726")
def _after_am() -> None:
    seen = traced(CLOUDS)
    row = seen.info.target.index(" am")
    chances = np.exp(seen["head.hook_log_probs"][row])
    assert (chances > 0.1).sum() == 1


@claim("output_head", "rows", "The two need not agree on which row is least sure.")
def _probability_and_entropy_disagree_somewhere() -> None:
    seen = traced(WATCH)
    assert nats(seen).argmax() != entropies(seen["head.hook_log_probs"]).argmax()


# Greedy


@premise("greedy", "find out", 1, "33d3d8")
def _another_token_leads_to_a_more_probable_sentence() -> None:
    assert better_detours(HELLO)
    assert better_detours("Action gets results.")
    best = exact(MONEY, greedy(source(MONEY), 40)).best
    assert best is not None
    assert best.tokens == greedy(source(MONEY), 40).tokens  # so that no detour at all can be better


@premise("greedy", "find out", 2, "4f6204")
def _the_sum_is_the_logarithm_of_the_product() -> None:
    product = math.prod(math.exp(-one) for one in nats(traced(MONEY)))
    assert math.log(product) == pytest.approx(greedy(source(MONEY), 40).log_prob, abs=1e-4)


@premise("greedy", "find out", 3, "f775d0")
def _a_sentence_of_twice_the_length() -> None:
    short, long = (len(greedy(source(sentence), 40)) for sentence in (WATCH, GERMANY))
    assert long == 2 * short


@premise("greedy", "find out", 4, "ac0bb4")
def _the_cache_must_go() -> None:
    assert parse("ahead").needs_rows
    early = translator().trace(MONEY, said(MONEY).ids[:2], changes=(parse("ahead"),))["decoder.hook_final"]
    late = traced(MONEY, "ahead")["decoder.hook_final"]
    assert np.abs(early[0] - late[0]).max() > 0.1  # a later token changes an earlier row


@premise("greedy", "try this", 1, "12c888")
def _one_choice_is_close() -> None:
    log_probs = -np.sort(-traced(TIRED)["head.hook_log_probs"], axis=-1)
    lead = log_probs[:, 0] - log_probs[:, 1]
    assert (lead < 1).sum() == 1


@premise("greedy", "try this", 2, "8a305f")
def _a_more_probable_sentence() -> None:
    assert better_detours(HELLO)


@premise("greedy", "try this", 3, "685539")
def _a_longer_sentence() -> None:
    assert len(said(GERMANY).ids) > len(said(MONEY).ids)


@claim("greedy", "careful", "*A C B* `</s>` with 0.5 · 0.3 · 0.6 · 0.6 = 0.054 is missed.")
def _four_factors() -> None:
    assert math.prod((0.5, 0.4, 0.4, 0.6)) == pytest.approx(0.048)
    assert math.prod((0.5, 0.3, 0.6, 0.6)) == pytest.approx(0.054)


# Beam search


@premise("beam_search", "find out", 1, "68e59e")
def _sums_along_a_branch() -> None:
    *_, last = beam_search(source(MONEY), BeamRules(beam_size=4, max_new_tokens=40))
    found = last.finished[0]
    assert found.log_prob == pytest.approx(float(-nats(traced(MONEY)).sum()), abs=1e-4)


@premise("beam_search", "find out", 2, "ba28cd")
def _one_beam_is_greedy() -> None:
    assert beam(MONEY, 1)[0].tokens == greedy(source(MONEY), 40).tokens


@premise("beam_search", "find out", 3, "c2d6e2")
def _a_penalty_helps_the_longest() -> None:
    finished = beam(TIRED, 4)
    assert len({len(one) for one in finished}) > 1
    for name in ("huggingface", "gnmt"):
        penalty = LengthPenalty(name, 1.0)
        gains = [penalty.score(one.log_prob, len(one)) / one.log_prob for one in finished]
        assert len(finished[int(np.argmin(gains))]) == max(map(len, finished))


@premise("beam_search", "find out", 4, "e7572d")
def _a_pruned_token_costs_probability() -> None:
    steps = list(beam_search(source(MONEY), BeamRules(beam_size=4, max_new_tokens=40)))
    pruned = int(steps[0].tokens[np.flatnonzero(steps[0].fates == "pruned")[0]])
    reader = source(MONEY)
    start = force(reader, first_beam(reader), 0, pruned)
    *_, last = beam_search(reader, BeamRules(beam_size=4, max_new_tokens=40), start)
    assert last.finished[0].log_prob < beam(MONEY, 4)[0].log_prob


def _by_hand(rows: Rows) -> tuple[str, str]:
    """Greedy search's sentence and the most probable of all, by exact search."""
    example = EXAMPLES["greedy"]
    table = table_of(example.words, rows)
    rules = ExactRules(max_new_tokens=12, end_id=table.end_id)
    *_, last = exact_search(table, rules)
    assert last.outcome == "proved"
    assert last.best is not None
    first = greedy(table, max_new_tokens=12, end_id=table.end_id)
    spelled = (" ".join(table.vocabulary[token] for token in one.tokens) for one in (first, last.best))
    return next(spelled), next(spelled)


@premise("beam_search", "find out", 5, "b3c32f")
def _two_numbers_of_one_row_let_greedy_win() -> None:
    rows = dict(EXAMPLES["greedy"].rows)
    assert _by_hand(rows) == ("A B C </s>", "A C B </s>")
    rows["A", "B"] = (0.1, 0.2, 0.5, 0.2)  # 0.1 from A to C
    assert (
        sum(
            one != other for one, other in zip(rows["A", "B"], EXAMPLES["greedy"].rows["A", "B"], strict=True)
        )
        == 2
    )
    assert _by_hand(rows) == ("A B C </s>", "A B C </s>")


@claim(
    "beam_search",
    "table greedy",
    "Greedy search takes A, B, C, `</s>` with probability 0.048; A, C, B, `</s>` has 0.054.",
)
def _the_table_is_what_its_text_says() -> None:
    example = EXAMPLES["greedy"]
    ends = {prefix: row_of(example.rows, prefix)[-1] for prefix in ((), ("A",), ("B",), ("C",))}
    assert set(ends.values()) == {0.04}
    for width in range(2, 11):
        table = table_of(example.words, example.rows)
        found = best_hypotheses(table, BeamRules(beam_size=width, max_new_tokens=12, end_id=table.end_id))
        probabilities = [math.exp(one.log_prob) for one in found[:2]]
        assert probabilities == pytest.approx([0.5 * 0.3 * 0.6 * 0.6, 0.5 * 0.4 * 0.4 * 0.6])
    for row in example.rows.values():
        assert math.fsum(row) == pytest.approx(1)


@claim("beam_search", "table greedy", "`</s>` alone and A, `</s>` would have 0.10 and beat both.")
def _as_the_book_has_it() -> None:
    rows = dict(EXAMPLES["greedy"].rows) | {(): (0.5, 0.2, 0.2, 0.1), ("A",): (0.1, 0.4, 0.3, 0.2)}
    assert _by_hand(rows)[1] in ("</s>", "A </s>")


@premise("beam_search", "try this", 1, "1da946")
def _two_pronouns_in_the_beam() -> None:
    found = [text_of(one) for one in beam(TIRED, 4)]
    assert {"weil es zu" in one for one in found} == {"weil sie zu" in one for one in found} == {True, False}


@premise("beam_search", "try this", 3, "d40d5d")
def _greedy_and_the_beam_agree() -> None:
    assert beam(GERMANY, 4)[0].tokens == greedy(source(GERMANY), 40).tokens
    assert len(beam(GERMANY, 4)) > 1


@functools.cache
def hindi() -> Translator:
    return Translator.load(PRETRAINED / "hindi")


@premise("beam_search", "try this hindi", 1, "33318b")
def _three_beams_in_hindi() -> None:
    reader = CachedModel(hindi().checkpoint.model, source_batch([hindi().source_ids(MONEY)]))
    assert len(best_hypotheses(reader, BeamRules(beam_size=3, max_new_tokens=40))) == 3


@premise("beam_search", "try this hindi", 2, "c8537a")
def _hindi_says_something() -> None:
    assert hindi().translate("How are you?").text


# Strategies


@premise("strategies", "find out", 1, "2e0afb")
@premise("strategies", "try this", 2, "0bae15")
def _a_search_error_of_four_beams() -> None:
    assert beam(SPILT, 32)[0].log_prob > beam(SPILT, 4)[0].log_prob + 0.05
    assert text_of(beam(SPILT, 32)[0]) != text_of(beam(SPILT, 4)[0])


@premise("strategies", "find out", 2, "688c64")
@premise("strategies", "try this", 4, "4673b1")
def _more_than_one_sentence_is_best_translated_by_nothing() -> None:
    for sentence in (PARLIAMENT, "The committee approved the controversial resolution unanimously."):
        assert exact(sentence, nothing(sentence)).best == nothing(sentence)


@premise("strategies", "find out", 3, "47fff9")
def _a_penalty_makes_exact_search_read_more() -> None:
    for sentence in (MONEY, TIRED):
        known = beam(sentence, 4)[0]
        gnmt = LengthPenalty("gnmt", 0.6)
        scored = replace(known, score=gnmt.score(known.log_prob, len(known)))
        assert exact(sentence, scored, gnmt).n_expanded > exact(sentence, known).n_expanded


@premise("strategies", "find out", 4, "eeb836")
def _the_two_probabilities_part_at_a_high_temperature() -> None:
    for seed in (1, 2, 3):
        cold, hot = (sampled(MONEY, temperature=one, seed=seed) for one in (0.1, 2.0))
        assert abs(hot.drawn_log_prob - hot.log_prob) > abs(cold.drawn_log_prob - cold.log_prob)
        assert cold.drawn_log_prob > cold.log_prob
        assert hot.drawn_log_prob > hot.log_prob


@premise("strategies", "find out", 5, "178052")
def _top_one_is_greedy() -> None:
    for seed in (1, 2):
        assert sampled(TIRED, top_k=1, seed=seed).sampled.tokens == greedy(source(TIRED), 40).tokens


@premise("strategies", "try this", 1, "a1da2a")
def _all_beams_agree() -> None:
    assert len({beam(TIRED, width)[0].tokens for width in (1, 2, 4, 10)}) == 1
    assert sampled(TIRED, seed=1).sampled.tokens != beam(TIRED, 4)[0].tokens  # chance may say something else


@premise("strategies", "try this", 3, "ee11dd")
def _both_errors() -> None:
    assert nothing(COLORLESS).log_prob > beam(COLORLESS, 32)[0].log_prob > beam(COLORLESS, 4)[0].log_prob


@premise("strategies", "try this", 5, "60ff9e")
def _few_prefixes_prove_it() -> None:
    assert exact(MONEY, beam(MONEY, 4)[0]).n_expanded < 20


# Loss


@premise("loss", "find out", 1, "70fa54")
@premise("loss", "try this", 2, "4e0144")
def _a_replaced_noun_is_paid_in_its_row() -> None:
    old = nats(traced(MONEY))
    new = nats(forced(MONEY, "Ich habe etwas Hund."))
    row = row_that_predicts(traced(MONEY), "Geld")
    assert new[row] > old[row] + 5
    assert (new[row + 1 :] - old[row + 1 :] < 0.5).all()
    np.testing.assert_allclose(new[:row], old[:row], atol=1e-4)  # rows before it do not see it


@premise("loss", "find out", 2, "e8afe6")
def _without_smoothing_the_entropy_of_the_target_is_0() -> None:
    q = smoothed(10, 4, 0.0, EVERYWHERE)
    assert sorted(q) == [*[0.0] * 9, 1.0]


@premise("loss", "find out", 3, "8bc6d1")
def _a_row_is_surer_than_its_target() -> None:
    row = int(nats(traced(MONEY)).argmin())
    p = np.exp(traced(MONEY)["head.hook_log_probs"][row].astype(float))
    label = int(said(MONEY).ids[row])
    assert p[label] > smoothed(len(p), label, 0.1, EVERYWHERE)[label]


@premise("loss", "find out", 4, "90dd27")
@premise("loss", "try this", 3, "55051f")
def _a_row_is_worse_than_a_uniform_guess() -> None:
    text = said(CLOUDS).text.rstrip(".")
    costs = nats(forced(CLOUDS, " ".join(reversed(text.split())) + "."))
    guess = math.log(translator().checkpoint.model.config.vocab_size)
    assert (costs > guess).any()
    assert not (costs > guess).all()


@premise("loss", "try this", 1, "a9b64c")
def _one_word_costs_most() -> None:
    costs = nats(traced(TIRED))
    assert costs.argmax() == row_that_predicts(traced(TIRED), "es")
    assert np.sort(costs)[-1] > 2 * np.sort(costs)[-2]


@premise("loss", "try this", 4, "492992")
def _the_formal_form_costs_more() -> None:
    formal = forced(HELLO, "Hallo! Wie geht es Ihnen?")
    assert nats(formal).argmax() == formal.info.predicted.index(" Ihnen")


# The schedule


@premise("schedule", "find out", 1, "ec5895")
def _two_learning_rates() -> None:
    first, peak = inverse_square_root(np.array([1.0, 4000.0]), 512, 4000)
    assert peak / first == pytest.approx(4000)
    assert peak == pytest.approx(1 / math.sqrt(512 * 4000))


@premise("schedule", "find out", 2, "88b3c8")
@premise("schedule", "try this", 3, "146585")
def _four_times_the_warmup_is_half_the_peak() -> None:
    assert peak_of(512, 4000) == pytest.approx(peak_of(512, 1000) / 2)


@premise("schedule", "find out", 3, "768ad8")
def _steady_gradients_make_long_steps() -> None:
    steady, torn = (adam(one, [1.0] * 4)[-1].direction for one in ([1, 1, 1, 1], [1, -1, 1, -1]))
    assert steady == pytest.approx(1)
    assert abs(torn) < 0.2


@premise("schedule", "find out", 4, "5ac78c")
def _without_correction() -> None:
    first, *_, tenth = (one.direction for one in adam([1.0] * 10, [1.0] * 10, corrected=False))
    assert first == pytest.approx(0.1 / math.sqrt(0.02), rel=1e-6)
    assert first < 1 < tenth


@premise("schedule", "find out", 5, "3f048e")
def _four_combinations_were_run() -> None:
    experiment = load_experiment()
    for seed in experiment.seeds:
        losses = {(norm, warm): experiment.run(norm, warm=warm, seed=seed).last_loss
                  for norm in ("post", "pre") for warm in (True, False)}  # fmt: skip
        assert max(losses, key=losses.__getitem__) == ("post", False)


@premise("schedule", "try this", 1, "8df815")
@premise("schedule", "try this", 2, "f801b8")
def _only_the_height_changes() -> None:
    steps = np.array([1.0, 2000.0, 4000.0, 16_000.0])
    ratio = inverse_square_root(steps, 1024, 4000) / inverse_square_root(steps, 512, 4000)
    np.testing.assert_allclose(ratio, math.sqrt(0.5))


@premise("schedule", "try this", 4, "97e89f")
def _a_tiny_model_has_a_high_peak() -> None:
    assert peak_of(64, 100) > 10 * peak_of(512, 4000)


@claim("schedule", "adam betas", "the first step is three times the learning rate")
def _three_times() -> None:
    (first,) = adam([0.3], [1.0], betas=(0.9, 0.999), corrected=False)
    assert first.direction == pytest.approx(3, abs=0.2)


def _key_biases(model: Transformer) -> dict[str, torch.nn.Parameter]:
    return {name: one for name, one in model.named_parameters() if name.endswith("attention.key.bias")}


@claim("schedule", "noise of the keys", "have wandered up to **0.048**")
def _key_biases_have_wandered() -> None:
    fresh = _key_biases(Transformer(translator().checkpoint.model.config))
    assert all(float(one.detach().abs().max()) == 0 for one in fresh.values())
    found = max(
        float(one.detach().abs().max()) for one in _key_biases(translator().checkpoint.model).values()
    )
    assert round(found, 3) == 0.048


@claim(
    "schedule", "noise of the keys", "Put them all back to 0, and no output changes by more than rounding."
)
def _key_biases_do_nothing() -> None:
    model = load_checkpoint(PRETRAINED / "translator").model
    for sentence in (TIRED, MONEY):
        inputs = (
            torch.tensor([[*translator().source_ids(sentence), END_ID]]),
            torch.tensor([[START_ID, *said(sentence).best.words]]),
        )
        with torch.inference_mode():
            before = model(*inputs)
            for one in _key_biases(model).values():
                one.zero_()
            assert float((model(*inputs) - before).abs().max()) < 1e-4


@claim("schedule", "noise of the keys", "its gradient is exactly 0. Computed in float32 it is not")
def _key_biases_have_a_gradient_of_noise() -> None:
    largest = {}
    for kind in (torch.float32, torch.float64):
        torch.manual_seed(1)
        model = Transformer(translator().checkpoint.model.config).to(kind).train(False)
        log_probs = model(torch.tensor([[5, 300, 41, END_ID]]), torch.tensor([[START_ID, 77, 900]]))
        (-log_probs[0, [0, 1, 2], [77, 900, END_ID]].mean()).backward()
        of_keys = max(
            float(one.grad.abs().max()) for one in _key_biases(model).values() if one.grad is not None
        )
        of_all = max(float(one.grad.abs().max()) for one in model.parameters() if one.grad is not None)
        largest[kind] = of_keys / of_all
    assert 0 < largest[torch.float32] < 1e-6
    assert largest[torch.float64] < largest[torch.float32] / 1e6  # more digits, less of it: it is rounding


@claim("schedule", "ours", "those of the shipped translator are the mean of its last five saves")
@claim(
    "time_machine",
    "kept",
    "Its last step is the mean of the weights of five saves, the last of them at that step.",
)
def _five_saves() -> None:
    card = (PRETRAINED / "translator" / "CARD.md").read_text(encoding="utf-8")
    assert "average runs/translator --last 5" in card
    assert KeptMoments.load().steps[-1] == translator().checkpoint.step


# Time machine


@functools.cache
def moments(sentence: str) -> tuple[Moment, ...]:
    kept = KeptMoments.load()
    (pair,) = [one for one in kept.pairs if one.source == sentence]
    return tuple(kept.at(step, pair) for step in kept.steps)


def measures_of(moment: Moment, kind: Kind) -> list[HeadMeasures]:
    return all_measures(moment.trace, kind)


@premise("time_machine", "find out", 1, "60fe1c")
def _an_alignment_appears() -> None:
    for sentence in (TIRED, FOX):
        found = [alignment(measures_of(one, "cross")) for one in moments(sentence)]
        assert max(found[:4]) < 0.25
        assert found[-1] > 0.6


@premise("time_machine", "find out", 2, "233bd8")
def _a_head_that_looks_at_the_token_before_appears() -> None:
    found = [
        max(one.shares["previous"].weight for one in measures_of(moment, "encoder"))
        for moment in moments(FOX)
    ]
    assert found[0] < 0.35
    assert found[-1] > 0.5


@premise("time_machine", "find out", 3, "e70516")
def _cross_attention_begins_even_and_the_encoder_does_not() -> None:
    for sentence in (TIRED, WATCH, FOX):
        start = moments(sentence)[0]
        assert start.step == 0
        assert evenness(measures_of(start, "cross")) > 0.95
        weights = all_weights(start.trace, "encoder")[0]
        assert weights.max(axis=-1).mean() > 2.5 / weights.shape[-1]
    fresh = Transformer(translator().checkpoint.model.config).eval()
    seen = record(
        fresh, torch.tensor([[*translator().source_ids(TIRED), END_ID]]), torch.tensor([[START_ID]])
    )
    layers = [_mean_cosine(seen[f"encoder.layers.{layer}.hook_resid_pre"]) for layer in range(4)]
    assert layers == sorted(layers)  # each layer mixes
    assert _mean_cosine(seen["encoder.hook_memory"]) > 0.8
    assert np.std(seen[f"{attention_path('cross', 0)}.attend.hook_scores"]) > 0.5  # the scores are not small


def _mean_cosine(vectors: np.ndarray) -> float:
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return float((unit @ unit.T)[~np.eye(len(unit), dtype=bool)].mean())


@claim(
    "time_machine",
    "said by the shipped",
    "Untrained, it repeats pieces; then it writes a few words that are frequent anywhere",
)
def _what_it_said() -> None:
    first, *_, last = moments(TIRED)
    assert len(set(first.text.split())) <= 2 < len(first.text.split())
    assert last.text == said(TIRED).text


# Train, and what breaks it: the tasks ask for runs of minutes; here the same happens to smaller ones


@functools.cache
def _run(steps: int, length: int = 5, *, rate: float = 5e-3, seed: int = 1, **fields: Any) -> Run:
    """A small model that learns reversed letters; the other fields are of the trainer or of the model."""
    torch.manual_seed(seed)
    given = {name: fields.pop(name) for name in ("smoothing", "shift_labels") if name in fields}
    model, learnt = Transformer(replace(SMALL, **fields)), pairs(400, length)
    trainer = Trainer(
        model,
        lambda epoch: learnt,
        learning_rate=lambda step: rate,
        max_tokens=300,
        **{"smoothing": 0.0, **given},
    )
    reports = list(itertools.islice(trainer.steps(), steps))
    return Run(model.eval(), reports)


@premise("train", "find out", 1, "aae7f7")
def _some_head_draws_the_other_diagonal() -> None:
    assert "reverse" in OFFERS
    for model in (_run(250).model, _run(250, seed=2).model):
        right = np.zeros(2)
        for one in pairs(20):
            seen = record(
                model, torch.tensor([[*one.source, END_ID]]), torch.tensor([[START_ID, *one.target]])
            )
            looked_at = seen["decoder.layers.0.cross_attention.attend.hook_weights"].argmax(axis=-1)
            right += (looked_at[:, :5] == np.arange(4, -1, -1)).sum(axis=-1)
        assert right.max() > 0.6 * 5 * 20


@premise("train", "find out", 2, "58af9a")
def _a_small_and_a_large_model() -> None:
    assert "sort" in OFFERS
    small, large = (sized(OFFERS["sort"].request, size) for size in ("small", "large"))
    assert small.d_model < large.d_model
    assert small.n_encoder_layers < large.n_encoder_layers


@premise("train", "find out", 3, "d9e677")
def _the_gradient_under_a_rate_of_a_tenth() -> None:
    asked = TrainRequest(corpus="corpus.tsv", warmup=1, peak=0.1)  # or it refuses
    norms, healthy = (
        [one.gradient_norm for one in _run(60, rate=rate).reports] for rate in (asked.peak, 5e-3)
    )
    assert max(norms) / min(norms) > 3 * max(healthy) / min(healthy)


@premise("failures", "find out", 1, "483a42")
def _two_failures_have_the_lowest_loss() -> None:
    """At this size and length of run the third is not ten times lower yet; both have the answer in what they read."""
    healthy, ahead, unshifted = (
        np.mean([one.nll for one in _run(250, 9, **fields).reports[-10:]])
        for fields in ({}, {"look_ahead_mask": False}, {"shift_labels": False})
    )
    assert ahead < healthy / 2
    assert unshifted < healthy / 10


@premise("failures", "find out", 2, "bccf6a")
def _without_positions_letters_change_places_only() -> None:
    model = _run(20, positions="none").model
    assert order_test(model, [5, 7, 9, 11], [1, 0, 2, 3]).with_positions.largest < 1e-5


@premise("failures", "find out", 3, "17ede3")
def _the_likeliest_letter_is_right_and_hardly_likely() -> None:
    found, healthy = _run(400, smoothing=0.9), _run(250)
    right = [np.mean(np.equal(argmax_of(found.model, one), [*one.target, END_ID])) for one in pairs(20)]
    assert np.mean(right) > 0.75
    assert found.reports[-1].nll > 1 > 3 * healthy.reports[-1].nll
