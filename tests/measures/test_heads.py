"""Measures and roles of heads, on matrices whose answer is known, and against torch."""

import numpy as np
import pytest
import torch
from torch.distributions import Categorical

from explainer.capture.record import record
from explainer.capture.trace import Trace, TraceInfo
from explainer.equations.softmax import entropy
from explainer.measures.anatomy import KINDS, Kind, attention_path
from explainer.measures.growth import alignment, by_position, cosine_matrix, evenness, largest_rise
from explainer.measures.heads import HeadMeasures, all_measures, end_share, is_punctuation, measure
from explainer.measures.roles import role_of
from explainer.model.transformer import Transformer

SOURCE = (" The", " dog", " barks", " loudly", ".", "</s>")
TARGET = ("<s>", " Der", " Hund", " bellt", " laut", ".")
N = len(SOURCE)
BACK = np.tril(np.ones((N, N), dtype=bool))


def in_encoder(weights: np.ndarray) -> HeadMeasures:
    return measure(weights, np.ones((N, N), dtype=bool), SOURCE, SOURCE, same=True)


def in_decoder(weights: np.ndarray) -> HeadMeasures:
    return measure(weights, BACK, TARGET, TARGET, same=True)


def across(weights: np.ndarray) -> HeadMeasures:
    predicted = (*TARGET[1:], "</s>")
    return measure(weights, np.ones((N, N), dtype=bool), predicted, SOURCE, same=False)


def onto(*columns: int) -> np.ndarray:
    """Row i has all its weight on column columns[i]."""
    return np.eye(N)[list(columns)]


def everything_on(column: int, weight: float = 1.0) -> np.ndarray:
    weights = np.full((N, N), (1 - weight) / (N - 1))
    weights[:, column] = weight
    return weights


EVEN = np.full((N, N), 1 / N)
PREVIOUS = onto(0, 0, 1, 2, 3, 4)


def test_a_shifted_identity_is_a_previous_token_head() -> None:
    head = in_encoder(PREVIOUS)
    assert (head.shares["previous"].weight, head.shares["previous"].n_rows) == (
        1.0,
        5,
    )  # row 0 has none before
    assert head.shares["previous"].even == pytest.approx(1 / N)
    assert head.entropy == 0.0
    assert head.distance == pytest.approx(5 / 6)
    assert str(role_of(head, "encoder")) == "previous-token head: 1.00 of the weight on the token before"


def test_an_even_head_has_the_largest_entropy() -> None:
    head = in_encoder(EVEN)
    assert head.entropy == pytest.approx(np.log(N)) == head.even_entropy
    assert head.distance == pytest.approx(np.mean([abs(i - j) for i in range(N) for j in range(N)]))
    assert role_of(head, "encoder").name == "spread"
    for share in head.shares.values():
        assert share.weight == pytest.approx(share.even)


def test_an_even_head_under_the_look_ahead_mask_is_spread_too() -> None:
    """Its first row, which has no choice, does not count."""
    head = in_decoder(BACK / BACK.sum(axis=1, keepdims=True))
    assert head.n_rows == N - 1
    assert head.entropy == pytest.approx(np.mean(np.log(np.arange(2, N + 1)))) == head.even_entropy
    assert head.shares["same"].weight == pytest.approx(np.mean(1 / np.arange(2, N + 1)))
    assert role_of(head, "decoder").name == "spread"


def test_the_next_token_is_no_measure_under_the_look_ahead_mask() -> None:
    head = in_decoder(np.eye(N))
    assert "next" not in head.shares
    assert "end" not in head.shares  # </s> is never an input of the decoder
    assert head.shares["same"].n_rows == N - 1
    role = role_of(head, "decoder")
    assert role.name == "same-token head"
    assert "predicts the one after" in role.reason


