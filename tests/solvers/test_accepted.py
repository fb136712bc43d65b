"""Which tasks which solvers take, and that they are right wherever they take one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recall_by_hand import accuracy

from bestiary.errors import UserError
from bestiary.solvers.registry import SOLVERS, SolverSpec, build_solver
from bestiary.tasks import TASKS, build_task
from bestiary.tasks.associative_recall import AssociativeRecall, PairsSegment
from bestiary.tasks.induction import Induction, LengthSegment
from bestiary.training.evaluate import evaluate

FOLLOWING = ["all-pairs", "attention", "autocorrelation", "lookup", "sort"]
"""Solvers that say what followed an earlier place of the token that asks."""

TASKS_OF_THEIRS = {
    "mixture": AssociativeRecall(
        64, (PairsSegment(1), PairsSegment(3), PairsSegment(7)), test_examples=50
    ),
    "smallest": AssociativeRecall(4, (PairsSegment(1),), test_examples=10),
    "shared": AssociativeRecall(15, (PairsSegment(7),), "shared", test_examples=100),
    # All tokens but the trigger repeat.
    "two tokens": Induction(3, (LengthSegment(9), LengthSegment(16)), test_examples=50),
    "shortest": Induction(9, (LengthSegment(3),), test_examples=40),
    "longer than the vocabulary": Induction(6, (LengthSegment(16),), test_examples=50),
}


def build(name, task, **options):
    return build_solver(SolverSpec(name, options), task).build()


# Of a shared vocabulary the table is refused, below.
TAKEN = [
    (kind, name)
    for kind in TASKS_OF_THEIRS
    for name in FOLLOWING
    if (kind, name) != ("shared", "lookup")
]


@pytest.mark.parametrize(("kind", "name"), TAKEN)
def test_one_query_is_answered_right_and_for_certain(kind, name):
    task = TASKS_OF_THEIRS[kind]
    model = build(name, task)
    measured = evaluate(model, task, "test").total
    assert measured.accuracy == 1.0
    assert measured.mean_loss < 1e-6
    # The trigger and every key come once before they ask, whatever else repeats.
    assert model.take_notes() == []


@pytest.mark.parametrize("repeat", ["first", "latest"])
@pytest.mark.parametrize("name", ["all-pairs", "attention", "autocorrelation", "lookup"])
def test_a_rule_for_repeats_changes_nothing_where_what_asks_came_once(name, repeat):
    task = TASKS_OF_THEIRS["longer than the vocabulary"]
    assert accuracy(build(name, task, repeat=repeat), task) == 1.0


@settings(max_examples=15, deadline=None)
@given(
    vocab_size=st.integers(3, 70),
    lengths=st.lists(st.integers(3, 24), min_size=1, max_size=2),
    seed=st.integers(0, 2**30),
)
def test_any_induction_task_is_solved(vocab_size, lengths, seed):
    segments = tuple(LengthSegment(length, test=20) for length in lengths)
    task = Induction(vocab_size, segments, seed=seed)
    for name in ("all-pairs", "attention", "autocorrelation", "lookup"):
        assert accuracy(build(name, task), task) == 1.0


@pytest.mark.parametrize("name", [n for n in FOLLOWING if n not in ("all-pairs", "sort")])
def test_the_longest_examples_are_solved(name):
    largest = AssociativeRecall(2**16, (PairsSegment(511, test=4),))
    assert accuracy(build(name, largest), largest) == 1.0


def test_an_induction_table_has_one_slot_for_the_trigger():
    task = Induction(33, (LengthSegment(40),), test_examples=5)
    model = build("lookup", task)
    # A trigger or none, one of 32 tokens beside it, and whether the last token was the trigger.
    assert model.state_size(40) == 1 + 5 + 1


def test_a_table_short_of_pairs_answers_those_it_holds():
    task = AssociativeRecall(64, (PairsSegment(4),), test_examples=3000)
    model = build("lookup", task, slots=2)
    share = sum((batch < 2).sum() for batch in numbers_asked(task)) / 3000
    assert accuracy(model, task) == share
    assert "hold 2 pairs with their keys, where all 4 take" in model.take_notes()[0]


def numbers_asked(task):
    """Which pair each example asks for, from 0."""
    batch = task.arrays("test")
    yield (batch.tokens.shape[1] - 1 - batch.info["gap"][:, -1]) // 2


REFUSED = [
    *[(name, "selective-copy", "mqar, associative-recall, induction") for name in FOLLOWING],
    *[("selective-copy", name, "the task selective-copy") for name in TASKS if name[0] != "s"],
]


@pytest.mark.parametrize(("solver", "task", "accepted"), REFUSED)
def test_a_task_it_cannot_do_is_refused_with_those_it_can(solver, task, accepted):
    with pytest.raises(
        UserError, match=rf"^compiled:{solver} cannot solve {task} \(accepted: "
    ) as e:
        build_solver(SolverSpec(solver), build_task({"name": task}))
    assert accepted in str(e.value)
    assert "\n" not in str(e.value)


def test_each_solver_takes_a_task_or_refuses_it():
    assert {solver for solver, *_ in REFUSED} == set(SOLVERS)


def test_keys_that_no_number_tells_from_values_are_refused_by_the_table():
    with pytest.raises(UserError, match="vocabulary is 'shared'"):
        build("lookup", TASKS_OF_THEIRS["shared"])


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"vocab_size": 2**17}, "vocab_size of up to 65,536; the task has 131,072"),
        ({"segments": [{"length": 1025, "items": 4}]}, "length of up to 1,024; the task has 1,025"),
    ],
)
def test_selective_copy_has_the_limits_of_the_others(settings, sentence):
    with pytest.raises(UserError, match=f"^compiled:selective-copy takes a {sentence}"):
        build_solver(
            SolverSpec("selective-copy"), build_task({"name": "selective-copy"} | settings)
        )
