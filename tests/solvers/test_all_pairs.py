from __future__ import annotations

from math import ceil, log2

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_by_hand import TASKS, WITH_REPEATS, accuracy, answer, examples, small_task

from bestiary.compile.interpret import interpret
from bestiary.compile.layout import layout
from bestiary.errors import UserError
from bestiary.solvers.all_pairs import AllPairs, all_pairs_program
from bestiary.solvers.protocol import Solver, SolverModel
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.segments import Segment
from bestiary.training.evaluate import evaluate

SMALL = [task for task in TASKS if task.max_length < 120]
"""The larger take a while to compile, and are asked once, below."""


def bits(task):
    return ceil(log2(task.vocab_size))


@pytest.mark.parametrize("repeat", [None, "first", "latest"])
@pytest.mark.parametrize("task", SMALL, ids=lambda task: f"V{task.vocab_size}-{task.filler}")
def test_every_query_of_mqar_is_answered_right_and_for_certain(task, repeat):
    model = AllPairs(task, repeat=repeat).build()
    measured = evaluate(model, task, "test").total
    assert measured.accuracy == 1.0
    assert measured.mean_loss < 1e-6
    assert model.take_notes() == []


def test_long_sequences_of_many_tokens_are_exact():
    (task,) = [task for task in TASKS if task.vocab_size == 1000]
    assert accuracy(AllPairs(task).build(), task) == 1.0


@pytest.mark.parametrize("length", [4, 6, 10, 16, 18])
@pytest.mark.parametrize("vocab_size", [4, 5, 16, 17, 256])
def test_layers_and_channels_are_those_of_the_theorem(vocab_size, length):
    task = small_task(vocab_size, length)
    b, distances = bits(task), task.max_length - 1
    tree = ceil(log2(b))
    size = AllPairs(task).build().size
    assert size.layers == tree + 3
    assert size.width <= distances * b + max(distances, b)
    assert (size.rows, size.delay) == (task.max_length, 0)
    for repeat in ("first", "latest"):
        decided = AllPairs(task, repeat=repeat).build().size
        # docs/theory.md allows two more.
        assert decided.layers == size.layers + ceil(log2(distances))
        assert decided.width <= distances * (b + 2) + b


@settings(max_examples=40, deadline=None)
@given(
    tokens=st.lists(st.lists(st.integers(0, 4), min_size=8, max_size=8), min_size=1, max_size=4),
    repeat=st.sampled_from(["first", "latest"]),
)
def test_repeated_tokens_are_answered_by_the_place_asked_for(tokens, repeat):
    model = deciding(repeat)
    found = model(torch.tensor(tokens)).argmax(-1).tolist()
    for row, said in zip(tokens, found, strict=True):
        for i, expected in enumerate(answer(row, repeat)):
            assert expected is None or said[i] == expected


MODELS: dict[str, SolverModel] = {}


def deciding(repeat):
    if repeat not in MODELS:
        MODELS[repeat] = AllPairs(small_task(5, 8), repeat=repeat).build()
    return MODELS[repeat]


def test_filler_that_equals_keys_is_decided_by_the_first_place_and_noticed_without_a_rule():
    assert accuracy(AllPairs(WITH_REPEATS, repeat="first").build(), WITH_REPEATS) == 1.0
    model = AllPairs(WITH_REPEATS).build()
    assert accuracy(model, WITH_REPEATS) < 1.0
    asked = repeated = 0
    for batch in examples(WITH_REPEATS):
        for tokens, labels in zip(batch.tokens.tolist(), batch.labels.tolist(), strict=True):
            places = [i for i, label in enumerate(labels) if label >= 0]
            asked += len(places)
            repeated += sum(tokens[:i].count(tokens[i]) > 1 for i in places)
    (note,) = model.take_notes()
    assert note.startswith(f"{repeated:,} of {asked:,} queries")
    assert model.take_notes() == []


def test_values_of_a_repeated_key_add_up_without_a_rule():
    # Bits of 5 and 3 are 101 and 011: where they differ the sum is 0.
    tokens = torch.tensor([[1, 5, 1, 3, 1]])
    model = AllPairs(small_task(8, 6)).build()
    logits = model(tokens, torch.tensor([4]))[0]
    agreeing = [token for token in range(8) if token & 1]
    best = torch.nonzero(logits == logits.max())[:, 0].tolist()
    assert best == agreeing


