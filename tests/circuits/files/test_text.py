"""Circuits as text: what is written is read again, and what people write means what Python says."""

from __future__ import annotations

import itertools
from fractions import Fraction
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_circuits import inputs_of, random_circuits

import bestiary.circuits
from bestiary.circuits import circuit, evaluate
from bestiary.circuits.building import Builder
from bestiary.circuits.files.text import from_text, to_text
from bestiary.errors import UserError


def read(text):
    return from_text(dedent(text).strip("\n"))


@given(st.data())
def test_a_written_circuit_is_read_again(data):
    made = data.draw(random_circuits())
    text = to_text(made.circuit)
    again = from_text(text)
    assert to_text(again) == text
    assert (again.name, again.inputs, again.outputs) == (
        made.circuit.name,
        made.circuit.inputs,
        made.circuit.outputs,
    )
    assert again.size == made.circuit.size
    values = data.draw(inputs_of(made.circuit))
    assert evaluate(again, values) == made.expected(values)


NUMBERS = st.one_of(
    st.integers(),
    st.fractions(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.complex_numbers(allow_nan=False, allow_infinity=False),
    st.sampled_from([10**5000, Fraction(1, 3**20000), -(16**9000), 1e-323, -0.0]),
)


@given(NUMBERS, st.sampled_from(["+", "-", "r-", "*"]))
def test_constants_are_kept_to_the_last_bit(number, operation):
    builder = Builder()
    x, c = builder.input("x")[0], builder.constant(number)
    gate = {
        "+": lambda: builder.add(x, c),
        "-": lambda: builder.subtract(x, c),
        "r-": lambda: builder.subtract(c, x),
        "*": lambda: builder.multiply(x, c),
    }[operation]()
    made = builder.finished({"y": ((), [gate])})
    again = from_text(to_text(made))
    assert again.constants == made.constants
    assert [type(n) for n in again.constants] == [type(n) for n in made.constants]


TERMS = st.recursive(
    st.sampled_from(["x", "y[0]", "y[1]", "2", "3", "(1/3)", "7"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", " - ", " * "]), inner).map("".join),
        inner.map("({})".format),
        inner.map("-{}".format),
        inner.map("({})**2".format),
        inner.map("{} / 4".format),
        inner.map("+ {}".format),
    ),
    max_leaves=8,
)


@given(TERMS, st.integers(-5, 5), st.integers(-5, 5), st.integers(-5, 5))
def test_expressions_mean_what_they_mean_in_python(term, x, a, b):
    made = from_text(f"input x y[2]\noutput {term} as z")
    exact = {"x": Fraction(x), "y": [Fraction(a), Fraction(b)]}
    text = term.replace("(1/3)", "third").replace("/ 4", "* quarter")
    expected = eval(text, exact | {"third": Fraction(1, 3), "quarter": Fraction(1, 4)})
    assert made(x, [a, b]) == expected


def test_what_the_docstring_shows_is_read():
    made = read(
        """
        circuit distance                    # its name, if it has one
        input x[2] y[2]                     # arrays, or scalars: input z

        dx = x[0] - y[0]                    # + - * / ** and parentheses, as in Python
        dy = x[1] - y[1]
        square = dx**2 + dy ^ 2             # ^ is ** too
        output square                       # a gate, under its own name
        output 3 * (dx + 1/2) as other      # an expression, under a name
        output dx, dy as both[2]            # an array, entries in row-major order
        """
    )
    found = made([5, 7], [2, 3])
    assert found["square"] == 25
    assert found["other"] == Fraction(21, 2)
    assert found["both"].tolist() == [3, 4]
    assert made.name == "distance"
    assert sorted(made.names.values()) == ["dx", "dy", "square"]
    assert "square = " in to_text(made)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("2 + 3 * 4", 14),
        ("-x**2", -9),
        ("2 ** 3 ** 2", 512),
        ("2 ^ 3", 8),
        ("x - 1 - 1", 1),
        ("12 / 3 / 2", 2),
        ("x * -2 + - -x", -3),
        ("1/3", Fraction(1, 3)),
        ("x / 2", Fraction(3, 2)),
        ("0x1F + 1e2 + .5 + 5.", 136.5),
        ("2j * x - 1", -1 + 6j),
        ("(((x)))", 3),
        ("x**0", 1),
        ('"a b"[1] + "as"', 20),
    ],
)
def test_numbers_and_operations(term, expected):
    made = read(f'input x, "a b"[2], "as"\noutput {term} as "the result"')
    assert made(3, [5, 6], 14) == expected
    assert made.outputs[0].name == "the result"


def test_lines_may_stand_in_any_order():
    made = read(
        """
        output c
        c = b * a
        b = a + x
        a = x - 1
        input x
        """
    )
    assert made(5) == 36


