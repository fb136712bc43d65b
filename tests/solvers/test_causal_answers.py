"""A solver of one's own that reads the future is refused, and none that does not."""

from __future__ import annotations

import pytest
import torch

from bestiary.errors import UserError
from bestiary.solvers.registry import SOLVERS, SolverSpec
from bestiary.solvers.usable import usable_model
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.selective_copy import SelectiveCopy

RECALL = MQAR(
    vocab_size=16,
    segments=({"length": 8, "pairs": 1}, {"length": 24, "pairs": 3}),
    test_examples=10,
)
COPY = SelectiveCopy(vocab_size=8, segments=({"length": 12, "items": 3},), test_examples=10)


LEAKY = ["NextToken", "BothSides", "NextFarFromZero", "NextAmongRuledOut", "LastOfAll"]
SOUND = ["OneSide", "FarFromZero", "Rounded", "Halved", "RulesOut", "Picky", "Draws"]


@pytest.mark.parametrize("name", LEAKY)
def test_an_answer_that_depends_on_later_tokens_is_refused_in_a_sentence(name):
    with pytest.raises(UserError, match="cannot be used: the answer at position") as refused:
        usable_model(SolverSpec(f"leaky_solvers:{name}"), RECALL)
    said = str(refused.value)
    assert "changes when only tokens after position" in said and "\n" not in said


def test_the_position_is_that_of_an_answer_and_not_after_the_change():
    tokens = torch.from_numpy(RECALL.stream("test").examples(0, range(1)).tokens)
    asked = int(RECALL.stream("test").examples(0, range(1)).positions[0])
    with pytest.raises(UserError, match=f"at position {asked} of an example of {len(tokens[0])} "):
        usable_model(SolverSpec("leaky_solvers:NextToken"), RECALL)


@pytest.mark.parametrize("name", SOUND)
def test_what_reads_the_past_alone_is_accepted(name):
    usable_model(SolverSpec(f"leaky_solvers:{name}"), RECALL)


@pytest.mark.parametrize("name", SOLVERS)
def test_what_comes_with_bestiary_does_not_read_ahead(name):
    usable_model(SolverSpec(SOLVERS[name]), COPY if name == "selective-copy" else RECALL)
