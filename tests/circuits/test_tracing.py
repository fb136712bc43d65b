"""Ordinary functions of numpy become circuits that give what numpy gives."""

from __future__ import annotations

import copy
import math
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

import bestiary
from bestiary.circuits import Circuit, circuit, evaluate
from bestiary.circuits.tracing import traced
from bestiary.errors import UserError

MATRIX = np.array([[2, 0, 1], [1, 3, -1], [0, 5, 4]])


def assigned(x, y):
    x[0] += y[1]
    x[1] *= 2
    x[2] = 5
    return x


def filled(x, y):
    done = np.zeros((2, 3), dtype=object)
    done[0] = x
    done[1, 1:] -= y[1:]
    return done


def looped(x, y):
    total = 0
    for i in range(3):
        for j in range(i):
            total = total + x[i] * y[j] - i
    return total


VECTORS = {
    "sum": lambda x, y: x.sum(),
    "sum of Python": lambda x, y: sum(x) + sum(y),
    "product": lambda x, y: np.prod(x) * math.prod(y),
    "dot": lambda x, y: (np.dot(x, y), x.dot(y), x @ y, np.inner(x, y)),
    "matrix": lambda x, y: (MATRIX @ x, y @ MATRIX, x @ MATRIX @ y),
    "lists": lambda x, y: (x @ [1, 2, 3], [4, 5, 6] @ y, [x[0], 1, y[2]]),
    "outer": lambda x, y: (np.outer(x, y), np.add.outer(x, y), np.kron(x, y)),
    "einsum": lambda x, y: (np.einsum("i,i->", x, y), np.einsum("i,j->ji", x, y)),
    "convolution": lambda x, y: (np.convolve(x, y), np.convolve(x, [1, -2]), np.correlate(x, y)),
    "prefixes": lambda x, y: (np.cumsum(x), np.cumprod(y), np.diff(x)),
    "cross": lambda x, y: np.cross(x, y),
    "polynomial": lambda x, y: np.polyval([1, -2, 3], x),
    "powers": lambda x, y: (x**3, y ** np.array([0, 1, 2]), np.power(x, 2), np.square(y), x**2.0),
    "ufuncs": lambda x, y: (np.add(x, y), np.subtract(x, 1), np.multiply(x[0], y), -x, +y),
    "slices": lambda x, y: (x[::-1], y[1:], x[[2, 0]], x[np.array([True, False, True])]),
    "arrangements": lambda x, y: (
        np.concatenate([x, y]),
        np.stack([x, y], axis=1),
        np.roll(x, 1),
        np.pad(y, 2),
        np.tile(x, 2),
        np.where([True, False, True], x, y),
    ),
    "constants": lambda x, y: (x * np.array([1, 0, -1]) + 3, 2 - x, 1 - (y - True), 0 * y),
    "entries": lambda x, y: x[0] * np.ones(3, dtype=int) + y,
    "scalars of no axis": lambda x, y: (x[0] * np.array(2), np.array(3) - y[1], np.int8(4) * x[2]),
    "assignments": assigned,
    "filled": filled,
    "loops": looped,
    "in place": lambda x, y: x.__iadd__(y).__imul__(2),
    "copies": lambda x, y: (copy.deepcopy(x) + x, x.copy() * y),
}


def listed(found, expected):
    """What a circuit gives and what its function gives, one output after the other."""
    if isinstance(expected, tuple):
        return list(found.values()), list(expected)
    return [found], [expected]


@pytest.mark.parametrize("what", VECTORS)
def test_a_function_of_vectors_gives_what_numpy_gives(what):
    function = VECTORS[what]
    made = traced(function, {"x": 3, "y": 3})
    rng = np.random.default_rng(len(what))
    for _ in range(5):
        # Whole numbers as objects, so that numpy is exact too.
        x, y = rng.integers(-9, 9, size=(2, 3)).astype(object)
        expected = function(x.copy(), y.copy())
        found = made(x, y)
        for one, other in zip(*listed(found, expected), strict=True):
            assert np.shape(one) == np.shape(other)
            np.testing.assert_array_equal(one, other)


ARRAYS = {
    "transpose": lambda u: u.T @ u,
    "axes": lambda u: (u.sum(0), u.sum(axis=1), u.prod(0), np.cumsum(u, axis=0), u.mean()),
    "triangle": lambda u: (np.tril(u), np.triu(u), np.diag(u[:, :3]), np.trace(u[:, :3])),
    "power": lambda u: np.linalg.matrix_power(u[:, :3], 3),
    "position": lambda u: (u[1:] * u[:-1], np.vstack([0 * u[:1], u[:-1]])),
    "channel": lambda u: (u[:, 0] * u[:, 1], u.reshape(-1), u[..., None].squeeze(-1)),
    "tensors": lambda u: (np.tensordot(u, u, 2), np.einsum("tc,sc->ts", u, u)),
    "broadcasting": lambda u: (u * u[0], u - u[:, :1], u + np.arange(4)),
}


@pytest.mark.parametrize("what", ARRAYS)
def test_a_function_of_positions_and_channels_gives_what_numpy_gives(what):
    function = ARRAYS[what]
    made = traced(function, {"u": (3, 4)})
    assert made.width_in == 12
    u = np.random.default_rng(len(what)).integers(-5, 5, size=(3, 4)).astype(object)
    for one, other in zip(*listed(made(u), function(u)), strict=True):
        np.testing.assert_allclose(np.asarray(one, dtype=float), np.asarray(other, dtype=float))


