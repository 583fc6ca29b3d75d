"""The parts that the pages show put together again: on the real translator they give what its modules computed."""

import numpy as np
import pytest

from explainer.capture.trace import Trace
from explainer.equations.attention import (
    added_by_heads,
    column_in_concat,
    into_head,
    out_of_head,
    place_in_concat,
)
from explainer.measures.anatomy import KINDS, attention_path, n_layers
from explainer.measures.telling import most_telling_term
from explainer.translator.translator import Translator

SENTENCE = "The animal didn't cross the street because it was too tired."


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load()


@pytest.fixture(scope="module")
def trace(translator: Translator) -> Trace:
    return translator.trace(SENTENCE, translator.translate(SENTENCE).ids)


@pytest.fixture(scope="module")
def paths(trace: Trace) -> list[str]:
    found = [attention_path(kind, layer) for kind in KINDS for layer in range(n_layers(trace, kind))]
    assert len(found) == 10
    return found


def test_what_the_heads_add_sums_to_the_output(
    translator: Translator, trace: Trace, paths: list[str]
) -> None:
    for path in paths:
        seen, weights = trace.under(path), translator.parameters
        added = added_by_heads(seen["attend.hook_mixed"], weights[f"{path}.output.weight"])
        whole = added.sum(axis=0) + weights[f"{path}.output.bias"]
        np.testing.assert_allclose(whole, seen["hook_output"], atol=2e-5)


@pytest.mark.parametrize(
    ("name", "hook", "of"), [("query", "q", "x"), ("key", "k", "y"), ("value", "v", "y")]
)
def test_a_head_reads_the_whole_vector_through_its_own_columns(
    translator: Translator, trace: Trace, paths: list[str], name: str, hook: str, of: str
) -> None:
    for path in paths:
        seen, parameters = trace.under(path), translator.parameters
        weight, bias = parameters[f"{path}.{name}.weight"], parameters[f"{path}.{name}.bias"]
        heads = seen[f"hook_{hook}"]
        for head, projected in enumerate(heads):
            columns = into_head(weight, head, len(heads))
            assert columns.shape == (seen[f"hook_{of}"].shape[1], projected.shape[1])
            found = seen[f"hook_{of}"] @ columns + bias.reshape(len(heads), -1)[head]
            np.testing.assert_allclose(found, projected, atol=2e-5)


def test_the_slices_are_a_partition() -> None:
    weight = np.arange(12 * 10, dtype=np.float32).reshape(12, 10)  # torch's [out, in]
    np.testing.assert_array_equal(
        np.concatenate([into_head(weight, h, 3) for h in range(3)], axis=1), weight.T
    )
    np.testing.assert_array_equal(np.concatenate([out_of_head(weight, h, 5) for h in range(5)]), weight.T)
    assert [place_in_concat(column_in_concat(h, d, 7), 7) for h in range(3) for d in range(7)] == [
        (h, d) for h in range(3) for d in range(7)
    ]


def test_the_largest_term_of_a_dot_product() -> None:
    one, other = np.array([3.0, -2.0, 5.0], dtype=np.float32), np.array([2.0, 4.0, -1.0], dtype=np.float32)
    assert most_telling_term(one, other) == 1  # 6, −8, −5
