from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bestiary.errors import UserError
from bestiary.report.explain.words import group_of
from bestiary.runs.compiled_model import parse_compiled
from bestiary.runs.explained import explained_example, queries_of
from bestiary.runs.named_task import read_task
from bestiary.solvers.registry import SolverSpec, build_solver
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import IGNORE
from bestiary.tasks.segments import Segment

SOLVERS = Path(__file__).parents[1] / "solvers"


def test_a_question_is_read_off_the_latest_place_where_its_answer_follows():
    tokens = np.array([1, 9, 1, 8, 1, 7])
    labels = np.array([IGNORE] * 4 + [8, 5])
    later, lost = queries_of(tokens, labels, np.array([0, 0, 0, 0, 8, 6]))
    assert (later.row, later.key, later.value, later.distance, later.said) == (4, 2, 3, 2, 8)
    assert (lost.key, lost.value, lost.distance, lost.label, lost.said) == (None, None, None, 5, 6)


def test_an_example_has_its_codes_and_what_the_model_says_of_it():
    task = read_task("length=16,pairs=2")
    found = explained_example(parse_compiled("compiled:all-pairs,repeat=first"), task, "test", 5)
    batch = task.stream("test").examples(0, range(5, 6))
    assert found.tokens == tuple(batch.tokens[0])
    bits = (batch.tokens[0][:, None] >> np.arange(4)) & 1
    np.testing.assert_array_equal(found.inputs, 2 * bits - 1)
    assert [q.said for q in found.queries] == [q.label for q in found.queries]
    assert found.name == "compiled:all-pairs,repeat=first"
    assert found.marks[:4] == ("k1", "v1", "k2", "v2")


def test_examples_are_counted_over_segments_and_shorter_ones_are_filled_up():
    task = MQAR(vocab_size=16, segments=(Segment(8, 1), Segment(16, 2)), test_examples=4)
    found = explained_example(parse_compiled("compiled:sort"), task, "test", 2)
    assert len(found.tokens) == 8 and found.inputs.shape == (16, 4)
    assert (found.inputs[8:] == -1).all()
    assert len(explained_example(parse_compiled("compiled:sort"), task, "test", 4).tokens) == 16
    with pytest.raises(UserError, match="there is no example 8; test has examples 0 to 7"):
        explained_example(parse_compiled("compiled:sort"), task, "test", 8)


@pytest.mark.parametrize("name", ["attention", "autocorrelation", "lookup"])
def test_solvers_without_a_program_tell_their_steps_from_input_to_head(name):
    found = explained_example(parse_compiled(f"compiled:{name}"), read_task(None), "test", 0)
    assert found.compiled is None and found.answers is None
    assert [step.title for step in (found.workings[0], found.workings[-1])] == ["input", "head"]
    # Each group of channels is told what it is.
    groups = {group_of(name) for step in found.workings for name in step.names}
    assert groups - {"bit"} == set(found.meanings)


def test_a_model_of_ones_own_may_tell_its_steps(monkeypatch):
    monkeypatch.syspath_prepend(str(SOLVERS))
    model = parse_compiled("compiled:odd_solvers:TellsSteps")
    found = explained_example(model, read_task(None), "test", 0)
    given, squared = found.workings
    assert given.numbers[:, 0].tolist() == list(found.tokens)
    assert squared.numbers[:, 1].tolist() == [token**2 for token in found.tokens]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Sound", r"not compiled .* does not tell its steps.*a method workings\(tokens\)"),
        ("TellsTooFew", r"numbers of shape \(2, 1\) in its step 'input'; 16 rows and 1 name need"),
        ("TellsText", r"tells \('t', 'o', .* must be one bestiary.solvers.working.Working or more"),
        ("TellsNothing", r"cannot be explained: workings\(tokens\) raises AttributeError"),
    ],
)
def test_steps_that_cannot_be_shown_are_said_in_a_sentence(monkeypatch, name, said):
    monkeypatch.syspath_prepend(str(SOLVERS))
    model = parse_compiled(f"compiled:odd_solvers:{name}")
    with pytest.raises(UserError, match=said):
        explained_example(model, read_task(None), "test", 0)


@pytest.mark.parametrize(
    ("task", "marks"),
    [("associative-recall,pairs=2", ("k1", "v1", "k2", "v2")), ("induction,length=8", None)],
)
def test_examples_of_other_recall_tasks_are_followed_too(task, marks):
    found = explained_example(parse_compiled("compiled:all-pairs"), read_task(task), "test", 0)
    (query,) = found.queries
    assert query.said == query.label == found.tokens[query.value]
    assert found.tokens[query.key] == found.tokens[query.row] and query.value == query.key + 1
    if marks:
        assert found.marks[:4] == marks


def test_what_the_head_adds_up_are_the_sums_that_logits_are_made_from():
    task = read_task(None)
    found = explained_example(parse_compiled("compiled:all-pairs"), task, "test", 1)
    model = build_solver(SolverSpec("all-pairs"), task).build()
    logits = model(torch.tensor([found.tokens]))[0].numpy()
    np.testing.assert_allclose(16 * found.answers @ model.codes.numpy().T, logits, rtol=1e-6)


def test_selective_copying_is_followed_by_names_that_have_a_meaning():
    found = explained_example(
        parse_compiled("compiled:selective-copy"), read_task("selective-copy"), "test", 0
    )
    assert found.marks[-4:] == ("m1", "m2", "m3", "m4")
    assert [query.said for query in found.queries] == [query.label for query in found.queries]
    # The n-th marker asks for the n-th token above the marker's number.
    items = [row for row, token in enumerate(found.tokens) if token > 1]
    assert [query.value for query in found.queries] == items
    assert [query.row for query in found.queries] == [12, 13, 14, 15]
    assert all(query.key is query.distance is None for query in found.queries)
    assert {"parity", "compact"} <= set(found.meanings)