def test_an_expression_may_be_very_long_and_very_deep():
    deep = "(" * 20000 + "x" + ")" * 20000
    assert from_text(f"input x\noutput {deep} + 1 as y")(2) == 3
    long = "+".join(["x"] * 20000)
    assert from_text(f"input x\noutput {long} as y")(2) == 40000
    chain = "\n".join(f"a{i + 1} = a{i} + x" for i in range(5000))
    assert from_text(f"input x\noutput a5000\na0 = x\n{chain}")(1) == 5001


def test_names_of_all_kinds_are_kept():
    @circuit(x=2)
    def f(x, g0):
        odd = {"^": g0, "x ": g0, " x": g0, "3": g0, "größe": g0, "output": g0, "as": g0, "a#b": g0}
        return {"a b": x * g0, 'quote " \n': x[0], "x": g0, "": x[:0]} | odd

    text = to_text(f)
    again = from_text(text)
    assert again.outputs == f.outputs
    assert to_text(again) == text
    assert again([1, 2], 3)["a b"].tolist() == [3, 6]


def test_names_of_gates_are_kept_unless_they_cannot_be_told_apart():
    builder = Builder()
    (x,) = builder.input("x")
    gates = [builder.add(x, builder.constant(n)) for n in range(1, 5)]
    for gate, name in zip(gates, ["carry", "carry", "x", "g7"], strict=True):
        builder.names[gate] = name
    again = from_text(to_text(builder.finished({"y": ((4,), gates)})))
    assert list(again.names.values()) == ["carry"]
    assert again(0).tolist() == [1, 2, 3, 4]


REFUSED = [
    ("input x\ny = x +\noutput y", 2, "a value is expected behind +"),
    ("input x\ny =\noutput y", 2, "a value is expected"),
    ("input x\ny = x x\noutput y", 2, "an operation (+ - * / **) is expected before x"),
    ("input x\ny = 3x\noutput y", 2, "an operation (+ - * / **) is expected before x"),
    ("input x\ny = * x\noutput y", 2, "a value is expected where * stands"),
    ("input x\ny = (x\noutput y", 2, "a ( is never closed"),
    ("input x\ny = x)\noutput y", 2, "a ) closes no ("),
    ("input x\ny = x $ 2\noutput y", 2, "'$' is no part of a name, a number or an operation"),
    ("input x\ny -> x\noutput y", 2, "'->' is no part of a name, a number or an operation"),
    ("input x\n3 = x\noutput y", 2, "a name is expected before =, not 3"),
    ("input x\ny == x\noutput y", 2, "== compares values; a circuit only adds and multiplies: "),
    ("input x\nprint x\noutput x", 2, "circuit, input, output or NAME = EXPRESSION is expected,"),
    ("input x\n\noutput x y as z", 3, "an operation (+ - * / **) is expected before y"),
    ("input x\noutput x y", 2, "an output has one name, and x y are 2; output NAME, output EXPR"),
    ("input x\noutput x + 1", 2, "as NAME is missing: output x + 1 as NAME is expected"),
    ("input x y\noutput x / y", 2, "as NAME is missing: output x / y as NAME is expected"),
    ("input x[2]\noutput x[1]", 2, "as NAME is missing: output x[1] as NAME is expected"),
    ("input x\noutput (x*-2), 3", 2, "as NAME[2] is missing: output (x * - 2), 3 as NAME[2] is e"),
    ("input x\noutput x + " + "+ x" * 99, 2, "as NAME is missing: output x + + x + x"),
    ("input x\noutput x * (x", 2, "a ( is never closed"),
    ("input x\noutput x * x as", 2, "a name is expected behind as: output NAME, output EXPRESSION"),
    ("input x\noutput as z", 2, "an expression is expected between output and z"),
    ("input x\noutput y = x", 2, "= defines a gate, in a line of its own; output NAME, output EX"),
    ("input x\noutput", 2, "a name or an expression is expected after output: output NAME, outp"),
    ("input x\noutput x as 3", 2, "a name is expected, not 3"),
    ("input x\noutput x as y z", 2, "z stands behind the output's name; output NAME"),
    ("input x\noutput x, x as y[3]", 2, "y[3] has 3 entries and is given 2"),
    ("input x\noutput x, x as y", 2, "y has 1 entries and is given 2"),
    ("input x\noutput x as y\noutput x as y", 3, "two outputs are called y"),
    ("input", 1, "a name is expected after input, such as x or x[3]"),
    ("input 3", 1, "a name is expected, not 3"),
    ("input x[", 1, "a whole number is expected within [ ]"),
    ("input x[2.5]", 1, "a whole number is expected within [ ]"),
    (f"input x[{'9' * 5000}]", 1, "999999999999999999… is a number of 5,000 digits; up to 18 are"),
    ("input x[2", 1, "a comma or ] is expected behind 2 within [ ]"),
    ("input x\ninput x[2]", 2, "two inputs are called x; give each a name of its own"),
    ("input x[9999999999]", 1, "inputs of up to 1,048,576 scalars in all are taken"),
    ("circuit two words", 1, 'one name is expected after circuit; others go "in quotes"'),
    ('input "x\\q"', 1, "is no name in quotes"),
    ("input x\nx = 3\noutput x", 2, "x is an input, and is defined again"),
    ("input x[2]\nx = 3\noutput x", 2, "x is an input, and is defined again"),
    ("input x\na = x\nb = a\na = 3\noutput b", 4, "a is defined twice, first in line 2"),
    ("input x\noutput sum\nsun = x", 2, "sum is not defined; did you mean 'sun'?"),
    ("input x[2]\noutput x as y", 2, "x is no entry of the input x[2]; indices count from 0"),
    ("input x[2]\noutput x[2] as y", 2, "x[2] is no entry of the input x[2]; indices count"),
    ("input x\noutput x[0] as y", 2, "x[0] is no entry of the input x; indices count from 0"),
    ("input x\na = x\noutput a[0] as y", 3, "a[0] is not defined"),
    ("input x\na = a + x\noutput a", 2, "a is made from itself: a from a"),
    (
        "input x\na = b + x\nb = x * c\nc = a\noutput a",
        2,
        "a is made from itself: a from b from c from a",
    ),
    ("input x\ny = 1 / x\noutput y", 2, "a value was divided by one that depends on the inputs;"),
    ("input x\ny = x / (2 - 2)\noutput y", 2, "a value is divided by 0; a divisor must be another"),
    ("input x\ny = x ** x\noutput y", 2, "an exponent depends on the inputs; a constant whole"),
    ("input x\ny = x ** -1\noutput y", 2, "the exponent -1 makes no polynomial; a whole number"),
    ("input x\ny = x ** (1/2)\noutput y", 2, "makes no polynomial; a whole number from 0 on is"),
    ("input x\ny = x ** 99999\noutput y", 2, "a power of degree 99999 was asked for; degrees up"),
    ("input x\ny = x * 1e999\noutput y", 2, "a constant is inf; a finite number is needed"),
]