def test_division_by_a_whole_number_is_exact():
    assert circuit(lambda x: x / 3)(1) == Fraction(1, 3)
    assert circuit(x=3)(lambda x: x.mean())([1, 1, 2]) == Fraction(4, 3)
    assert circuit(lambda x: x / np.array([1, 2, 4]))(3).tolist() == [3, 1.5, 0.75]


def test_complex_constants_make_a_complex_circuit():
    made = circuit(x=4)(lambda x: np.fft.fft(np.eye(4)) @ x)
    assert made.is_complex
    x = np.array([1, 2, 3, 5])
    np.testing.assert_allclose(made(x).astype(complex), np.fft.fft(x), atol=1e-12)
    assert circuit(lambda x: (x + 1j) ** 2)(2) == (2 + 1j) ** 2


def test_names_and_shapes_of_what_goes_in_and_comes_out():
    @circuit(x=2, m=(2, 2))
    def f(x, m, s, scale=3):
        return {"rows": m @ x * scale, "s": s, 3: x[:0], "fixed": [[7, Fraction(1, 2)]]}

    assert isinstance(f, Circuit)
    assert f.name == "f"
    assert f.input_names == ["x[0]", "x[1]", "m[0,0]", "m[0,1]", "m[1,0]", "m[1,1]", "s"]
    assert [(port.name, port.shape) for port in f.outputs] == [
        ("rows", (2,)),
        ("s", ()),
        ("3", (0,)),
        ("fixed", (1, 2)),
    ]
    assert f([1, 2], np.eye(2, dtype=int), 9)["rows"].tolist() == [3, 6]
    assert [port.name for port in circuit(lambda x: (x, x)).outputs] == ["out0", "out1"]
    assert [port.name for port in circuit(lambda x: [x, x]).outputs] == ["out"]


def test_a_default_is_a_number_unless_a_shape_is_given():
    def scaled(x, /, by=3, *, plus=0):
        return x * by + plus

    assert circuit(scaled).input_names == ["x"]
    assert circuit(scaled)(5) == 15
    assert circuit(x=(), by=())(scaled).input_names == ["x", "by"]
    assert traced(scaled, {"plus": 2})(5, [1, 2]).tolist() == [16, 17]


def test_a_traced_circuit_is_part_of_another_function():
    @circuit(x=2, y=2)
    def dot(x, y):
        return x @ y

    @circuit(u=(2, 2))
    def gram(u):
        products = np.array([[dot(a, b) for a in u] for b in u])
        return products + dot([1, 2], u[0]) + dot([3, 4], y=[5, 6])

    u = np.array([[1, 2], [3, 4]])
    np.testing.assert_array_equal(gram(u), u @ u.T + 5 + 39)
    # Products that are the same are one gate, also across calls.
    assert gram.products.sum() == 6


def test_a_circuit_of_no_inputs_is_its_constants():
    assert circuit(lambda: [1, 2])().tolist() == [1, 2]
    assert evaluate(circuit(lambda: 3), []) == [3]


def test_the_decorator_is_found_at_the_top_and_costs_no_import():
    @bestiary.circuit
    def f(x):
        return x + 1

    assert f(1) == 2
    with pytest.raises(AttributeError, match="no attribute 'circle'"):
        bestiary.circle  # noqa: B018
    script = """
import sys, bestiary
print('numpy' in sys.modules)
bestiary.circuit
print(*sorted({name.split('.')[1] for name in sys.modules if name.startswith('bestiary.')}))
print('torch' in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "False\natomic circuits errors file_kind imports\nFalse\n"


@pytest.mark.parametrize(
    ("function", "shapes", "said"),
    [
        (lambda x: x, {"y": 2}, "a shape was given for y, which is no argument of lambda; its"),
        (lambda: 1, {"y": 2}, "its arguments are none"),
        (lambda x: x, {"x": "a"}, "the shape of x is 'a'; a length or a tuple of them is needed"),
        (lambda x: x, {"x": 2.5}, "the shape of x is 2.5; a length or a tuple of them is needed"),
        (lambda x: x, {"x": (2, -1)}, "the shape of x is (2, -1); lengths from 0 on and up to"),
        (lambda x: x, {"x": (1 << 40, 1 << 40)}, "up to 1,048,576 scalars in all are taken"),
        (lambda *x: x, {}, "lambda takes any number of arguments (*x); a circuit has fixed inputs"),
        (
            lambda **x: x,
            {},
            "lambda takes any number of arguments (*x); a circuit has fixed inputs",
        ),
        (3, {}, "3 cannot be traced; a function is needed"),
        (circuit(lambda x: x), {}, "cannot be traced; a function is needed"),
        (np.exp, {}, "<ufunc 'exp'> does not say what arguments it takes; write a function"),
        (min, {}, "<built-in function min> does not say what arguments it takes; write a function"),
    ],
)
def test_what_cannot_be_traced_is_said_in_one_sentence(function, shapes, said):
    with pytest.raises(UserError) as error:
        traced(function, shapes)
    assert said in str(error.value)
