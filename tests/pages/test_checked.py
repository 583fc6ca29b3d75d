"""What the caption of an equation claims: a line that the program has in the same words is no independent check."""

import re

import numpy as np
import torch

from explainer.capture.record import record
from explainer.equations.catalog import equation_of, explained_hooks
from explainer.equations.decoding import CHOICE, SUM
from explainer.model.transformer import Transformer
from tests.pages.app import MONEY, opened_on

NOT_INDEPENDENT = "nothing independent is checked"


def captions(name: str, **query: str) -> list[str]:
    return [one.value for one in opened_on(name, MONEY, **query).caption]


def test_what_the_program_has_in_the_same_words_is_not_called_checked() -> None:
    assert sum(NOT_INDEPENDENT in one for one in captions("schedule")) == 1
    said = [one for one in captions("greedy") if "greedy.tokens" in one or "greedy.sums" in one]
    assert len(said) == 2
    assert all(NOT_INDEPENDENT in one and "Checked" not in one for one in said)


def test_a_step_of_attention_says_whether_it_is_checked() -> None:
    for step, is_independent in (("3", True), ("4", False), ("5", True)):  # scores, mask, softmax
        seen = captions("self_attention", step=step)
        (said,) = [one for one in seen if re.search(r"tensor|step that makes", one)]
        assert ("Checked:" in said) == is_independent
        assert (NOT_INDEPENDENT in said) != is_independent


def test_what_restates_makes_each_number_of_one_number_and_of_no_weight(tiny_model: Transformer) -> None:
    """The others mix the numbers of a row or read trained weights: there is more to get wrong than one line."""
    source, target = torch.tensor([[5, 9, 7, 2]]), torch.tensor([[1, 8, 6]])
    trace = record(tiny_model, source, target)
    weights = {
        name: one.detach().numpy() for name, one in tiny_model.named_parameters(remove_duplicate=False)
    }
    seen_all = trace.beside(weights)
    wrong: set[str] = set()
    for hook in explained_hooks(trace):
        explained = equation_of(hook, trace.info.modules)
        assert explained is not None
        one, seen = explained.equation, explained.seen(seen_all)
        operands = [np.array(operand) for operand in one.operands(seen)]
        before = one.compute(*operands)
        operands[0][(-1,) * operands[0].ndim] += 1.5
        n_moved = int((one.compute(*operands) != before).sum())
        reads_weights = any(f"{explained.module}.{name}".lstrip(".") in weights for name in one.reads)
        by_one_line = n_moved <= 1 and before.size == operands[0].size and not reads_weights
        if one.restates != by_one_line:
            wrong.add(hook.rpartition(".")[2])
    assert wrong == {"hook_position"}  # it reads no more than the shape, and is compared with a table
    assert CHOICE.restates
    assert SUM.restates
