"""What is wrong with a solver of one's own is one sentence, and said before anything is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from bestiary.cli.main import main
from bestiary.errors import UserError
from bestiary.solvers.registry import SolverSpec
from bestiary.solvers.usable import usable_model
from bestiary.tasks.mqar import MQAR
from bestiary.training import evaluate

TASK = MQAR(
    vocab_size=8,
    segments=({"length": 8, "pairs": 1}, {"length": 12, "pairs": 2}),
    test_examples=10,
)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("NeedsMore", "cannot be made with task: TypeError: .* argument: 'more'"),
        ("TakesNoTask", r"cannot be made with task: TypeError: TakesNoTask\(\) takes no arg"),
        ("Refuses", "^odd is 3; it must be even$"),
        ("BuildsNothing", r"cannot be used: build\(\) gives a dict, not a torch.nn.Module"),
        ("BuildFails", r"build\(\) raises KeyError: 'mine' \(--debug shows where\)"),
        (
            "Bare",
            r"a Bare without vocab_size, size, compiled, state_size\(length\), take_notes\(\) \(",
        ),
        ("WrongSize", r"size is \(1, 2\); it must be a bestiary.solvers.Size\(layers, width, rows"),
        ("HalfSize", "size.width is 2.5; it must be an int of at least 0"),
        ("SizeFails", "size raises AttributeError: .* has no attribute 'layers'"),
        ("HalfState", r"state_size\(8\) is 4.0; it must be an int of at least 0"),
        ("WrongCompiled", "compiled is 'near'; it must be what compile_program gives, or None"),
        ("ForwardFails", r"model\(tokens, positions\) raises RuntimeError: .*mat1 and mat2"),
        ("NoPositions", r"model\(tokens, positions\) raises TypeError: .* 3 were given"),
        ("PositionsIgnored", r"of shape \(1, 8, 8\) for an example of 8 tokens; it must be \(1, 8"),
        ("PositionsNeeded", r"model\(tokens\) raises TypeError: .*'positions'"),
        ("WholeNumbers", "gives logits of torch.int64; they must be floating-point numbers"),
        ("NoNumbers", r"gives logits that are not numbers \(nan\)"),
        ("SaysNothing", "gives a NoneType, not a tensor of logits"),
        ("OneNote", r"take_notes\(\) gives 'keys came twice'; it must be a list of sentences"),
    ],
)
def test_what_keeps_a_solver_from_being_scored_is_said_in_a_sentence(name, said):
    with pytest.raises(UserError, match=said) as refused:
        usable_model(SolverSpec(f"odd_solvers:{name}"), TASK)
    assert "\n" not in str(refused.value)


def test_a_module_without_weights_is_scored():
    model = usable_model(SolverSpec("odd_solvers:Sound"), TASK)
    scored = evaluate(model, TASK, "test").total
    # 0 is the filler, and no value.
    assert (scored.queries, scored.accuracy) == (10 * 1 + 10 * 2, 0.0)


def test_notes_on_what_was_tried_are_not_kept():
    solver = SolverSpec("bestiary.solvers.attention:AttentionSolver")
    task = MQAR(vocab_size=8, segments=({"length": 32, "pairs": 2},), filler="any")
    assert usable_model(solver, task).take_notes() == []


def test_a_solver_that_cannot_be_scored_is_refused_before_anything_runs(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for model in ("PositionsIgnored", "BuildFails"):
        named = f"compiled:odd_solvers:{model}"
        assert main(["recall", "--preset", "quick", "--no-mixers", "--model", named]) == 2
        said = capsys.readouterr().err
        assert "cannot be used" in said and len(said.strip().splitlines()) == 1
    assert main(["explain", "compiled:odd_solvers:BuildFails"]) == 2
    assert "build() raises KeyError: 'mine'" in capsys.readouterr().err
    assert list(Path().iterdir()) == []