def test_positions_may_come_in_any_order_and_over_several_chunks(monkeypatch):
    task = small_task(16, 12)
    model = AllPairs(task, repeat="latest").build()
    tokens = torch.randint(16, (9, 12), generator=torch.Generator().manual_seed(0))
    everywhere = model(tokens)
    assert everywhere.shape == (9, 12, 16)
    monkeypatch.setattr("bestiary.solvers.code_model.CHUNK", 2 * 12 * model.size.width)
    positions = torch.tensor([100, 3, 57, 0, 99, 3])
    assert torch.equal(model(tokens, positions), everywhere.flatten(0, 1)[positions])


def test_shorter_sequences_are_answered_and_longer_ones_refused():
    model = AllPairs(small_task(16, 12), repeat="first").build()
    tokens = torch.tensor([[1, 9, 2, 10, 1]])
    assert model(tokens, torch.tensor([4])).argmax(-1).tolist() == [9]
    with pytest.raises(UserError, match=r"13 tokens .* up to 12"):
        model(torch.zeros(1, 13, dtype=torch.int64))


@pytest.mark.parametrize("repeat", [None, "first", "latest"])
def test_the_stack_computes_what_the_circuit_means_and_so_do_its_dense_layers(repeat):
    program = all_pairs_program(6, 3, repeat)
    model = AllPairs(small_task(8, 6), repeat=repeat).build()
    codes = np.random.default_rng(0).choice([-1, 1], size=(5, 6, 3))
    meant = interpret(program, codes, exactly=True).astype(np.float64)
    given = torch.from_numpy(codes).float()
    for stack in (model.stack, model.stack.dense()):
        with torch.no_grad():
            assert np.array_equal(stack(given).double().numpy(), meant)


def test_parameters_are_counted_as_the_dense_layers_have_them():
    model = AllPairs(small_task(8, 6)).build()
    dense = model.stack.dense()
    whole = [p for layer in dense.layers for p in (*layer.parameters(), *layer.buffers())]
    ends = 2 * 8 * 3
    assert model.size.parameters == sum(int((p != 0).sum()) for p in whole) + ends + 15
    layers, width, rows = model.size.layers, model.size.width, model.size.rows
    assert model.size.dense == layers * (width**2 + 3 * rows * width) + ends + 15 * 3


def test_the_state_is_the_codes_of_the_tokens_so_far():
    model = AllPairs(MQAR(vocab_size=100, segments=(Segment(16, 2),))).build()
    assert model.state_size(10) == 10 * 7


def test_the_compiled_program_can_be_explained_by_name():
    model = AllPairs(small_task(4, 4)).build()
    made = layout(model.compiled.placed, model.size.width, model.size.rows)
    names = {place.name for layer in made.layers for place in layer}
    assert {"code.0", "alike −3.1", "match −3", "value −3.0", "matches"} <= names


def test_products_on_the_way_to_a_match_say_which_bits_they_compare():
    model = AllPairs(small_task(16, 4)).build()
    made = layout(model.compiled.placed, model.size.width, model.size.rows)
    names = {place.name for layer in made.layers for place in layer}
    assert {"alike −2.0·2", "alike −2.1·3"} <= names


def test_the_stack_gets_codes_and_nothing_after_a_shorter_sequence():
    model = AllPairs(small_task(4, 6)).build()
    given = model.stack_input(torch.tensor([[3, 1]]))
    assert given.tolist() == [[[1, 1], [1, -1], *[[0, 0]] * 4]]


def test_it_is_a_solver_whose_model_is_not_trained():
    solver = AllPairs(small_task(8, 6))
    model = solver.build()
    assert isinstance(solver, Solver) and isinstance(model, SolverModel)
    assert not any(p.requires_grad for p in model.parameters())


class OtherTask:
    vocab_size, max_length = 8, 16


@pytest.mark.parametrize(
    ("task", "options", "said"),
    [
        (OtherTask(), {}, "cannot solve OtherTask .accepted: the tasks mqar, "),
        (MQAR(vocab_size=2**17), {}, "vocab_size of up to 65,536; the task has 131,072"),
        (MQAR(segments=(Segment(2048, 4),)), {}, "length of up to 1,024; the task has 2,048"),
        (MQAR(), {"repeat": "last"}, "unknown repeat 'last'; did you mean 'latest'"),
    ],
)
def test_what_it_cannot_do_is_said_before_anything_is_built(task, options, said):
    with pytest.raises(UserError, match=said):
        AllPairs(task, **options)
