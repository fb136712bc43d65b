"""The sides of every layer against the layer's own formula, and values against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from bestiary.compile import Program, compile_program, conv, input_array, mul, shift
from bestiary.compile.interpret import interpret
from bestiary.compile.trace import trace
from bestiary.errors import UserError


def ahead(rows: int = 6) -> Program:
    """The product of a row and the one two rows on: the answer comes late."""
    u = input_array("u", 2)
    return Program((u,), mul(u, shift(u, -2)).named("pair"), rows=rows, name="ahead")


def test_a_layer_is_the_product_of_its_sides_and_the_sides_are_those_of_the_formula():
    compiled = compile_program(ahead())
    inputs = np.random.default_rng(0).standard_normal((3, 6, 2))
    before = None
    for layer, weights in zip(trace(compiled, inputs), [None, *compiled.stack.layers], strict=True):
        if weights is None:
            np.testing.assert_array_equal(layer.product[:, :6, :2], inputs)
            assert not layer.product[:, 6:].any() and layer.gate is None
        else:
            dense = weights.dense(before.shape[1])
            gate = before @ dense.weight.detach().numpy() + dense.gate_bias.detach().numpy()
            taps = dense.filter(before.shape[1]).detach().numpy()
            convolved = np.zeros_like(before)
            for s in range(len(taps)):
                convolved[:, s:] += taps[s] * before[:, : before.shape[1] - s]
            convolved += dense.conv_bias.detach().numpy()
            np.testing.assert_allclose(layer.gate, gate, atol=1e-12)
            np.testing.assert_allclose(layer.convolution, convolved, atol=1e-12)
            np.testing.assert_allclose(layer.product, gate * convolved, atol=1e-12)
        before = layer.product


def test_logical_rows_have_the_delay_of_each_channel_undone():
    compiled = compile_program(ahead())
    inputs = np.random.default_rng(1).standard_normal((1, 6, 2))
    *_, last = trace(compiled, inputs)
    wanted = [place for place in last.places if place.read]
    assert {place.delay for place in wanted} == {2}
    expected = inputs[0] * np.concatenate([inputs[0, 2:], np.zeros((2, 2))])
    np.testing.assert_allclose(last.at(range(6), places=wanted)[0], expected, atol=1e-12)
    np.testing.assert_allclose(interpret(compiled.source, inputs)[0], expected)


def test_a_row_that_the_array_lacks_is_no_number():
    *_, last = trace(compile_program(ahead()), np.ones((6, 2)))
    found = last.at([-3, 99], places=[place for place in last.places if place.read])
    assert np.isnan(found).all()


def test_rows_of_a_ring_come_round():
    u = input_array("u", 1)
    program = Program((u,), conv({3: 1}, u) * 2.0, rows=4, mode="circular", ring=4, name="turn")
    *_, last = trace(compile_program(program), np.arange(4.0)[:, None])
    read = [place for place in last.places if place.read]
    np.testing.assert_array_equal(last.at([0, 1, 2, 3, 4], places=read)[0, :, 0], [2, 4, 6, 0, 2])


def test_weights_kept_in_float32_are_followed_in_float64():
    compiled = compile_program(ahead())
    compiled.stack.float()
    inputs = np.full((1, 6, 2), 1 + 2**-40)
    layers = list(trace(compiled, inputs))
    assert layers[-1].product.max() == (1 + 2**-40) ** 2
    assert all(weight.itemsize == 4 for weight in compiled.stack.parameters())


@pytest.mark.parametrize("shape", [(5, 2), (6, 3), (2, 6, 1), (6,)])
def test_an_input_of_another_shape_is_refused(shape):
    with pytest.raises(UserError, match=r"\(batch, 6, 2\) is needed"):
        trace(compile_program(ahead()), np.zeros(shape))


def test_the_input_has_no_sides():
    first = next(iter(trace(compile_program(ahead()), np.ones((6, 2)))))
    with pytest.raises(UserError, match="the input has no gate side"):
        first.at([0], "gate")
