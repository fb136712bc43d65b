"""What attention and autocorrelation have in common: both answer every query there can be."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_by_hand import LARGEST, TASKS, WITH_REPEATS, accuracy, answer, examples, small_task

from bestiary.errors import UserError
from bestiary.solvers.protocol import SolverModel
from bestiary.solvers.registry import SolverSpec, build_solver, solver_class
from bestiary.training.evaluate import evaluate

EXACT = ["attention", "autocorrelation"]
exact = pytest.mark.parametrize("name", EXACT)
rule = pytest.mark.parametrize("repeat", ["first", "latest"])


def build(name, task, **options):
    return build_solver(SolverSpec(name, options), task).build()


@exact
@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"V{task.vocab_size}-{task.filler}")
def test_every_query_of_mqar_is_answered_right_and_for_certain(name, task):
    model = build(name, task)
    measured = evaluate(model, task, "test").total
    assert measured.accuracy == 1.0
    assert measured.mean_loss < 1e-6
    assert isinstance(model, SolverModel)
    assert model.take_notes() == []


@exact
@pytest.mark.parametrize("repeat", [None, "first", "latest"])
def test_the_largest_size_is_exact_too(name, repeat):
    options = {} if repeat is None else {"repeat": repeat}
    assert accuracy(build(name, LARGEST, **options), LARGEST) == 1.0


@exact
def test_the_first_place_is_the_context_s_where_filler_repeats_keys(name):
    assert accuracy(build(name, WITH_REPEATS, repeat="first"), WITH_REPEATS) == 1.0
    # Brute force knows which queries filler has answered otherwise.
    right = asked = 0
    for batch in examples(WITH_REPEATS):
        for tokens, labels in zip(batch.tokens.tolist(), batch.labels.tolist(), strict=True):
            latest = answer(tokens, "latest")
            places = [i for i, label in enumerate(labels) if label >= 0]
            right += sum(latest[i] == labels[i] for i in places)
            asked += len(places)
    assert right < asked
    assert accuracy(build(name, WITH_REPEATS, repeat="latest"), WITH_REPEATS) == right / asked


@exact
@rule
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_repeats_follow_the_rule_in_any_sequence(name, repeat, data):
    vocab_size = data.draw(st.integers(4, 40))
    length = data.draw(st.integers(1, 33))
    tokens = data.draw(st.lists(st.integers(0, vocab_size - 1), min_size=length, max_size=length))
    # A model takes sequences shorter than those it was made for.
    model = build(name, small_task(vocab_size, 34), repeat=repeat)
    said = model(torch.tensor([tokens])).argmax(-1)[0].tolist()
    for ours, right in zip(said, answer(tokens, repeat), strict=True):
        assert right is None or ours == right


@exact
def test_keys_that_came_once_are_right_beside_others_and_the_others_are_counted(name):
    tokens = [5, 9, 5, 8, 6, 7, 5, 6, 5]
    model = build(name, small_task(16, 12))
    said = model(torch.tensor([tokens])).argmax(-1)[0].tolist()
    assert (said[2], said[7]) == (9, 7)
    # 5 came twice before row 6, and three times before row 8.
    (note,) = model.take_notes()
    assert note.startswith("2 of 9 queries had a key that came more than once before, and ")
    assert model.take_notes() == []


@exact
def test_later_tokens_change_no_answer(name):
    generator = np.random.default_rng(0)
    tokens = torch.from_numpy(generator.integers(0, 12, (3, 40)))
    changed = tokens.clone()
    changed[:, 25:] = torch.from_numpy(generator.integers(0, 12, (3, 15)))
    model = build(name, small_task(12, 40), repeat="latest")
    assert torch.equal(model(tokens)[:, :25], model(changed)[:, :25])


@exact
@pytest.mark.parametrize("asked", [[70, 3, 41, 41, 0], [70, 3, 41, 0]])
def test_logits_at_positions_are_those_of_all_in_the_order_asked(name, asked):
    tokens = torch.from_numpy(np.random.default_rng(1).integers(0, 9, (4, 20)))
    model = build(name, small_task(9, 20), repeat="first")
    positions = torch.tensor(asked)
    everywhere = model(tokens)
    assert everywhere.shape == (4, 20, 9)
    torch.testing.assert_close(model(tokens, positions), everywhere.flatten(0, 1)[positions])


@pytest.mark.parametrize("name", [*EXACT, "lookup", "all-pairs", "sort"])
def test_no_examples_have_no_answers(name):
    model, tokens = build(name, small_task(8, 4)), torch.zeros(0, 4, dtype=torch.int64)
    assert model(tokens).shape == (0, 4, 8)
    assert model(tokens, torch.zeros(0, dtype=torch.int64)).shape == (0, 8)


@pytest.mark.parametrize("name", [*EXACT, "lookup"])
def test_what_cannot_be_solved_is_refused_in_a_sentence(name):
    class Other:
        pass

    with pytest.raises(UserError, match=rf"^compiled:{name} cannot solve Other \(accepted: "):
        solver_class(name)(Other())
    with pytest.raises(UserError, match="takes a vocab_size of up to 65,536; the task has 65,540"):
        build(name, small_task(65540, 8))
    with pytest.raises(UserError, match="takes a length of up to 1,024; the task has 1,026"):
        build(name, small_task(8, 1026))
    with pytest.raises(UserError, match=r"unknown repeat 'last'.*\(accepted: first, latest\)"):
        build(name, small_task(8, 8), repeat="last")
    with pytest.raises(UserError, match="has no option 'width'"):
        build(name, small_task(8, 8), width=3)
