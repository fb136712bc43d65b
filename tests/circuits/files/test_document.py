"""Circuits as JSON: kept to the last bit, and refused where they are damaged."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_circuits import random_circuits

from bestiary.circuits import Builder, circuit
from bestiary.circuits.files.document import from_json, to_json
from bestiary.errors import UserError


def same(a, b):
    arrays = ("operations", "left", "right", "results")
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in arrays) and all(
        getattr(a, name) == getattr(b, name)
        for name in ("constants", "inputs", "outputs", "name", "names")
    )


@given(random_circuits())
def test_a_circuit_is_read_as_it_was_written(made):
    again = from_json(to_json(made.circuit))
    assert same(again, made.circuit)


@given(
    st.lists(
        st.integers()
        | st.fractions()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.complex_numbers(allow_nan=False, allow_infinity=False)
        | st.sampled_from([10**5000, Fraction(-1, 7**9000)]),
        min_size=1,
    )
)
def test_constants_are_kept_to_the_last_bit(numbers):
    builder = Builder()
    gates = [builder.constant(number) for number in numbers]
    made = builder.finished({"y": ((len(gates),), gates)})
    again = from_json(to_json(made))
    assert again.constants == made.constants
    assert list(map(repr_of, again.constants)) == list(map(repr_of, made.constants))


def repr_of(number):
    exact = isinstance(number, int | Fraction)
    return (type(number), None if exact else repr(number))


def test_names_are_kept_and_the_document_is_plain_json():
    builder = Builder()
    (x,) = builder.input("ein Gang")
    gate = builder.multiply(x, builder.constant(Fraction(1, 3)))
    builder.call(gate, "drittel ÷ “")
    made = builder.finished({"y": ((), [gate])}, "f")
    document = json.loads(to_json(made))
    assert document == {
        "format": "bestiary circuit",
        "version": 1,
        "name": "f",
        "inputs": [["ein Gang", []]],
        "outputs": [["y", []]],
        "constants": ["1/3"],
        "gates": [["input", 0], ["constant", 0], ["multiply", 0, 1]],
        "results": [2],
        "names": {"2": "drittel ÷ “"},
    }
    assert same(from_json(to_json(made)), made)


DAMAGED = [
    ({"version": 2}, "is a circuit of format version 2; this program reads version 1"),
    ({"version": None}, "is a circuit of format version None"),
    ({"version": True}, "is a circuit of format version True; this program reads version 1"),
    ({"version": 1.0}, "is a circuit of format version 1.0; this program reads version 1"),
    ({"format": "pickle"}, 'is JSON without "format": "bestiary circuit"; it is no circuit'),
    ({"gates": None}, "its gates are None; a list is needed"),
    ({"gates": [["input", 0], ["constant", 0], ["divide", 0, 1]]}, "gate 2 is ['divide', 0, 1];"),
    ({"gates": [["input", 0], ["constant"], ["add", 0, 1]]}, "gate 1 is ['constant']; input, con"),
    ({"gates": [["input", 0], ["constant", 0], ["add", 0]]}, "gate 2 is ['add', 0]; input, consta"),
    ({"gates": [["input", 0], ["constant", 0], ["add", 0, -1]]}, "an operand of gate 2 is -1; a w"),
    ({"gates": [["input", 0], ["constant", 0], ["add", 0, True]]}, "operand of gate 2 is True; a"),
    ({"gates": [["input", False], ["constant", 0], ["add", 0, 1]]}, "operand of gate 0 is False;"),
    ({"gates": [["input", 0], ["constant", 0], ["add", 0, 1.0]]}, "an operand of gate 2 is 1.0; a"),
    ({"gates": [["input", 0], ["constant", 0], ["add", 0, 2]]}, "gate 2 of the circuit f is made "),
    ({"gates": [["input", 0], ["constant", 5], ["add", 0, 1]]}, "gate 1 of the circuit f is made "),
    ({"gates": []}, "takes 1 numbers and has 0 gates of inputs; one each is needed"),
    ({"results": [7]}, "an output of the circuit f is a gate that is not there"),
    ({"results": [True]}, "an output is True; a whole number from 0 on is needed"),
    ({"results": []}, "the circuit f has no outputs; give at least one"),
    ({"outputs": [["y", [2]]]}, "gives 1 numbers; its outputs have 2 in all"),
    ({"inputs": [["x"]]}, "['x'] is no name and shape, such as [\"x\", [3]]"),
    ({"inputs": [["x", [-1]]]}, "a length of x is -1; a whole number from 0 on is needed"),
    ({"inputs": [["x", [True]]]}, "a length of x is True; a whole number from 0 on is needed"),
    ({"inputs": [["x", [10**18]]]}, "a length of x is 1000000000000000000; up to 18 digits are"),
    ({"inputs": [[True, [3]]]}, "[True, [3]] is no name and shape"),
    ({"inputs": [["x", [1 << 40]]]}, "x has shape (1099511627776,); up to 1,048,576 scalars are"),
    ({"constants": ["1/0"]}, "'1/0' is no number such as 3, 1/3, 0.1 or 1+2j"),
    ({"constants": ["one"]}, "'one' is no number such as 3, 1/3, 0.1 or 1+2j"),
    ({"constants": ["nan"]}, "a constant is nan; a finite number is needed"),
    ({"constants": ["1e999"]}, "a constant is inf; a finite number is needed"),
    ({"constants": ["9" * 5000]}, "a whole number has 5,000 decimal digits; up to 4,300 are taken"),
    ({"constants": [3]}, "a constant is 3; a text is needed"),
    ({"names": []}, "its name, or the names of its gates, are no text"),
    ({"names": {"x": "y"}}, "a name is for gate 'x', which is not there; a whole number below 3 i"),
    ({"names": {"3": "y"}}, "a name is for gate '3', which is not there; a whole number below 3 i"),
    ({"names": {"9" * 5000: "y"}}, "9…, which is not there; a whole number below 3 is needed"),
    ({"names": {"2": 3}}, "the name of gate 2 is 3; a text is needed"),
    ({"name": None}, "its name, or the names of its gates, are no text"),
]


@pytest.mark.parametrize(("change", "said"), DAMAGED)
def test_what_is_damaged_is_said_in_one_sentence(change, said):
    def f(x):
        return x + 3

    document = json.loads(to_json(circuit(f)))
    assert from_json(json.dumps(document))(1) == 4
    with pytest.raises(UserError) as error:
        from_json(json.dumps(document | change), "f.json")
    assert str(error.value).startswith("f.json is ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("key", ["version", "results", "gates", "constants"])
def test_a_number_that_python_does_not_read_is_said_by_its_length(key):
    text = to_json(circuit(lambda x: x + 3))
    start = text.index(f'"{key}": ') + len(f'"{key}": ')
    with pytest.raises(UserError) as error:
        from_json(text[:start] + "-" + "9" * 5000 + text[text.index("\n", start) - 1 :], "f.json")
    assert str(error.value) == (
        "f.json is no JSON of a circuit: a whole number has 5,000 digits; up to 18 are read, for "
        "constants are texts"
    )


def test_what_is_no_document_is_refused():
    text = to_json(circuit(lambda x: x + 3))
    for cut in range(1, len(text.rstrip())):
        with pytest.raises(UserError, match=r"^f.json, line \d+: this is no JSON, or is cut off: "):
            from_json(text[:cut], "f.json")
    with pytest.raises(UserError, match=r"^f.json is a circuit without results, names; it is dam"):
        document = json.loads(text)
        from_json(
            json.dumps({k: v for k, v in document.items() if k not in ("results", "names")}),
            "f.json",
        )
    for other in ("[]", "3", '"x"', "null", "{}"):
        with pytest.raises(
            UserError, match=r'^f.json is JSON without "format": "bestiary circuit"'
        ):
            from_json(other, "f.json")
    with pytest.raises(UserError, match=r"^f.json is no JSON of a circuit: "):
        from_json("[" * 100000, "f.json")
