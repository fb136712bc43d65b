from __future__ import annotations

import json

from bestiary.compile import Program, compile_program, conv, input_array, linear
from bestiary.compile.layout import Layout, Place, layout


def made() -> Layout:
    u = input_array("u", 1, labels=["token"])
    gate = linear(u, [[2.0]], name="gate")
    out = (gate * conv({3: 5.0}, u, name="past")).named("out")
    compiled = compile_program(Program((u,), conv({-1: 1.0, 0: 1.0}, out), rows=4, name="small"))
    assert compiled.stack.inner_length is not None
    return layout(compiled.placed, compiled.stack.width, compiled.stack.inner_length)


def test_every_layer_says_what_it_reads_and_how() -> None:
    given, product, last = made().layers
    assert given == (Place(0, 0, "token", "input", 0),)
    assert product[0].role == "product" and product[0].name == "out"
    assert (product[0].gated, product[0].convolved) == ((0,), 0)
    assert product[0].filter == "5.0·X^3"
    assert last[0].role == "filter" and last[0].read
    # Reading one row ahead is a delay of one row: X^-1 + X^0 lies in the layer as X^0 + X^1.
    assert (last[0].delay, last[0].filter) == (1, "X^0 + X^1")


def test_a_layout_survives_json() -> None:
    assert Layout.from_dict(json.loads(json.dumps(made().to_dict()))) == made()


def test_values_that_wait_are_carried_or_copied() -> None:
    u = input_array("u", 1)
    late = u
    for _ in range(3):
        late = conv({1: 1.0}, late * late)
    compiled = compile_program(Program((u,), late * u, rows=3))
    found = layout(compiled.placed, compiled.stack.width, compiled.stack.inner_length or 0)
    roles = [[place.role for place in layer if place.name == "u"] for layer in found.layers[1:-1]]
    assert all(set(r) <= {"carried", "copied"} and r for r in roles)
