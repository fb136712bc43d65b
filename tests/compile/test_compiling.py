from __future__ import annotations

import numpy as np
import pytest
import torch

from bestiary.compile import Program, Rows, compile_program, conv, input_array, interpret, linear
from bestiary.compile.from_matrix import matrix_program
from bestiary.compile.optimize import Optimize
from bestiary.errors import UserError
from bestiary.structured import Butterfly


def close(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.abs(a - b).max() <= 1e-12 * max(1.0, np.abs(b).max()))


def test_a_hyena_of_order_three_takes_four_layers_of_twice_the_width() -> None:
    rng = np.random.default_rng(1)
    d, n = 3, 8
    u = input_array("u", d)

    def projection() -> tuple[np.ndarray, np.ndarray]:
        return rng.normal(size=(d, d)), np.tile(rng.normal(size=d), (n, 1))

    maps, filters = [projection() for _ in range(4)], rng.normal(size=(3, n, d))
    z = linear(u, maps[0][0], Rows.of(maps[0][1]))
    for (weight, bias), h in zip(maps[1:], filters, strict=True):
        z = linear(u, weight, Rows.of(bias)) * conv(h, z)
    program = Program((u,), z, rows=n)
    made = compile_program(program)
    assert (len(made.stack.layers), made.stack.width, made.stack.inner_length) == (4, 2 * d, n)

    x = rng.normal(size=(5, n, d))
    expected = x @ maps[0][0] + maps[0][1]
    for (weight, bias), h in zip(maps[1:], filters, strict=True):
        mixed = np.zeros_like(expected)
        for t in range(n):
            for s in range(t + 1):
                mixed[:, t] += h[s] * expected[:, t - s]
        expected = (x @ weight + bias) * mixed
    assert close(interpret(program, x), expected)
    for stage in made.stages.values():
        assert close(interpret(stage, x), expected)
    with torch.no_grad():
        assert close(made.stack(torch.from_numpy(x)).numpy(), expected)


def test_what_is_read_ahead_comes_with_a_delay() -> None:
    u = input_array("u", 1)
    made = compile_program(Program((u,), u + conv({-2: 3}, u), rows=4))
    x = np.arange(1.0, 5)[None, :, None]
    assert made.stack.delay == 2
    with torch.no_grad():
        assert made.stack(torch.from_numpy(x))[0, :, 0].tolist() == [10, 14, 3, 4]


def test_no_search_is_promised_for_a_program_that_says_its_layers() -> None:
    twiddle = torch.from_numpy(np.random.default_rng(0).normal(size=(2, 2, 2, 2)))
    program = matrix_program(Butterfly.from_packed(twiddle), method="paper")
    with pytest.raises(UserError, match="there is no schedule to search for"):
        compile_program(program, optimize=Optimize(seconds=1))


def test_an_output_without_channels_is_refused_by_its_name() -> None:
    u = input_array("u", 2)
    nothing = Program((u,), linear(u, np.zeros((2, 0))), rows=4, name="nothing")
    with pytest.raises(UserError, match="the output of nothing has 0 channels"):
        compile_program(nothing)


def test_what_is_compiled_shows_itself_in_a_few_lines() -> None:
    program = matrix_program(Butterfly.from_packed(torch.ones(6, 2, 2, 32).double()))
    made = compile_program(program)
    lines = repr(made).splitlines()
    assert len(lines) < 8 and max(map(len, lines)) < 120
    assert f"{len(made.stack.layers)} layers" in lines[1]
    assert f"N'={made.stack.inner_length}, d'={made.stack.width}" in lines[1]
