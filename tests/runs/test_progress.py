from __future__ import annotations

import io

import pytest
from rich.console import Console
from small_experiment import experiment

from bestiary.runs.events import Advanced, Ended, Started
from bestiary.runs.experiment import make_plan
from bestiary.runs.progress import shown


@pytest.fixture
def plan(tmp_path):
    return make_plan(experiment(sweep__models=["attention", "short_conv"]), tmp_path)


def events(plan):
    one, two = (run.run_id for run in plan.runs)
    return [
        Started(one),
        Started(two),
        Advanced(one, 4, 8, 1.5, 0.25, 1234.0),
        Ended(one, "finished", "all epochs are done", 12.4),
        Advanced(two, 1, 8, float("nan"), float("nan"), 10.0),
        Ended(two, "failed", "RuntimeError: out of [bold]luck[/bold]", 3.0),
    ]


def test_elsewhere_than_on_a_terminal_a_run_is_a_line_at_its_start_and_at_its_end(plan):
    console = Console(file=io.StringIO(), force_terminal=False, width=60)
    with shown(plan, console) as notify:
        for event in events(plan):
            notify(event)
    assert console.file.getvalue().splitlines() == [
        "attention seed 0: started",
        "short_conv seed 0: started",
        "attention seed 0: finished in 12 s (1 of 2)",
        "short_conv seed 0: failed: RuntimeError: out of [bold]luck[/bold] (2 of 2)",
    ]


def test_on_a_terminal_there_is_a_bar_for_all_runs_and_one_for_each_under_way(plan):
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with shown(plan, console) as notify:
        for event in events(plan)[:3]:
            notify(event)
        notify._progress.refresh()
        during = console.file.getvalue()
        for event in events(plan)[3:]:
            notify(event)
    after = console.file.getvalue()[len(during) :]
    for part in ("all runs", "0 of 2 runs", "attention seed 0", "25% right, 1,234 examples/s"):
        assert part in during
    # One run half way is a quarter of two.
    assert " 25%" in during
    assert "2 of 2 runs" in after
    assert "100%" in after
    assert "out of [bold]luck[/bold]" in after


def test_runs_that_model_and_seed_do_not_tell_apart_are_told_by_id(tmp_path):
    plan = make_plan(experiment(sweep__grid={"model.d_model": [4, 8]}), tmp_path)
    console = Console(file=io.StringIO(), force_terminal=False, width=60)
    with shown(plan, console) as notify:
        notify(Started(plan.runs[1].run_id))
    assert console.file.getvalue() == f"{plan.runs[1].run_id} rate 1e-3 seed 0: started\n"


def test_runs_that_differ_in_their_rate_are_told_by_it(tmp_path):
    grid = {"training.learning_rate": [1e-3, 0.025]}
    plan = make_plan(experiment(sweep__grid=grid), tmp_path)
    console = Console(file=io.StringIO(), force_terminal=False, width=60)
    with shown(plan, console) as notify:
        notify(Started(plan.runs[1].run_id))
    assert console.file.getvalue() == "attention rate 2.5e-2 seed 0: started\n"


@pytest.mark.parametrize("terminal", [False, True])
def test_a_run_that_was_interrupted_does_not_count_as_done(plan, terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
    one, two = (run.run_id for run in plan.runs)
    with shown(plan, console) as notify:
        notify(Started(one))
        notify(Started(two))
        notify(Advanced(two, 2, 8, 1.5, 0.25, 10.0))
        notify(Ended(one, "finished", "all epochs are done", 12.4))
        notify(Ended(two, "interrupted", "SIGTERM was received", 3.0))
    said = console.file.getvalue()
    # One run and a quarter of the other.
    assert ("1 of 2 runs" in said and " 62%" in said) if terminal else said.count("(1 of 2)") == 2
    assert "2 of 2" not in said


@pytest.mark.parametrize("terminal", [False, True])
def test_a_label_is_shown_as_it_is(tmp_path, terminal):
    models = [{"label": "[/red] :smile:", "mixers": ["attention"]}]
    plan = make_plan(experiment(sweep__models=models), tmp_path)
    console = Console(file=io.StringIO(), force_terminal=terminal, width=120)
    with shown(plan, console) as notify:
        notify(Started(plan.runs[0].run_id))
        notify(Ended(plan.runs[0].run_id, "failed", "[/]", 3.0))
    assert "[/red] :smile: seed 0: failed: [/]" in console.file.getvalue()
