"""Bristol's circuits: both headers, every gate, any order, every mistake with its line."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import evaluate, evaluate_batch
from bestiary.circuits.files.bristol import from_bristol
from bestiary.errors import UserError

FULL_ADDER = """
5 8
3 1 1 1
2 1 1

2 1 0 1 3 XOR
2 1 0 1 4 AND
2 1 3 2 6 XOR
2 1 3 2 5 AND
2 1 4 5 7 XOR
"""
OLD_ADDER = """5 8
2 1 2

2 1 0 1 3 XOR
2 1 0 1 4 AND
2 1 3 2 6 XOR
2 1 3 2 5 AND
2 1 4 5 7 XOR
"""
TABLES = {
    "AND": lambda a, b: a & b,
    "XOR": lambda a, b: a ^ b,
    "OR": lambda a, b: a | b,
    "NAND": lambda a, b: 1 - (a & b),
    "NOR": lambda a, b: 1 - (a | b),
    "XNOR": lambda a, b: 1 - (a ^ b),
    "INV": lambda a: 1 - a,
    "NOT": lambda a: 1 - a,
    "EQW": lambda a: a,
}


def test_a_full_adder_in_the_new_format():
    made = from_bristol(FULL_ADDER, name="adder")
    assert made.name == "adder"
    assert [(p.name, p.shape) for p in made.inputs] == [("x0", (1,)), ("x1", (1,)), ("x2", (1,))]
    assert [(p.name, p.shape) for p in made.outputs] == [("out0", (1,)), ("out1", (1,))]
    for bits in itertools.product((0, 1), repeat=3):
        one, carry = evaluate(made, bits)
        assert one + 2 * carry == sum(bits)
    assert set(made.names.values()) == {"w3", "w4", "w5", "w6", "w7"}


def test_a_full_adder_in_the_old_format():
    made = from_bristol(OLD_ADDER)
    assert [(p.name, p.shape) for p in made.inputs] == [("x0", (2,)), ("x1", (1,))]
    assert [(p.name, p.shape) for p in made.outputs] == [("out", (2,))]
    for bits in itertools.product((0, 1), repeat=3):
        one, carry = evaluate(made, bits)
        assert one + 2 * carry == sum(bits)


def test_an_old_header_with_one_input_and_one_output():
    made = from_bristol("1 3\n2 0 1\n2 1 0 1 2 AND\n")
    assert [(p.name, p.shape) for p in (*made.inputs, *made.outputs)] == [
        ("x", (2,)),
        ("out", (1,)),
    ]


@pytest.mark.parametrize("kind", TABLES)
def test_every_gate_is_its_truth_table(kind):
    table = TABLES[kind]
    arity = table.__code__.co_argcount
    wires = " ".join(map(str, range(arity)))
    made = from_bristol(f"1 {arity + 1}\n1 {arity}\n1 1\n{arity} 1 {wires} {arity} {kind}\n")
    for bits in itertools.product((0, 1), repeat=arity):
        assert evaluate(made, bits) == [table(*bits)]


def test_constants_copies_and_many_ands():
    made = from_bristol(
        """5 10
        2 2 2
        1 5
        1 1 1 4 EQ
        1 1 0 5 EQ
        1 1 4 8 EQW
        4 2 0 1 2 3 6 7 MAND
        1 1 5 9 EQW
        """
    )
    # Out come wires 5 to 9: the bit 0, two ANDs, the bit 1, the bit 0.
    for a, b, c, d in itertools.product((0, 1), repeat=4):
        assert evaluate(made, [a, b, c, d]) == [0, a & c, b & d, 1, 0]


def test_inputs_may_come_out_and_gates_may_be_missing():
    made = from_bristol("0 2\n1 2\n1 2\n")
    assert evaluate(made, [1, 0]) == [1, 0]


@given(st.data())
def test_random_circuits_in_any_order(data):
    draw = data.draw
    width, count = draw(st.integers(1, 4)), draw(st.integers(1, 12))
    lines, rules = [], []
    for i in range(count):
        kind = draw(st.sampled_from(sorted(TABLES)))
        arity = TABLES[kind].__code__.co_argcount
        operands = [draw(st.integers(0, width + i - 1)) for _ in range(arity)]
        rules.append((kind, operands))
        wires = " ".join(map(str, operands))
        lines.append(f"{len(operands)} 1 {wires} {width + i} {kind}")
    lines = draw(st.permutations(lines))
    outputs = draw(st.integers(1, count))
    head = f"{count} {width + count}\n1 {width}\n1 {outputs}\n\n"
    made = from_bristol(head + "\n".join(lines))
    rows = list(itertools.product((0, 1), repeat=width))
    expected = []
    for row in rows:
        wires = list(row)
        for kind, operands in rules:
            wires.append(TABLES[kind](*(wires[o] for o in operands)))
        expected.append(wires[-outputs:])
    np.testing.assert_array_equal(evaluate_batch(made, rows), expected)


REFUSED = [
    ("", 1, "two numbers, of gates and of wires, and below them the sizes of inputs are expected"),
    ("5\n1 2\n1 1", 1, "two numbers, of gates and of wires"),
    ("hello\n", 1, "two numbers, of gates and of wires"),
    ("1 3\n2 1 0 1 2 AND", 1, "two numbers, of gates and of wires"),
    ("1 3\n1 2\n2 1 0 1 2 AND", 2, "2 numbers stand where the sizes of two inputs and of the out"),
    ("1 3\n1 1 1\n1 1\n2 1 0 1 2 AND", 2, "1 inputs are said, and sizes of 2 are given"),
    ("1 3\n2 1 1\n2 1\n2 1 0 1 2 AND", 3, "2 outputs are said, and sizes of 1 are given"),
    ("1 3\n2 9 1\n1 1\n2 1 0 1 2 AND", 2, "10 wires of inputs are more than 3"),
    ("1 3\n2 1 1\n1 1\n2 1 0 1 2 MAX", 4, "MAX is no gate; AND, XOR, OR, NAND, NOR, XNOR, INV,"),
    ("1 3\n2 1 1\n1 1\n2 1 0 1 2", 4, "the line is cut off; AND, XOR"),
    ("1 3\n2 1 1\n1 1\n2 1 0 a 2 AND", 4, "a is no number of a wire; whole numbers are expected"),
    ("1 3\n2 1 1\n1 1\n2 1 0 -1 2 AND", 4, "-1 is no number of a wire"),
    ("1 3\n2 1 1\n1 1\n2 1 0 2 AND", 4, "2 wires are given; the first two numbers of the line say"),
    ("1 3\n2 1 1\n1 1\nAND", 4, "0 wires are given; the first two numbers of the line say how"),
    ("1 3\n2 1 1\n1 1\n1 1 0 2 AND", 4, "AND has 2 wires in and 1 out, not 1 and 1"),
    ("1 3\n2 1 1\n1 1\n2 1 0 1 2 INV", 4, "INV has 1 wires in and 1 out, not 2 and 1"),
    ("1 3\n2 1 1\n1 1\n3 1 0 1 1 2 MAND", 4, "MAND has 2 wires in and 1 out, not 3 and 1"),
    ("1 3\n2 1 1\n1 1\n1 1 2 2 EQ", 4, "EQ has the bit 2; 0 or 1 is expected"),
    ("1 3\n2 1 1\n1 1\n2 1 0 1 3 AND", 4, "wire 3 is not among the 3 of the first line"),
    (
        "2 4\n2 1 1\n1 1\n2 1 0 1 3 AND\n2 1 0 1 3 XOR",
        5,
        "wire 3 is defined twice, first in line 4",
    ),
    ("1 3\n2 1 1\n1 1\n2 1 0 1 1 AND", 4, "wire 1 is an input, and is defined again"),
    ("1 3\n2 1 1\n1 1\n2 1 0 2 2 AND", 4, "wire 2 is made from itself: wire 2 from wire 2"),
    (
        "3 5\n2 1 1\n1 1\n\n2 1 0 4 2 AND\n2 1 2 1 3 XOR\n2 1 3 0 4 AND",
        5,
        "wire 2 is made from itself: wire 2 from wire 4 from wire 3 from wire 2",
    ),
]


@pytest.mark.parametrize(("text", "line", "said"), REFUSED)
def test_a_mistake_is_said_with_its_line(text, line, said):
    with pytest.raises(UserError) as error:
        from_bristol(text, "a.txt")
    place, told = str(error.value).split(": ", 1)
    assert place == f"a.txt, line {line}"
    assert said in told


@pytest.mark.parametrize("place", range(11))
def test_a_number_of_too_many_digits_is_said_with_its_line(place):
    words = "1 3\n2 1 1\n1 1\n2 1 0 1 2 AND".replace("\n", " \n ").split(" ")
    at = [i for i, word in enumerate(words) if word.isdigit()][place]
    words[at] = "7" * 5000
    line = words[:at].count("\n") + 1
    with pytest.raises(UserError) as error:
        from_bristol(" ".join(words), "a.txt")
    told = f"a.txt, line {line}: 777777777777777777… is a number of 5,000 digits; up to 18 are read"
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2 4\n2 1 1\n1 1\n2 1 0 1 2 AND", "a.txt is cut off after 1 gates; its first line says 2"),
        ("0 3\n2 1 1\n1 1\n2 1 0 1 2 AND", "a.txt has 1 gates; its first line says 0"),
        (
            "1 4\n2 1 1\n1 1\n2 1 0 1 2 AND",
            "a.txt has 3 wires, 2 of inputs and 1 of gates; its first line says 4",
        ),
        ("1 3\n2 1 1\n1 4\n2 1 0 1 2 AND", "a.txt has 3 wires and says that 4 come out"),
        ("1 3\n2 1 1\n1 0\n2 1 0 1 2 AND", "the circuit circuit has no outputs; give at least one"),
    ],
)
def test_counts_that_do_not_fit_are_said(text, said):
    with pytest.raises(UserError) as error:
        from_bristol(text, "a.txt")
    assert str(error.value) == said


def test_a_file_that_is_cut_off_anywhere_is_refused():
    text = FULL_ADDER.strip()
    for end in range(len(text) - 1):
        with pytest.raises(UserError):
            from_bristol(text[:end], "a.txt")