@pytest.mark.parametrize(
    ("head", "kind", "name", "evidence"),
    [
        (in_encoder(onto(1, 2, 3, 4, 5, 5)), "encoder", "next-token head", "1.00 of the weight on the token after"),
        (in_encoder(np.eye(N)), "encoder", "same-token head", "1.00 of the weight on the token itself"),
        (in_encoder(everything_on(5, 0.71)), "encoder", "sink", "0.71 of the weight on </s>"),
        (in_encoder(everything_on(4, 0.6)), "encoder", "punctuation head", "0.60 of the weight on punctuation"),
        (in_encoder(everything_on(0)), "encoder", "first-token head", "1.00 of the weight on the first token"),
        (in_decoder(everything_on(0)), "decoder", "sink", "1.00 of the weight on <s>"),
        (in_encoder(onto(2, 3, 0, 1, 4, 5)), "encoder", "word-to-word head", "1.00 of the weight on one other token"),
        (across(everything_on(5, 0.9)), "cross", "sink", "0.90 of the weight on </s>"),
        (across(np.eye(N)), "cross", "alignment head", "1.00 of the weight on one source token"),
        (across(EVEN), "cross", "spread", "entropy 1.79 nats"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_roles(head: HeadMeasures, kind: Kind, name: str, evidence: str) -> None:
    role = role_of(head, kind)
    assert (role.name, role.evidence) == (name, evidence)


def test_a_head_with_two_aims_and_half_of_the_weight_on_neither_is_mixed() -> None:
    head = in_encoder(0.35 * np.eye(N) + 0.35 * onto(1, 2, 3, 4, 5, 5) + 0.3 * onto(2, 2, 2, 2, 2, 2))
    role = role_of(head, "encoder")
    assert role.name == "mixed"
    itself = (4 * 0.35 + 0.65 + 0.7) / 6  # two rows reach themselves in two ways
    assert f"{itself:.2f}, on the token itself" in role.evidence


def test_rows_of_two_tokens_make_no_role_by_chance() -> None:
    """With two tokens to look at, an even spread reaches half of the weight: only far more is a role."""
    weights, keys = np.array([[1.0, 0.0], [0.6, 0.4]]), TARGET[:2]
    head = measure(weights, np.tril(np.ones((2, 2), dtype=bool)), keys, keys, same=True)
    assert head.shares["start"].weight == pytest.approx(0.6)
    assert role_of(head, "decoder").name == "spread"


def test_what_one_row_alone_can_look_at_makes_no_role() -> None:
    """Only the row of the full stop may attend to the full stop."""
    weights = BACK / BACK.sum(axis=1, keepdims=True)
    weights[5] = np.eye(N)[5]
    head = in_decoder(weights)
    assert (head.shares["punctuation"].weight, head.shares["punctuation"].n_rows) == (1.0, 1)
    assert role_of(head, "decoder").name == "mixed"


def test_one_token_alone_leaves_no_choice() -> None:
    one = np.ones((1, 1))
    head = measure(one, one.astype(bool), ["<s>"], ["<s>"], same=True)
    assert (head.n_rows, head.entropy, dict(head.shares)) == (0, 0.0, {})
    assert str(role_of(head, "decoder")) == "no choice"


def test_positions_are_not_compared_across_languages() -> None:
    head = across(np.eye(N))
    assert head.distance is None
    assert not {"previous", "same", "next"} & set(head.shares)


def test_entropy_agrees_with_torch() -> None:
    rows = torch.rand(20, 9, dtype=torch.double) ** 4
    rows = torch.where(rows < 0.1, 0.0, rows) + torch.eye(20, 9) * 0.1
    rows = torch.cat([rows[:9], torch.eye(9, dtype=torch.double)])
    rows /= rows.sum(dim=-1, keepdim=True)
    np.testing.assert_allclose(entropy(rows.numpy()), Categorical(probs=rows).entropy().numpy(), atol=1e-12)


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        *((piece, True) for piece in (".", " „", "…", " €", "'")),
        *((piece, False) for piece in (" a.", "</s>", "<0x2E>", " ", "7")),
    ],
)
def test_what_counts_as_punctuation(piece: str, expected: bool) -> None:
    assert is_punctuation(piece) is expected


@pytest.mark.parametrize("kind", KINDS)
def test_every_head_of_a_model_is_measured_on_its_own_weights(tiny_model: Transformer, kind: Kind) -> None:
    info = TraceInfo(SOURCE, TARGET[:4], TARGET[1:5])
    trace = record(tiny_model, torch.randint(4, 31, (1, N)), torch.randint(4, 31, (1, 4)), info=info)
    heads = all_measures(trace, kind)
    n_layers = 2 if kind == "encoder" else 3
    assert [(one.layer, one.head) for one in heads] == [(la, h) for la in range(n_layers) for h in range(3)]
    for one in heads:
        rows = trace[f"{attention_path(kind, one.layer)}.attend.hook_weights"][one.head]
        choice = rows[1:] if kind == "decoder" else rows
        by_torch = Categorical(probs=torch.tensor(choice)).entropy().mean()
        assert one.entropy == pytest.approx(float(by_torch), abs=1e-5)
        assert role_of(one, kind).reason.endswith(".")
        if kind == "encoder":
            diagonal = [float(rows[i, i - 1]) for i in range(1, N)]
            assert one.shares["previous"].weight == pytest.approx(np.mean(diagonal), rel=1e-5)


def test_a_row_of_cross_attention_is_about_the_token_that_it_predicts() -> None:
    info = TraceInfo((" dog", "</s>"), ("<s>", " Hund"), (" Hund", "</s>"))
    path = attention_path("cross", 0)
    weights = np.array([[[0.9, 0.1], [0.2, 0.8]]])
    trace = Trace(
        {
            f"{path}.attend.hook_weights": weights,
            f"{path}.attend.hook_mask": np.ones_like(weights, dtype=bool),
        },
        info,
    )
    (head,) = all_measures(trace, "cross")
    assert (head.n_words, head.focus) == (1, 0.9)


WORDS = tuple("abcdef")


def measured(weights: np.ndarray) -> list[HeadMeasures]:
    allowed = np.ones(weights.shape, dtype=bool)
    return [measure(weights, allowed, WORDS, WORDS, same=True)]


def test_an_even_look_has_no_neighbour_and_no_choice() -> None:
    heads = measured(np.full((6, 6), 1 / 6))
    np.testing.assert_allclose(evenness(heads), 1.0)
    np.testing.assert_allclose(by_position(heads), 1 / 6, atol=1e-9)
    assert alignment(heads) < 0.1


def test_a_look_at_the_token_before_is_by_position_and_not_even() -> None:
    weights = np.roll(np.eye(6), -1, axis=1)  # row 0 looks at the last token: it has none before
    heads = measured(weights)
    assert by_position(heads) == 1.0
    assert evenness(heads) == 0.0
    assert alignment(heads) == 1.0


def test_cosines_are_torchs() -> None:
    rows, columns = torch.randn(4, 8), torch.randn(3, 8)
    rows[2] = 0
    expected = torch.nn.functional.cosine_similarity(rows[:, None], columns[None], dim=-1)
    np.testing.assert_allclose(cosine_matrix(rows.numpy(), columns.numpy()), expected.numpy(), atol=1e-6)


def test_the_largest_rise() -> None:
    assert largest_rise([0.1, 0.2, 0.7, 0.8]) == 2
    assert largest_rise([0.3]) == 0


KEYS = ["Hello", "</s>"]


def test_the_row_that_predicts_the_end_is_no_sink() -> None:
    weights = np.array([[0.9, 0.1], [0.1, 0.9]], dtype=np.float32)
    found = end_share(weights, weights, np.ones((2, 2), dtype=bool), ["Hallo", "</s>"], KEYS)
    assert found is not None
    assert (found.weight, found.n_rows) == (pytest.approx(0.1), 1)


def test_much_weight_on_a_short_value_is_little_length() -> None:
    weights = np.array([[0.2, 0.8], [0.4, 0.6]], dtype=np.float32)
    lengths = weights * np.array([3.0, 0.5], dtype=np.float32)  # 0.6 and 0.4, 1.2 and 0.3
    found = end_share(weights, lengths, np.ones((2, 2), dtype=bool), ["Guten", " Tag"], KEYS)
    assert found is not None
    assert found.weight == pytest.approx((0.8 + 0.6) / 2)
    assert found.length == pytest.approx((0.4 / 1.0 + 0.3 / 1.5) / 2)


def test_nobody_who_could_look_there() -> None:
    weights = np.eye(2, dtype=np.float32)
    allowed = np.array([[True, False], [True, True]])
    assert end_share(weights, weights, allowed, ["Hello", "</s>"], KEYS) is None
    assert end_share(weights, weights, np.ones((2, 2), dtype=bool), ["a", "b"], ["a", "b"]) is None
    dead = np.zeros((2, 2), dtype=np.float32)  # a head that is switched off adds nothing
    found = end_share(weights, dead, np.ones((2, 2), dtype=bool), ["a", "b"], KEYS)
    assert found is not None
    assert found.length == 0.0
