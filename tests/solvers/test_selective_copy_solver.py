from __future__ import annotations

from functools import lru_cache
from math import ceil, log2

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pages import page
from recall_by_hand import accuracy

from bestiary.compile.compiling import compile_program
from bestiary.compile.expression import concat, input_array
from bestiary.compile.interpret import interpret
from bestiary.compile.layout import layout
from bestiary.compile.program import Program
from bestiary.errors import UserError
from bestiary.solvers.protocol import Solver, SolverModel
from bestiary.solvers.selective_copy import (
    SelectiveCopySolver,
    compacted,
    counted,
    most_channels,
    most_layers,
    products,
)
from bestiary.tasks.selective_copy import CopySegment, SelectiveCopy
from bestiary.training.evaluate import evaluate


@lru_cache(maxsize=32)
def model_for(vocab_size, length, noise=1):
    """Compiled once: models are not changed by what they are asked."""
    task = SelectiveCopy(vocab_size, (CopySegment(length, 1),), noise)
    return SelectiveCopySolver(task).build()


def run(output, given, array):
    return interpret(Program((given,), output, rows=len(array)), np.asarray(array), exactly=True)


@pytest.mark.parametrize(
    "task",
    [
        SelectiveCopy(4, (CopySegment(2, 1),), test_examples=20),
        SelectiveCopy(7, (CopySegment(3, 1), CopySegment(9, 4)), test_examples=60),
        SelectiveCopy(32, (CopySegment(64, 8), CopySegment(20, 10)), test_examples=60),
        SelectiveCopy(32, (CopySegment(40, 20),), noise=29, test_examples=60),
        SelectiveCopy(3000, (CopySegment(150, 70), CopySegment(150, 1)), noise=9, test_examples=20),
    ],
    ids=str,
)
def test_every_marker_is_answered_right_and_for_certain(task):
    model = SelectiveCopySolver(task).build()
    measured = evaluate(model, task, "test").total
    assert measured.accuracy == 1.0
    assert measured.mean_loss < 1e-6
    assert model.take_notes() == []


@pytest.mark.slow
def test_the_largest_size_is_exact_too():
    task = SelectiveCopy(2**16, (CopySegment(1024, 500),), noise=7, test_examples=2)
    model = SelectiveCopySolver(task).build()
    assert accuracy(model, task) == 1.0
    assert model.size.layers == 10 * 16 + 1


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_data_in_any_places_are_said_in_order(data):
    # 0 and 1 are noise, 2 the marker, 3 to 6 data.
    length = data.draw(st.integers(2, 12))
    before = data.draw(
        st.lists(st.sampled_from([0, 1, 3, 4, 5, 6]), min_size=1, max_size=length - 1)
    )
    markers = data.draw(st.integers(1, length - len(before)))
    tokens = before + [2] * markers
    logits = model_for(7, 12, noise=2)(torch.tensor([tokens]))[0]
    kept = [token for token in before if token > 2]
    for number, row in enumerate(logits[len(before) :]):
        if number < len(kept):
            assert row.argmax() == kept[number]
        else:
            assert not row.any()


def test_markers_that_follow_change_no_answer():
    model = model_for(7, 12, noise=2)
    tokens = [0, 5, 1, 3, 0, 4, 6]
    whole = model(torch.tensor([[*tokens, 2, 2, 2, 2]]))[0]
    for markers in range(1, 4):
        cut = model(torch.tensor([tokens + [2] * markers]))[0]
        assert torch.equal(cut[len(tokens) :], whole[len(tokens) : len(tokens) + markers])


@pytest.mark.parametrize("length", [2, 3, 4, 5, 8, 9, 16, 30])
@pytest.mark.parametrize("vocab_size", [4, 5, 300, 2**16])
def test_layers_channels_and_delay_are_those_of_the_theory(vocab_size, length):
    m, b = ceil(log2(length)), ceil(log2(vocab_size))
    size = model_for(vocab_size, length).size
    assert size.layers <= m * (m + 6) + (1 if length > 2 else 3) == most_layers(length)
    assert size.width <= 4 * b + 3 * m == most_channels(length, b)
    assert size.delay == 2 ** (m + 1) - 2
    assert size.rows == length + size.delay


@settings(max_examples=40, deadline=None)
@given(events=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_running_counts_are_those_in_binary(events):
    array = np.array(events, dtype=int)
    given_ = input_array("events", 2)
    found = run(concat(counted(given_, len(array), 5)), given_, array).astype(int)
    right = [[(count >> k) & 1 for k in range(5) for count in row] for row in array.cumsum(axis=0)]
    assert found.tolist() == right


@settings(max_examples=40, deadline=None)
@given(signs=st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=20), upwards=st.booleans())
def test_running_products_go_over_all_rows_on_one_side(signs, upwards):
    given_ = input_array("flips", 1)
    flips = (1 - np.array(signs)[:, None]) // 2
    found = run(products(1 - 2 * given_, len(signs), upwards=upwards), given_, flips)[:, 0]
    rows = range(len(signs))
    right = [np.prod(signs[i:] if upwards else signs[: i + 1]) for i in rows]
    assert found.tolist() == right