@pytest.mark.parametrize(("text", "line", "said"), REFUSED)
def test_a_mistake_is_said_with_its_line(text, line, said):
    with pytest.raises(UserError) as error:
        from_text(text, "my.circuit")
    place, told = str(error.value).split(": ", 1)
    assert place == f"my.circuit, line {line}"
    assert said in told
    assert "\n" not in told


@pytest.mark.parametrize("sign", ["==", "!=", "<", ">", "<=", ">=", "if", "else", "in", "%", "//"])
def test_what_is_no_sum_or_product_is_refused_with_what_there_is(sign):
    with pytest.raises(UserError) as error:
        from_text(f"input x y\noutput x {sign} y as z", "f")
    told = str(error.value)
    assert told.startswith(f"f, line 2: {sign} ")
    assert "a circuit only adds and multiplies: trace a Python function" in told
    for name in ("select", "eq_bits", "less_bits"):
        assert callable(getattr(bestiary.circuits, name))
        assert name in told


@pytest.mark.parametrize("line", ["m = max(x, 2)", "m = x + abs (y)", "output x(y + 1) as m"])
def test_a_call_is_refused_with_what_there_is(line):
    with pytest.raises(
        UserError, match=r"\(…\) calls a function, or lacks a \* before its \(; a c"
    ):
        from_text(f"input x y\n{line}")


@pytest.mark.parametrize("line", ["m = x and y", "m = x | y", "m = not x", "m = ~x", "xor x y"])
def test_operations_on_bits_are_refused_with_the_polynomials_that_they_are(line):
    with pytest.raises(
        UserError, match=r"is an operation on bits; .* write a [*] b for and, a [+] b"
    ):
        from_text(f"input x y\n{line}")
    made = from_text("input a b\noutput a * b, a + b - a * b, 1 - a as made[3]")
    for a, b in itertools.product((0, 1), repeat=2):
        assert made(a, b).tolist() == [a and b, a or b, int(not a)]


def test_words_that_mean_something_in_python_may_be_names():
    made = from_text("input if\nand = if * 2\nnot = and + if\noutput not * and as in")
    assert made(3) == 54


def test_a_whole_number_of_too_many_digits_is_refused_and_a_hexadecimal_one_is_read():
    for number in ("9" * 5000, "1/" + "9" * 5000):
        with pytest.raises(UserError) as error:
            from_text(f"input x\noutput x * {number} as y")
        assert str(error.value) == (
            "the text, line 2: a whole number has 5,000 decimal digits; up to 4,300 are taken, and "
            "longer numbers in hexadecimal, such as 0xff"
        )
    assert from_text("input x\noutput x * " + "9" * 4300 + " as y")(1) == 10**4300 - 1
    assert from_text("input x\noutput x * 0x" + "f" * 5000 + " as y")(1) == 16**5000 - 1


def test_a_text_without_outputs_is_refused():
    for text in ("", "# nothing", "input x\ny = x + 1"):
        with pytest.raises(
            UserError, match=r"^f.txt has no outputs, or is cut off; add a line out"
        ):
            from_text(text, "f.txt")
