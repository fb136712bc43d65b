import json
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_programs import by_numpy, random_input, random_program

from bestiary.compile import (
    Program,
    Rows,
    compile_program,
    conv,
    input_array,
    interpret,
    linear,
)
from bestiary.compile.program_file import load_program, pack, save_program, unpack
from bestiary.errors import UserError
from bestiary.mixers.tensor_file import Document


def example() -> Program:
    u = input_array("u", 2, labels=("left", "right"))
    third = np.array([Fraction(1, 3), 2**70], dtype=object)
    z = linear(u, [[1, 0], [Fraction(-2, 7), 5]], Rows.of([[1.5, 0], [2, 1e-300]], start=1))
    z = (z * third).named("scaled")
    return Program((u,), z + conv({-1: 0.1, 2: [3.0, 4.0]}, u), rows=3, reads=(-1, 2), name="both")


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_program_comes_back_as_it_was(seed):
    choose = by_numpy(seed)
    program = random_program(choose)
    x = random_input(choose, program)
    document = pack(program)
    text = json.dumps(document.header, allow_nan=False)
    again = unpack(Document(json.loads(text), document.arrays))
    assert str(again) == str(program)
    assert (interpret(again, x, exactly=True) == interpret(program, x, exactly=True)).all()
    twice = pack(again)
    assert json.dumps(twice.header) == text
    assert all(torch.equal(twice.arrays[name], document.arrays[name]) for name in document.arrays)


def test_ints_fractions_and_floats_come_back_exactly(tmp_path):
    save_program(tmp_path / "p.safetensors", example())
    again = load_program(tmp_path / "p.safetensors")
    x = np.array([[1, 2], [3, Fraction(1, 9)], [5, -7]], dtype=object)
    found, expected = (interpret(p, x, exactly=True) for p in (again, example()))
    assert (found == expected).all()
    assert again.inputs[0].channel_names() == ("left", "right")
    assert (again.name, again.reads, again.rows) == ("both", (-1, 2), 3)


@pytest.mark.parametrize("degree", [None, 0, 1, 3])
def test_the_known_degree_comes_back_and_older_files_say_less_of_it(degree):
    u = input_array("u", 1)
    document = pack(Program((u,), u * 2, rows=2, degree=degree))
    assert unpack(document).degree == degree
    older = {name: value for name, value in document.header.items() if name != "degree"}
    for said, meant in (({}, None), ({"linear": False}, None), ({"linear": True}, 1)):
        assert unpack(Document({**older, **said}, document.arrays)).degree == meant
    for wrong in ("two", -1, True, 1.5):
        with pytest.raises(UserError, match=r"its degree is .*; a number from 0 is needed"):
            unpack(Document({**older, "degree": wrong}, document.arrays))


def test_placed_cells_come_back_with_layer_channel_and_delay():
    placed = compile_program(example()).placed
    again = unpack(pack(placed))
    for old, new in zip(placed, again, strict=True):
        told = [
            (type(v), v.name, v.delay, getattr(v, "layer", 0), getattr(v, "channel", 0))
            for v in (old, new)
        ]
        assert told[0] == told[1]
    x = np.array([[1, 2], [3, 4], [5, -7]])
    assert (interpret(again, x, exactly=True) == interpret(placed, x, exactly=True)).all()


def test_numbers_that_repeat_are_stored_once(tmp_path):
    u = input_array("u", 500)
    v = u
    for _ in range(4):
        v = v * Rows.of(np.arange(300.0))
    program = Program((u,), v, rows=300)
    assert pack(program).arrays["floats"].numel() < 2000
    save_program(tmp_path / "p", program)
    assert (tmp_path / "p").stat().st_size < 40_000


def test_a_deep_program_is_stored_without_recursion():
    u = input_array("u", 1)
    v = u
    for _ in range(3000):
        v = v + 1
    again = unpack(pack(Program((u,), v, rows=1)))
    assert interpret(again, np.zeros((1, 1)), exactly=True).item() == 3000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 99}, "version 99; this program reads versions 1 to 1"),
        ({"format": "other"}, "format is 'other'"),
        ({"values": [{"is": "convv", "width": 1}]}, "unknown operation 'convv'; did you mean"),
        ({"output": 99}, "is a program file that is damaged"),
        ({"rows": "x"}, "is a program file that is damaged"),
        ({"values": [{"is": "shift", "width": 1, "of": [3], "by": 1}]}, "which comes later"),
        ({"mode": "circulr"}, "did you mean 'circular'"),
    ],
)
def test_what_is_no_program_is_refused_in_one_sentence(change, words):
    document = pack(example())
    with pytest.raises(UserError, match=words) as caught:
        unpack(Document(document.header | change, document.arrays))
    assert "\n" not in str(caught.value)


def test_numbers_that_are_cut_off_are_refused():
    document = pack(example())
    arrays = document.arrays | {"floats": document.arrays["floats"][:-1]}
    with pytest.raises(UserError, match="of floats, of which there are"):
        unpack(Document(document.header, arrays))
