from __future__ import annotations

import numpy as np
import torch

from bestiary.compile import Program, Rows, compile_program, conv, input_array, linear, mul


def test_a_convolution_plus_constants_is_the_convolution_side_of_one_layer() -> None:
    rng = np.random.default_rng(0)
    n, d = 6, 2
    weight, bias, more = rng.normal(size=(d, d)), rng.normal(size=(n, d)), rng.normal(size=d)
    u = input_array("u", d)
    side = conv({0: 2, 2: [1, -1]}, u) + Rows.of(bias) + more
    made = compile_program(Program((u,), mul(linear(u, weight), side), rows=n))
    assert (len(made.stack.layers), made.stack.width) == (1, d)

    x = rng.normal(size=(3, n, d))
    filtered = 2 * x + bias + more
    filtered[:, 2:] += x[:, :-2] * [1, -1]
    with torch.no_grad():
        found = made.stack(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(found, (x @ weight) * filtered, rtol=0, atol=1e-12)


def test_a_scaled_convolution_plus_constants_means_the_same() -> None:
    rng = np.random.default_rng(1)
    u = input_array("u", 1)
    made = compile_program(Program((u,), conv({1: 3}, u) * 2 + 5, rows=4))
    x = rng.normal(size=(1, 4, 1))
    expected = np.full((1, 4, 1), 5.0)
    expected[:, 1:] += 6 * x[:, :-1]
    with torch.no_grad():
        np.testing.assert_allclose(made.stack(torch.from_numpy(x)).numpy(), expected, atol=1e-12)
