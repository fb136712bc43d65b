from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from bestiary.cli.verify import sentences
from bestiary.compile import (
    Compiled,
    Program,
    compile_program,
    constant_array,
    conv,
    input_array,
    linear,
)
from bestiary.compile.verify import agree, relative_error, verify
from bestiary.errors import UserError


def made() -> Compiled:
    u = input_array("u", 2)
    lagged = conv({1: 2.0}, u).named("lagged")
    product = (u * lagged).named("product")
    return compile_program(Program((u,), conv({1: 1.0}, product).named("late"), rows=5))


def meant(x: Tensor) -> Tensor:
    """By hand: late[t] = 2 x[t-1] x[t-2]."""
    y = torch.zeros_like(x)
    y[:, 2:] = 2 * x[:, 1:-1] * x[:, :-2]
    return y


def test_a_right_stack_agrees_with_its_reference_and_says_how_well() -> None:
    compiled = made()
    assert agree(compiled.stack, meant, 5, 2) <= 1e-15
    found = verify(compiled.stack, meant, 5, 2, compiled=compiled)
    assert found.ok and found.first is None
    assert 0 < max(found.float32_errors.values()) < 1e-5
    assert [layer.layer for layer in found.layers] == list(range(len(compiled.stack.layers) + 1))


def test_a_wrong_reference_is_refused_with_the_number_and_the_input() -> None:
    with pytest.raises(UserError, match=r"differs from its reference by 5\.00e-01.*'normal'"):
        agree(made().stack, lambda x: 2 * meant(x), 5, 2)


def test_the_first_wrong_value_is_named_with_its_place() -> None:
    compiled = made()
    broken = copy.deepcopy(compiled.stack)
    place = next(i for i, cells in enumerate(names(compiled)) if "product.1" in cells)
    channel = names(compiled)[place]["product.1"]
    filter_ = broken.layers[place].filter
    with torch.no_grad():
        filter_.values[filter_.at == channel] *= 3  # type: ignore[operator,index]
    found = verify(broken, meant, 5, 2, compiled=compiled)
    assert not found.ok and found.first is not None
    assert (found.first.value, found.first.layer) == ("product.1", place + 1)
    assert found.first.found == pytest.approx(3 * found.first.expected)


def names(compiled: Compiled) -> list[dict[str, int]]:
    cells = [value for value in compiled.placed if value.operation == "cell"]
    layers: list[dict[str, int]] = [{} for _ in compiled.stack.layers]
    for cell in cells:
        layers[cell.layer - 1][cell.name] = cell.channel  # type: ignore[attr-defined]
    return layers


def test_numbers_that_float32_cannot_hold_are_reported() -> None:
    u = input_array("u", 1)
    y = u
    for _ in range(5):
        y = y * y * 1e3
    compiled = compile_program(Program((u,), y, rows=1))

    def reference(x: Tensor) -> Tensor:
        out = x
        for _ in range(5):
            out = out * out * 1e3
        return out

    found = verify(compiled.stack, reference, 1, 1, compiled=compiled)
    assert found.ok and found.overflows
    assert not max(found.float32_errors.values()) <= 1e-3


def test_a_relative_error_is_to_the_largest_output() -> None:
    found, expected = torch.tensor([1.0, 10.5]), torch.tensor([1.0, 10.0])
    assert relative_error(found, expected) == pytest.approx(0.05)
    assert relative_error(torch.tensor([0.25]), torch.zeros(1)) == 0.25
    assert np.isnan(relative_error(torch.tensor([torch.nan]), torch.ones(1)))


@pytest.mark.parametrize(
    ("numbers", "large", "small"),
    [
        ([1.0, 1e-30, 3e30, 0], 0, 0),
        ([1.0, 1e-60, -1e-39, 0], 0, 2),
        ([1e39, -1e200, 1, 1e-320], 2, 1),
    ],
)
def test_weights_that_float32_cannot_hold_are_counted(
    numbers: list[float], large: int, small: int
) -> None:
    u = input_array("u", 4)
    compiled = compile_program(Program((u,), linear(u, np.diag(numbers)), rows=2))
    found = verify(compiled.stack, lambda x: x * torch.tensor(numbers).double(), 2, 4)
    assert (found.too_large, found.too_small) == (large, small)
    told = " | ".join(sentences(Path("f"), "it", found))
    assert (f"float32 cannot hold {large} of the stored numbers, above 3.4e+38" in told) == (
        large > 0
    )
    assert (f"digits or none of {small} of the stored numbers, below 1.2e-38" in told) == (
        small > 0
    )
    assert ("in float32 the output is not finite" in told) == (large > 0)


def test_numbers_that_float64_cannot_hold_are_not_called_a_difference() -> None:
    u = input_array("u", 1)
    stack = compile_program(Program((u,), u * 1e305, rows=2)).stack
    with pytest.raises(UserError, match=r"float64 cannot hold on inputs of kind 'large'"):
        agree(stack, lambda x: x * 1e305, 2, 1)


def test_a_stack_without_inputs_is_compared_by_its_constants() -> None:
    compiled = compile_program(Program((), constant_array(3, 2), rows=4))

    def of(number: float) -> Callable[[Tensor], Tensor]:
        return lambda x: torch.full((len(x), 4, 2), number, dtype=torch.float64)

    assert verify(compiled.stack, of(3), 4, 0, compiled=compiled).ok
    assert not verify(compiled.stack, of(2), 4, 0, compiled=compiled).ok
    with pytest.raises(UserError, match=r"differs from its reference by 5\.00e-01"):
        agree(compiled.stack, of(2), 4, 0)
