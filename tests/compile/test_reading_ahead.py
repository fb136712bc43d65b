"""A program that needs later rows is never compiled as if it did not."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bestiary.compile import Program, Rows, compile_program, input_array, shift, total
from bestiary.compile.from_matrix import matrix
from bestiary.errors import UserError
from bestiary.structured import Permutation

GIVEN = torch.tensor([[[1.0], [2], [3]]], dtype=torch.float64)


def reversal() -> Program:
    """Row t is row 2 - t: shifts by 2, 0 and -2 under masks."""
    u = input_array("u", 1)
    rows = [shift(u, 2 * t - 2) * Rows.window(t, t + 1) for t in range(3)]
    return Program((u,), total(rows), rows=3)


def test_reversing_three_rows_causally_takes_a_delay_of_two() -> None:
    stack = compile_program(reversal()).stack
    assert stack.delay == 2
    with torch.no_grad():
        assert stack(GIVEN)[0, :, 0].tolist() == [3, 2, 1]


def test_what_comes_with_a_delay_is_not_offered_row_by_row() -> None:
    stack = compile_program(reversal()).stack
    assert not stack.causal
    with pytest.raises(UserError, match="read at a delay needs all rows at once"):
        stack.initial_state(1)


def test_a_row_of_a_causal_stack_never_changes_those_before_it() -> None:
    stack = compile_program(reversal()).stack
    changed = GIVEN.clone()
    changed[0, 2] = 100
    with torch.no_grad():
        array, other = ([x[0] for x in arrays(stack, given)] for given in (GIVEN, changed))
    for one, two in zip(array, other, strict=True):
        assert torch.equal(one[:2], two[:2])


def arrays(stack: torch.nn.Module, given: torch.Tensor) -> list[torch.Tensor]:
    from bestiary.compile.verify import layer_outputs

    return list(layer_outputs(stack, given))  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["causal", "circular"])
def test_any_permutation_of_rows_is_right_in_both_modes(mode: str) -> None:
    order = np.random.default_rng(3).permutation(8)
    compiled = matrix(Permutation(order.tolist()), mode=mode)  # type: ignore[arg-type]
    x = torch.arange(8.0, dtype=torch.float64)[None, :, None]
    with torch.no_grad():
        assert compiled.stack(x)[0, :, 0].tolist() == order.tolist()
