from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_by_hand import accuracy, answer, examples, small_task

from bestiary.compile.interpret import interpret
from bestiary.compile.layout import layout
from bestiary.errors import UserError
from bestiary.solvers.protocol import SolverModel
from bestiary.solvers.registry import SolverSpec, build_solver, solver_class
from bestiary.solvers.sort import SortSolver, most_layers
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment
from bestiary.training.evaluate import evaluate

either_way = pytest.mark.parametrize("back", ["sort", "undo"])


@lru_cache(maxsize=32)
def model_for(vocab_size, length, back="sort"):
    """Compiled once: models are not changed by what they are asked."""
    spec = SolverSpec("sort", {"back": back})
    return build_solver(spec, small_task(vocab_size, length)).build()


def check(model, rows):
    """Every token that came before gets what followed its latest place; no other gets anything."""
    for tokens, logits in zip(rows, model(torch.tensor(rows)), strict=True):
        for row, right in zip(logits, answer(tokens, "latest"), strict=True):
            if right is None:
                assert not row.any()
            else:
                assert row.argmax().item() == right


def sequences(vocab_size, length):
    """Several at once, since a call costs as much as many examples."""
    tokens = st.lists(st.integers(0, vocab_size - 1), min_size=length, max_size=length)
    return st.lists(tokens, min_size=1, max_size=12)


@either_way
@pytest.mark.parametrize(("vocab_size", "length"), [(4, 4), (6, 8), (32, 16)])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_the_latest_place_is_answered_in_any_sequence(back, vocab_size, length, data):
    check(model_for(vocab_size, length, back), data.draw(sequences(vocab_size, length)))


@either_way
@pytest.mark.parametrize("length", [6, 12])
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_lengths_that_are_no_power_of_two_and_shorter_sequences_are_right_too(back, length, data):
    # Token 0 is what they are filled up with.
    count = data.draw(st.integers(1, length))
    check(model_for(5, length, back), data.draw(sequences(3, count)))


@either_way
def test_sequences_of_few_tokens_and_of_none_twice_are_right(back):
    rows = [[0] * 8, [5] * 8, [0, 5] * 4, [0, 1, 2, 3, 4, 5, 0, 1], [5, 0, 0, 5, 0, 0, 5, 0]]
    check(model_for(6, 8, back), rows)


@either_way
def test_mqar_of_16_tokens_is_answered_right_and_for_certain(back):
    task = MQAR(vocab_size=32, segments=(Segment(16, 4), Segment(12, 2)), test_examples=100)
    model = build_solver(SolverSpec("sort", {"back": back}), task).build()
    measured = evaluate(model, task, "test").total
    assert measured.accuracy == 1.0
    assert measured.mean_loss < 1e-6
    assert isinstance(model, SolverModel)
    assert model.take_notes() == []


def test_mqar_of_64_tokens_is_answered_right_by_the_layers_rows_and_channels_of_the_theory():
    task = MQAR(vocab_size=256, segments=(Segment(64, 16),), test_examples=50)
    model = model_for(256, 64)
    assert accuracy(model, task) == 1.0
    assert most_layers(64, 8) == 323
    assert model.size.layers <= 323
    assert model.size.rows <= 305
    assert model.size.width <= 72
    check_filler_that_repeats_keys(model)


def check_filler_that_repeats_keys(model):
    """Under ``any`` the latest place may be filler's; brute force says what then is right."""
    task = MQAR(vocab_size=24, segments=(Segment(64, 8),), filler="any", test_examples=30)
    answered_by_filler = 0
    for batch in examples(task):
        said = model(torch.from_numpy(batch.tokens)).argmax(-1).numpy()
        for tokens, labels, ours in zip(batch.tokens.tolist(), batch.labels, said, strict=True):
            right = answer(tokens, "latest")
            known = [i for i, value in enumerate(right) if value is not None]
            assert [right[i] for i in known] == ours[known].tolist()
            answered_by_filler += sum(right[i] != labels[i] for i in np.flatnonzero(labels >= 0))
    assert answered_by_filler > 0


@pytest.mark.parametrize(
    ("length", "bits", "stated"),
    # 2 + S(⌈log2(b + m)⌉ + 4) + (⌈log2 b⌉ + 3) + S(⌈log2 m⌉ + 4) by hand.
    [(4, 2, 39), (8, 4, 85), (16, 5, 148), (1024, 13, 944)],
)
def test_the_bound_on_layers_is_the_theory_s(length, bits, stated):
    assert most_layers(length, bits) == stated


@either_way
@pytest.mark.parametrize(("vocab_size", "length"), [(4, 4), (6, 8), (32, 16), (5, 6), (5, 12)])
def test_no_more_layers_than_the_bound(back, vocab_size, length):
    model = model_for(vocab_size, length, back)
    assert model.size.layers <= most_layers(length, model.bits, back)


def test_undoing_swaps_takes_fewer_layers_than_sorting_back():
    assert model_for(32, 16, "undo").size.layers < model_for(32, 16).size.layers


def test_masks_are_stored_once_a_layer_and_not_for_each_channel():
    """After the first stage, in which bits of positions are constants: two masks of 16 rows."""
    layers = list(model_for(32, 16).stack.layers)[20:]
    for layer in layers:
        for bias in (layer.gate_bias, layer.conv_bias):
            assert bias is None or bias.values.numel() <= 2 * 16


def test_the_stack_gives_what_the_array_program_means():
    model = model_for(6, 8)
    tokens = np.random.default_rng(0).integers(0, 6, 8)
    codes = model.codes[torch.from_numpy(tokens)]
    right = interpret(model.compiled.source, codes.double().numpy())
    np.testing.assert_array_equal(model.stack(codes[None])[0].numpy(), right)


def test_logits_at_positions_are_those_of_all_in_the_order_asked():
    tokens = torch.from_numpy(np.random.default_rng(1).integers(0, 6, (4, 7)))
    model = model_for(6, 8)
    positions = torch.tensor([27, 3, 14, 14, 0])
    everywhere = model(tokens)
    assert everywhere.shape == (4, 7, 6)
    torch.testing.assert_close(model(tokens, positions), everywhere.flatten(0, 1)[positions])


def test_what_cannot_be_solved_is_refused_in_a_sentence():
    class Other:
        pass

    with pytest.raises(UserError, match=r"^compiled:sort cannot solve Other \(accepted: "):
        solver_class("sort")(Other())
    with pytest.raises(UserError, match="takes a length of up to 1,024; the task has 1,026"):
        build_solver(SolverSpec("sort"), small_task(8, 1026))
    with pytest.raises(UserError, match=r"unknown back 'redo'.*\(accepted: sort, undo\)"):
        build_solver(SolverSpec("sort", {"back": "redo"}), small_task(8, 8))
    with pytest.raises(UserError, match="a sequence of 9 tokens was given"):
        model_for(6, 8)(torch.zeros(1, 9, dtype=torch.int64))


def test_values_have_names_by_which_they_can_be_explained():
    compiled = SortSolver(small_task(4, 4)).build().compiled
    made = layout(compiled.placed, compiled.stack.width, compiled.stack.inner_length)
    names = {place.name for layer in made.layers for place in layer}
    assert {"code.0", "sort 1 order.0", "sort 1 move.0", "back 3 move.3", "answers.1"} <= names


def test_the_stack_gets_the_codes_of_a_sequence_that_is_filled_up_with_token_0():
    model = SortSolver(small_task(4, 6)).build()
    given = model.stack_input(torch.tensor([[3, 1]]))
    assert given.tolist() == [[[1, 1], [1, -1], *[[-1, -1]] * 4]]
