import json

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_programs import by_numpy, random_program

from bestiary.compile import (
    Program,
    Rows,
    Value,
    compile_program,
    concat,
    constant_array,
    conv,
    input_array,
    pad,
)
from bestiary.compile import hyena as compile_hyena
from bestiary.compile.bounds import Bound
from bestiary.compile.compiled_file import load_compiled, save_compiled
from bestiary.compile.degree import degree, depth_floor
from bestiary.compile.from_matrix import METHODS, matrix
from bestiary.compile.primitives import compose, linear, remember
from bestiary.compile.report import measure
from bestiary.mixers.hyena import Hyena
from bestiary.structured import Butterfly


def hyena(n: int, d: int, order: int) -> Program:
    rng = np.random.default_rng(order)
    u = input_array("u", d)
    z: Value = u @ rng.normal(size=(d, d))
    for _ in range(order):
        z = (u @ rng.normal(size=(d, d))) * conv(rng.normal(size=(n, d)), z)
    return Program((u,), z, rows=n, name=f"hyena {order}")


def test_degrees_add_up_in_products_channel_by_channel():
    u = input_array("u", 2)
    square = u * u
    fifth = square * square * u[[1, 0]]
    assert degree(Program((u,), fifth, rows=1)) == 5
    mixed = concat([fifth, square, constant_array(3, 1)])
    assert degree(Program((u,), mixed @ np.eye(5)[:, 2:], rows=1)) == 2
    assert degree(Program((u,), pad(u, 4) * constant_array(2, 4), rows=1)) == 1
    assert degree(Program((u,), fifth * Rows.of(np.zeros((1, 2))), rows=1)) == 0
    deep = u
    for _ in range(100):
        deep = deep * deep
    assert degree(Program((u,), deep, rows=1)) == 2**100


def test_the_floor_is_the_logarithm_of_the_degree_rounded_up():
    floors = {0: None, 1: None, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 2**100 + 1: 101}
    assert {d: depth_floor(d) for d in floors} == floors


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25, deadline=None)
def test_counts_are_those_of_the_dense_arrays(seed):
    compiled = compile_program(random_program(by_numpy(seed), 12))
    report = measure(compiled)
    dense = compiled.stack.dense()
    arrays = [p.detach() for p in dense.parameters()]
    assert report.parameters.dense == sum(a.numel() for a in arrays)
    assert report.parameters.nonzero == sum(int((a != 0).sum()) for a in arrays)
    assert report.floor is None or report.layers >= report.floor
    layers = len(dense.layers)
    own = 3 * layers * report.inner_rows * report.width
    assert own <= report.parameters.kaleidoscope <= report.parameters.dense


def test_a_selection_counts_four_butterflies_and_a_diagonal():
    u = input_array("u", 200)
    turned = u[list(range(199, -1, -1))] * Rows.of(np.array([1.0, 2.0]))
    compiled = compile_program(Program((u,), turned, rows=2))
    assert len(compiled.stack.layers) == 1
    # m = 256: four butterflies of 8 factors with 2·256 numbers each, and the diagonal.
    expected = min(4 * 8 * 2 * 256 + 256, 200**2)
    assert measure(compiled).parameters.kaleidoscope == expected + 3 * 2 * 200


def test_a_report_says_sizes_floor_and_the_bounds_beside():
    report = measure(compile_program(hyena(8, 3, 3)), {"paper": Bound(layers=15, source="H.10")})
    assert (report.layers, report.width, report.inner_rows, report.degree) == (4, 6, 8, 4)
    assert report.floor == 2
    text = str(report)
    assert "hyena 3: 8 × 3 (causal, delay 0)" in text
    assert ["paper", "15", "–", "–", "H.10"] in [line.split() for line in text.splitlines()]
    told = json.loads(json.dumps(report.as_json()))
    assert told["bounds"]["paper"]["layers"] == 15
    assert "m·log2 m" in told["kaleidoscope_counts"]


def test_a_linear_map_has_a_dash_for_its_floor():
    u = input_array("u", 2)
    report = measure(compile_program(Program((u,), conv({0: 1, 1: -1}, u), rows=4)))
    assert report.floor is None
    assert ["floor,", "degree", "1", "–"] in [line.split() for line in str(report).splitlines()]


@pytest.mark.parametrize("method", METHODS)
def test_a_matrix_has_no_floor_whatever_products_of_masks_compute_it(method, tmp_path):
    twiddle = np.random.default_rng(0).normal(size=(3, 2, 2, 4))
    compiled = matrix(Butterfly.from_packed(torch.from_numpy(twiddle)), 2, method=method)
    save_compiled(tmp_path / "m.safetensors", compiled)
    for report in (measure(compiled), measure(load_compiled(tmp_path / "m.safetensors"))):
        assert (report.degree, report.floor) == (1, None)


@pytest.mark.parametrize("taps", [0, 3])
@pytest.mark.parametrize("layout", ["channel", "time"])
def test_the_degree_of_a_hyena_is_one_more_than_its_order_in_any_layout(layout, taps, tmp_path):
    mixer = Hyena(2, order=4, short_taps=taps, max_length=4)
    compiled = compile_hyena(mixer, 4, layout)
    save_compiled(tmp_path / "h.safetensors", compiled)
    for report in (measure(compiled), measure(load_compiled(tmp_path / "h.safetensors"))):
        # Four gates and z^0, of degree 1 each.
        assert (report.degree, report.floor) == (5, 3)


def test_only_linear_programs_after_one_another_are_known_to_be_linear():
    kept = remember(np.ones((2, 1)), np.ones((2, 1)), 1)
    assert degree(kept) > 1
    assert measure(compile_program(kept)).floor is None
    doubled = linear(3, [[2.0]])
    assert measure(compile_program(compose(kept, doubled))).floor is None
    u = input_array("u", 1)
    square = Program((u,), u * u, rows=3)
    for both in (compose(square, doubled), compose(doubled, square)):
        assert (measure(compile_program(both)).degree, both.degree) == (2, None)


def test_products_that_passes_leave_out_raise_no_floor_above_the_layers():
    u = input_array("u", 1)
    nowhere = Rows.of(np.zeros((4, 1)))
    program = Program((u,), u + (u * u * u) * nowhere, rows=4)
    unseen = Program((u,), u + conv({0: 1}, (u * u) * Rows.window(4, 6)), rows=4)
    for one in (program, unseen):
        report = measure(compile_program(one))
        assert (report.degree, report.floor) == (1, None)


def test_row_biases_that_repeat_are_counted_once_where_they_are_stored():
    u = input_array("u", 50)
    compiled = compile_program(Program((u,), u * Rows.of(np.arange(1.0, 9)), rows=8))
    parameters = measure(compiled).parameters
    assert parameters.nonzero >= 50 * 8
    assert parameters.stored <= 8 + 2 * 50
