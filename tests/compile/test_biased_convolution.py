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


def test_a_filter_of_a_scaled_and_raised_convolution_is_one_filter() -> None:
    u = input_array("u", 1)
    inner = conv({1: 3}, u) * 2 + Rows.of([[5], [7]])
    outer = conv({0: 1, 1: -1}, inner)
    # Both are used, so that simplifying does not make one of them.
    made = compile_program(Program((u,), mul(inner, outer), rows=4))
    assert len(made.stack.layers) == 2
    x = np.array([1.0, -2, 4, 3])
    first = 6 * np.array([0, *x[:3]]) + [5, 7, 0, 0]
    expected = first * (first - [0, *first[:3]])
    with torch.no_grad():
        found = made.stack(torch.from_numpy(x)[None, :, None]).numpy().ravel()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_a_product_scaled_by_zero_in_one_channel_is_nothing_to_convolve_there() -> None:
    u = input_array("u", 2)
    partly = (u * u) * [0, 9]
    scheduled = compile_program(Program((u,), partly * (u * u), rows=2)).stages["schedule"]
    nothing, something = scheduled.output.operands
    assert (len(nothing.operands), len(something.operands)) == (0, 2)
