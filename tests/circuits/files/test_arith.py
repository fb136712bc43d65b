"""libsnark's arithmetic circuits: every gate, any order, every mistake with its line."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import evaluate
from bestiary.circuits.files.arith import from_arith
from bestiary.errors import UserError

PRIME = 21888242871839275222246405745257275088548364400416034343698204186575808495617

EXAMPLE = """total 7
input 0                         # the one wire
input 1
nizkinput 2  # hidden

add in 2 <1 2> out 1 <3>
# a comment
const-mul-neg-2 in 1 <0> out 1 <4>\t# minus two
mul in 2 <3 4> out 1 <5>
output 5
"""


def test_what_the_docstring_shows_is_read():
    made = from_arith(EXAMPLE, name="f")
    assert [(p.name, p.shape) for p in made.inputs] == [("input", (2,)), ("nizkinput", (1,))]
    assert [(p.name, p.shape) for p in made.outputs] == [("output", (1,))]
    assert made([1, 5], [7]).tolist() == [-24]
    assert set(made.names.values()) == {"w3", "w4", "w5"}
    assert evaluate(made, [1, 5, 7], PRIME) == [PRIME - 24]


@pytest.mark.parametrize(
    ("gate", "width", "expected"),
    [
        ("add", 1, lambda a: a),
        ("add", 4, lambda *a: sum(a)),
        ("mul", 2, lambda a, b: a * b),
        ("const-mul-0", 1, lambda a: 0),
        ("const-mul-1F", 1, lambda a: 31 * a),
        ("const-mul-neg-ff", 1, lambda a: -255 * a),
        ("xor", 2, lambda a, b: a ^ b),
        ("or", 2, lambda a, b: a | b),
        ("pack", 3, lambda a, b, c: a + 2 * b + 4 * c),
    ],
)
def test_every_gate(gate, width, expected):
    wires = " ".join(map(str, range(width)))
    inputs = "\n".join(f"input {wire}" for wire in range(width))
    text = (
        f"total {width + 1}\n{inputs}\n{gate} in {width} <{wires}> out 1 <{width}>\noutput {width}"
    )
    made = from_arith(text)
    for bits in itertools.product((0, 1), repeat=width):
        assert evaluate(made, bits) == [expected(*bits)]


def test_a_constant_of_the_field_is_kept():
    made = from_arith(f"total 2\ninput 0\nconst-mul-{PRIME - 1:x} in 1 <0> out 1 <1>\noutput 1")
    assert made([1]).tolist() == [PRIME - 1]
    assert evaluate(made, [5], PRIME) == [PRIME - 5]


@given(st.data())
def test_random_circuits_in_any_order(data):
    draw = data.draw
    width, count = draw(st.integers(1, 4)), draw(st.integers(1, 10))
    lines, rules = [], []
    for i in range(count):
        kind = draw(st.sampled_from(["add", "mul", "const-mul-3", "const-mul-neg-2"]))
        n = {"add": draw(st.integers(1, 4)), "mul": 2}.get(kind, 1)
        operands = [draw(st.integers(0, width + i - 1)) for _ in range(n)]
        rules.append((kind, operands))
        lines.append(f"{kind} in {n} <{' '.join(map(str, operands))}> out 1 <{width + i}>")
    lines += [f"input {wire}" for wire in range(width)] + [f"output {width + count - 1}"]
    lines = draw(st.permutations(lines))
    made = from_arith(f"total {width + count}\n" + "\n".join(lines))
    values = draw(st.lists(st.integers(-3, 3), min_size=width, max_size=width))
    scale = {"const-mul-3": 3, "const-mul-neg-2": -2}
    wires = list(values)
    for kind, operands in rules:
        taken = [wires[o] for o in operands]
        if kind == "add":
            wires.append(sum(taken))
        else:
            wires.append(taken[0] * (taken[1] if kind == "mul" else scale[kind]))
    # Inputs come in the order of their lines.
    given = [values[int(line.split()[1])] for line in lines if line.startswith("input")]
    assert evaluate(made, given) == [wires[-1]]


REFUSED = [
    ("input 0\ntotal 3", 1, "total and the number of wires are expected first"),
    ("total\ninput 0", 1, "total and the number of wires are expected first"),
    ("total x\ninput 0", 1, "total and the number of wires are expected first"),
    ("total 3\ninput", 2, "one number of a wire is expected after input"),
    ("total 3\ninput 0 1", 2, "one number of a wire is expected after input"),
    ("total 3\noutput x", 2, "one number of a wire is expected after output"),
    ("total 3\ninput 3", 2, "wire 3 is not among the 3 of the first line"),
    ("total 3\ninput 0\ninput 0", 3, "wire 0 is an input twice"),
    ("total 3\ninput 0\nmul in 2 <0 0> out 1 <3>", 3, "wire 3 is not among the 3 of the first"),
    ("total 3\ninput 0\nmul in 2 <0 0> ou", 3, "mul in 2 <0 0> ou is broken; input N, nizkinput N"),
    ("total 3\ninput 0\nmul in 2 <0 -1> out 1 <1>", 3, "is broken; input N, nizkinput N, output N"),
    (
        "total 3\ninput 0\nmul in 2 <0> out 1 <1>",
        3,
        "1 wires go in and 1 come out; the line says 2",
    ),
    ("total 3\ninput 0\nmul in 1 <0> out 1 <1>", 3, "mul has 2 wires in and 1 out, not 1 and 1"),
    ("total 3\ninput 0\nadd in 0 <> out 1 <1>", 3, "add has 1 or more wires in and 1 out, not 0"),
    (
        "total 3\ninput 0\nadd in 1 <0> out 2 <1 2>",
        3,
        "add has 1 or more wires in and 1 out, not 1",
    ),
    (
        "total 3\ninput 0\ndiv in 2 <0 0> out 1 <1>",
        3,
        "div is no gate; add, mul, xor, or, pack and",
    ),
    ("total 3\ninput 0\nconst-mul-xy in 1 <0> out 1 <1>", 3, "const-mul-xy is no gate; add, mul"),
    (
        "total 3\ninput 0\nassert in 2 <0 0> out 1 <0>",
        3,
        "assert is a condition on wires and computes none; leave the line out",
    ),
    (
        "total 3\ninput 0\nsplit in 1 <0> out 2 <1 2>",
        3,
        "split is the bits of a wire, which are no",
    ),
    (
        "total 3\ninput 0\nzerop in 1 <0> out 2 <1 2>",
        3,
        "zerop is a comparison with 0, which is no",
    ),
    ("total 3\ninput 0\nmul in 2 <0 1> out 1 <2>\noutput 2", 3, "wire 1 is not defined"),
    ("total 3\ninput 0\nmul in 2 <0 0> out 1 <0>\noutput 0", 3, "wire 0 is an input, and is def"),
    (
        "total 3\ninput 0\nadd in 1 <0> out 1 <1>\nadd in 1 <0> out 1 <1>",
        4,
        "wire 1 is defined twice, first in line 3",
    ),
    (
        "total 3\ninput 0\nadd in 2 <0 2> out 1 <1>\nmul in 2 <0 1> out 1 <2>\noutput 2",
        3,
        "wire 1 is made from itself: wire 1 from wire 2 from wire 1",
    ),
    ("total 3\ninput 0\noutput 2", 3, "wire 2 comes out and is not defined"),
]


@pytest.mark.parametrize(("text", "line", "said"), REFUSED)
def test_a_mistake_is_said_with_its_line(text, line, said):
    with pytest.raises(UserError) as error:
        from_arith(text, "a.arith")
    place, told = str(error.value).split(": ", 1)
    assert place == f"a.arith, line {line}"
    assert said in told


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("total N\ninput 0\noutput 0", 1),
        ("total 3\ninput N\noutput 0", 2),
        ("total 3\ninput 0\nadd in N <0 0> out 1 <1>", 3),
        ("total 3\ninput 0\nadd in 2 <N 0> out 1 <1>", 3),
        ("total 3\ninput 0\nadd in 1 <0> out 1 <N>", 3),
        ("total 3\ninput 0\nadd in 1 <0> out 1 <1>\noutput N", 4),
    ],
)
def test_a_number_of_too_many_digits_is_said_with_its_line(text, line):
    with pytest.raises(UserError) as error:
        from_arith(text.replace("N", "7" * 5000), "a.txt")
    told = f"a.txt, line {line}: 777777777777777777… is a number of 5,000 digits; up to 18 are read"
    assert str(error.value) == told


def test_a_constant_that_is_too_long_is_said_with_its_line():
    line = f"const-mul-{'f' * 300000} in 1 <0> out 1 <1>"
    with pytest.raises(UserError) as error:
        from_arith(f"total 3\ninput 0\n{line}\noutput 1", "a.arith")
    told = "a.arith, line 3: a constant has 1,200,000 bits; up to 1,048,576 are taken"
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "a.arith is empty; total and the number of wires are expected first"),
        ("total 2\ninput 0", "a.arith has no outputs, or is cut off; a line such as output 5 is"),
    ],
)
def test_what_is_missing_is_said(text, said):
    with pytest.raises(UserError) as error:
        from_arith(text, "a.arith")
    assert str(error.value).startswith(said)


def test_long_lines_that_are_broken_take_no_time():
    for wires in ("1" * 200, "1 " * 100000):
        with pytest.raises(
            UserError, match=r"is broken; input N, nizkinput N, output N or GATE in"
        ):
            from_arith(f"total 9\nadd in 1 <{wires}x> out 1 <1>", "a.arith")
        with pytest.raises(UserError, match=r"^a.arith, line 2: "):
            from_arith(f"total 9\nadd in 1 <{wires}> out 1 <1>", "a.arith")


def test_a_file_that_is_cut_off_anywhere_is_refused():
    text = EXAMPLE.strip()
    for end in range(len(text)):
        with pytest.raises(UserError):
            from_arith(text[:end], "a.arith")