@settings(max_examples=40, deadline=None)
@given(kept=st.lists(st.booleans(), min_size=1, max_size=16))
def test_rows_that_hold_something_move_together(kept):
    gaps = np.cumsum([not one for one in kept])
    array = [
        [number, *((gaps[number] >> k) & 1 for k in range(4))] if one else [0] * 5
        for number, one in enumerate(kept, 1)
        for number in [number - 1]
    ]
    for row, one in zip(array, kept, strict=True):
        row[0] = row[0] + 1 if one else 0
    given_ = input_array("x", 5)
    found = run(compacted(given_[0], given_[1:]), given_, array)[:, 0].astype(int).tolist()
    held = [number for number, one in enumerate(kept, 1) if one]
    assert found == held + [0] * (len(kept) - len(held))


def test_the_stack_computes_what_the_circuit_means_and_so_do_its_dense_layers():
    model = model_for(7, 6, noise=2)
    given_ = model.stack_input(torch.tensor([[0, 4, 1, 6, 2, 2], [5, 5, 2, 2, 2, 2]]))
    meant = interpret(model.compiled.source, given_.double().numpy(), exactly=True)
    for stack in (model.stack, model.stack.dense()):
        with torch.no_grad():
            assert np.array_equal(stack(given_).double().numpy(), meant.astype(np.float64))


def test_positions_may_come_in_any_order_and_over_several_chunks(monkeypatch):
    model = model_for(7, 12, noise=2)
    tokens = torch.randint(7, (9, 10), generator=torch.Generator().manual_seed(0))
    everywhere = model(tokens)
    assert everywhere.shape == (9, 10, 7)
    monkeypatch.setattr("bestiary.solvers.code_model.CHUNK", 2 * 10 * model.size.width)
    positions = torch.tensor([80, 3, 57, 0, 79, 3])
    assert torch.equal(model(tokens, positions), everywhere.flatten(0, 1)[positions])


def test_kinds_are_among_the_parameters():
    model = model_for(7, 6, noise=2)
    dense = model.stack.dense()
    whole = [p for layer in dense.layers for p in (*layer.parameters(), *layer.buffers())]
    # Codes of 3 bits in embedding and head, and one kind a token.
    assert model.size.parameters == sum(int((p != 0).sum()) for p in whole) + 2 * 7 * 3 + 7
    assert model.state_size(10) == 30


def test_it_is_a_solver_whose_values_are_named_and_explained():
    solver = SelectiveCopySolver(SelectiveCopy(8, (CopySegment(8, 2),)))
    model = solver.build()
    assert isinstance(solver, Solver) and isinstance(model, SolverModel)
    assert not any(p.requires_grad for p in model.parameters())
    made = layout(model.compiled.placed, model.size.width, model.size.rows)
    names = {place.name for layer in made.layers for place in layer}
    words = {name.split()[0].split(".")[0] for name in names} - {"·"}
    assert {"code", "data", "parity", "carry", "compact", "fall", "answers"} <= words
    assert words <= set(model.meanings)


def test_longer_sequences_are_refused():
    with pytest.raises(UserError, match=r"13 tokens .* up to 12"):
        model_for(7, 12, noise=2)(torch.zeros(1, 13, dtype=torch.int64))


def test_the_program_is_exact_in_bfloat16():
    """Every number is a small half: the stack gives the same whatever it computes in."""
    model = model_for(7, 12, noise=2)
    given_ = model.stack_input(torch.tensor([[0, 4, 1, 6, 0, 3, 2, 2, 2]]))
    right = model.stack(given_)
    halved = compile_program(model.compiled.source).stack.to(torch.bfloat16)
    with torch.no_grad():
        assert torch.equal(halved(given_.bfloat16()).float(), right)


@pytest.mark.parametrize(
    ("vocab_size", "length", "sizes"), [(32, 64, (73, 190, 27)), (2**16, 1024, (161, 3070, 74))]
)
def test_sizes_are_those_that_the_page_of_theory_gives(vocab_size, length, sizes):
    size = model_for(vocab_size, length).size
    assert (size.layers, size.rows, size.width) == sizes
    given_ = ", ".join(f"{number:,}" for number in sizes)
    text = page("theory.md").replace(" layers, N' =", ",").replace("\nand d' =", ",")
    assert given_ in text.replace(" and 74", ", 74")
