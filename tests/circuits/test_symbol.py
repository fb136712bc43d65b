"""What is no sum or product is refused with a sentence that says what to do instead."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bestiary import circuits
from bestiary.circuits import circuit
from bestiary.errors import UserError

COMPARED = (
    "two values were compared; a circuit adds and multiplies alone, so that it cannot compare: "
    "write bits and use bestiary.circuits.eq_bits, less_bits or select(bit, a, b)"
)
CONDITION = (
    "an if, while, and, or depends on a value of the inputs; a circuit does the same for all "
    "inputs: use bestiary.circuits.select(bit, a, b)"
)
INDEX = (
    "a value of the inputs was used as an index or a number of times; a circuit has both fixed: "
    "use select(bit, a, b) over all places"
)
FIXED = "; a circuit's indices are fixed: use bestiary.circuits.select over all places"
PLAIN = (
    "a value of the inputs was turned into a plain number, which it is not before the circuit "
    "runs; keep values in arrays of dtype=object, and add and multiply alone"
)
KINKED = (
    "an absolute value was taken, or a value rounded; a circuit only adds and multiplies: use a "
    "polynomial in its place"
)
DIVIDED = (
    "a value was divided by one that depends on the inputs; a circuit only adds and multiplies: "
    "give the inverse as an input, or multiply through by the divisor"
)
REMAINDER = (
    "a quotient was rounded, or a remainder taken; a circuit only adds and multiplies: compute "
    "everything modulo a number with evaluate(circuit, values, modulus), or write bits"
)
PARTS = (
    "the real part, imaginary part or conjugate of a value is no polynomial of it; give real and "
    "imaginary parts as two inputs"
)
BITWISE = (
    "a bitwise operation (&, |, ^, ~, << or >>) was asked for; values are numbers: take bits as "
    "inputs, and bestiary.circuits.and_, or_, xor or not_ of them"
)
NUMPY = (
    "; values of the inputs are added and multiplied alone, in arrays of dtype=object: write "
    "another function as sums and products"
)


def function_of(name):
    return f"{name} of a value was asked for; a circuit only adds and multiplies: use a polynomial"


def into_floats(x, y):
    done = np.zeros(3)
    done[0] = x[0]
    return done


def onto_floats(x, y):
    done = np.zeros(3)
    done += x
    return done


def while_loop(x, y):
    while x[0]:
        pass


REFUSED = [
    # Comparisons, in Python and in numpy
    (lambda x, y: x[0] < y[0], COMPARED),
    (lambda x, y: x[0] >= 0, COMPARED),
    (lambda x, y: x == y, COMPARED),
    (lambda x, y: x != 3, COMPARED),
    (lambda x, y: x[0] < np.ones(3), COMPARED),
    (lambda x, y: np.where(x > 0, x, y), COMPARED),
    (lambda x, y: np.max(x), COMPARED),
    (lambda x, y: np.maximum(x, y), COMPARED),
    (lambda x, y: np.argmin(x), COMPARED),
    (lambda x, y: np.clip(x, 0, 1), COMPARED),
    (lambda x, y: np.sort(x), COMPARED),
    (lambda x, y: np.median(x), COMPARED),
    (lambda x, y: np.unique(x), COMPARED),
    (lambda x, y: np.sign(x), COMPARED),
    (lambda x, y: np.searchsorted([1, 2], x), COMPARED),
    (lambda x, y: max(x), COMPARED),
    (lambda x, y: sorted(x), COMPARED),
    (lambda x, y: 3 in x, COMPARED),
    (lambda x, y: x[0] in [y[0]], COMPARED),
    # Conditions
    (lambda x, y: 1 if x[0] else 2, CONDITION),
    (lambda x, y: x[0] and y[0], CONDITION),
    (lambda x, y: not x[0], CONDITION),
    (while_loop, CONDITION),
    (lambda x, y: np.where(x, x, y), CONDITION),
    (lambda x, y: np.any(x), CONDITION),
    (lambda x, y: np.logical_and(x, y), CONDITION),
    (lambda x, y: np.count_nonzero(x), CONDITION),
    # Indices
    (lambda x, y: [1, 2][x[0]], INDEX),
    (lambda x, y: range(x[0]), INDEX),
    (lambda x, y: y[x[0]], FIXED),
    (lambda x, y: y[x], FIXED),
    # Plain numbers
    (lambda x, y: float(x[0]), PLAIN),
    (lambda x, y: int(x[0]), PLAIN),
    (lambda x, y: complex(x[0]), PLAIN),
    (lambda x, y: math.sqrt(x[0]), PLAIN),
    (lambda x, y: x.astype(float), PLAIN),
    (lambda x, y: np.array(x, dtype=float), PLAIN),
    (into_floats, PLAIN),
    (onto_floats, NUMPY),
    # Functions
    (lambda x, y: abs(x[0]), KINKED),
    (lambda x, y: np.abs(x), KINKED),
    (lambda x, y: round(x[0]), KINKED),
    (lambda x, y: math.floor(x[0]), KINKED),
    (lambda x, y: np.ceil(x), KINKED),
    (lambda x, y: np.exp(x), function_of("exp")),
    (lambda x, y: np.sqrt(x[0]), function_of("sqrt")),
    (lambda x, y: np.linalg.norm(x), function_of("sqrt")),
    (lambda x, y: np.round(x), function_of("rint")),
    (lambda x, y: np.linalg.det(np.outer(x, y)), NUMPY),
    (lambda x, y: np.linalg.inv(np.outer(x, y)), NUMPY),
    (lambda x, y: np.linalg.solve(np.outer(x, y), x), NUMPY),
    (lambda x, y: np.fft.fft(x), NUMPY),
    (lambda x, y: np.isnan(x), NUMPY),
    (lambda x, y: np.interp(x, [0, 1], [0, 1]), NUMPY),
    (lambda x, y: x[0].conjugate(), PARTS),
    (lambda x, y: x[0].real, PARTS),
    (lambda x, y: np.imag(x[0]), PARTS),
    (lambda x, y: np.conj(x), PARTS),
    (lambda x, y: np.vdot(x, y), PARTS),
    # Division and powers
    (lambda x, y: x / y, DIVIDED),
    (lambda x, y: 1 / x[0], DIVIDED),
    (lambda x, y: np.ones(3) / x[0], DIVIDED),
    (lambda x, y: x // 2, REMAINDER),
    (lambda x, y: 5 % x[0], REMAINDER),
    (lambda x, y: divmod(x[0], 2), REMAINDER),
    (lambda x, y: pow(x[0], 2, 5), "a power modulo 5 was asked for; a circuit only adds and"),
    (lambda x, y: x / 0, "a value was divided by 0; a divisor must be another number"),
    (lambda x, y: x / "a", "a divisor is 'a'; a number is needed"),
    (lambda x, y: x**-1, "the exponent -1 makes no polynomial; a whole number from 0 on is needed"),
    (lambda x, y: x**0.5, "the exponent 0.5 makes no polynomial; a whole number from 0 on is"),
    (
        lambda x, y: x ** y[0],
        "a power with an exponent that depends on the inputs is no polynomial",
    ),
    (lambda x, y: 2**x, "2 to a power that depends on the inputs is no polynomial; use a constant"),
    (lambda x, y: x**70000, "a power of degree 70000 was asked for; degrees up to 65536 are taken"),
    # Bits
    (lambda x, y: x & y, BITWISE),
    (lambda x, y: x[0] ^ 1, BITWISE),
    (lambda x, y: ~x, BITWISE),
    (lambda x, y: 1 << x[0], BITWISE),
    # What is no number
    (lambda x, y: x * float("nan"), "a constant is nan; a finite number is needed"),
    (lambda x, y: x * np.array([1, np.inf, 2]), "a constant is inf; a finite number is needed"),
    (lambda x, y: x[0] + "a", "a constant is 'a'; a number is needed"),
    (lambda x, y: x[0] + None, "a constant is None; a number is needed"),
    (lambda x, y: [1, 2] * x[0], "a value was combined with [1, 2], a list; make it an array: np"),
    (lambda x, y: x[0] - (1, 2), "a value was combined with (1, 2), a tuple; make it an array"),
    (lambda x, y: x[0] @ y[0], "a scalar was multiplied with @, which takes arrays; use *"),
    (lambda x, y: 2 @ y[0], "a scalar was multiplied with @, which takes arrays; use *"),
    # Mistakes of Python
    (lambda x, y: x[5], "IndexError: index 5 is out of bounds for axis 0 with size 3"),
    (lambda x, y: x + np.ones(4), "could not be broadcast together with shapes (3,) (4,)"),
    (lambda x, y: x[0].sum(), "AttributeError: a symbol has no sum"),
    (lambda x, y: x[0][0], "TypeError: 'Symbol' object is not subscriptable"),
]


@pytest.mark.parametrize(("function", "said"), REFUSED)
def test_what_is_no_polynomial_is_refused_with_its_line_and_what_to_do(function, said):
    with pytest.raises(UserError) as error:
        circuit(x=3, y=3)(function)
    name = function.__name__.strip("<>")
    first = function.__code__.co_firstlineno
    place, told = str(error.value).split(": ", 1)
    line = int(place.removeprefix(f"{name}, line "))
    assert first <= line <= first + 3
    assert said in told
    assert "\n" not in told


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (lambda x: None, "lambda returned nothing; return what the circuit shall give"),
        (lambda x: {}, "lambda returned nothing; return what the circuit shall give"),
        (lambda x: x[:0], "the circuit lambda has no outputs; give at least one"),
        (lambda x: "a", "what lambda returned is 'a'; a number is needed"),
        (lambda x: {1, 2}, "what lambda returned is {1, 2}; a number is needed"),
        (lambda x: [x, 1], "what lambda returned is array([Symbol("),
        (lambda x: [np.ones((2, 3)), np.ones((2, 4))], "what lambda returned is ragged; return"),
        (lambda x: {1: x, "1": x}, "two outputs of lambda have the same name; give each its own"),
        (lambda x: math.nan, "what lambda returned is nan; a finite number is needed"),
    ],
)
def test_what_cannot_come_out_is_refused(returned, said):
    with pytest.raises(UserError) as error:
        circuit(x=2)(returned)
    assert said in str(error.value)


def test_values_of_two_circuits_are_told_apart():
    kept = []
    circuit(lambda x: kept.append(x) or x)
    with pytest.raises(UserError, match="values of two circuits were combined; trace them as one"):
        circuit(lambda y: y + kept[0])
    with pytest.raises(UserError, match="returned a value of another circuit; trace both as one"):
        circuit(lambda y: kept[0])


@pytest.mark.parametrize("name", ["eq_bits", "less_bits", "select", "and_", "or_", "xor", "not_"])
def test_the_functions_that_the_sentences_name_are_there(name):
    assert callable(getattr(circuits, name))
