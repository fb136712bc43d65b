from pathlib import Path

import pytest
from made_runs import write_experiment, write_run

from bestiary.report import load_study
from bestiary.report.points import Point


def only(points: list[Point]) -> Point:
    assert len(points) == 1
    return points[0]


def test_runs_of_one_config_at_other_seeds_and_rates_are_one_point(tmp_path: Path) -> None:
    for rate in (1e-3, 1e-2):
        for seed in range(3):
            write_run(tmp_path, rate=rate, seed=seed)
    point = only(load_study(tmp_path).points)
    assert [rate.learning_rate for rate in point.rates] == [1e-3, 1e-2]
    assert [[run["seed"] for run in rate.runs] for rate in point.rates] == [[0, 1, 2], [0, 1, 2]]


def test_the_rate_is_chosen_on_validation_and_not_on_test(tmp_path: Path) -> None:
    write_run(tmp_path, rate=1e-3, validation=0.8, test=0.7)
    write_run(tmp_path, rate=1e-2, validation=0.6, test=0.9)
    study = load_study(tmp_path)
    assert only(study.points).chosen.learning_rate == 1e-3
    assert study.segments[0].accuracies == (0.7,)


def test_of_equal_rates_the_lower_is_chosen(tmp_path: Path) -> None:
    for rate in (3e-3, 1e-3):
        write_run(tmp_path, rate=rate, validation=0.8)
    assert only(load_study(tmp_path).points).chosen.learning_rate == 1e-3


def test_a_rate_does_not_win_by_the_survivors_of_divergence(tmp_path: Path) -> None:
    write_run(tmp_path, rate=1e-2, seed=0, validation=0.9)
    write_run(tmp_path, rate=1e-2, seed=1, status="diverged")
    for seed in (0, 1):
        write_run(tmp_path, rate=1e-3, seed=seed, validation=0.5)
    # At 1e-2 the mean is (0.9 + 0) / 2 = 0.45.
    assert only(load_study(tmp_path).points).chosen.learning_rate == 1e-3


def test_a_failed_run_says_nothing_about_its_rate(tmp_path: Path) -> None:
    write_run(tmp_path, rate=1e-2, seed=0, validation=0.9)
    write_run(tmp_path, rate=1e-2, seed=1, status="failed")
    write_run(tmp_path, rate=1e-3, seed=0, validation=0.5)
    point = only(load_study(tmp_path).points)
    assert point.chosen.learning_rate == 1e-2
    assert (point.count("failed"), point.count("finished"), point.count("diverged")) == (1, 2, 0)


def test_a_point_of_unfinished_runs_has_no_choice(tmp_path: Path) -> None:
    write_run(tmp_path, rate=1e-2, status="interrupted")
    write_run(tmp_path, rate=1e-3, status="interrupted")
    point = only(load_study(tmp_path).points)
    assert point.tuned is None
    assert point.chosen.learning_rate == 1e-3
    assert point.chosen.finished == ()


def test_widths_are_points_of_their_own(tmp_path: Path) -> None:
    for width in (64, 16):
        write_run(tmp_path, width=width)
    assert [point.d_model for point in load_study(tmp_path).points] == [16, 64]


def test_points_of_one_name_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    for layers in (2, 4):
        write_run(tmp_path, model={"n_layers": layers})
    labels = [point.label for point in load_study(tmp_path).points]
    assert labels == ["attention (n_layers=2)", "attention (n_layers=4)"]


def test_labels_that_make_one_folder_name_stay_two_mixers(tmp_path: Path) -> None:
    write_run(tmp_path / "a", label="<x>")
    write_run(tmp_path / "b", label="x")
    assert {point.mixer for point in load_study(tmp_path).points} == {"<x>", "x"}


def test_mixers_stand_in_the_order_of_the_experiment(tmp_path: Path) -> None:
    models = ["hyena", "attention", "base_conv"]
    write_experiment(tmp_path, sweep={"models": models})
    for mixer in sorted(models):
        write_run(tmp_path, mixers=mixer)
    assert load_study(tmp_path).mixers == models


@pytest.mark.parametrize("given", ["hyena", ["short_conv", "attention"]])
def test_a_point_knows_its_layers(tmp_path: Path, given: str | list[str]) -> None:
    write_run(tmp_path, mixers=given)
    expected = (given,) if isinstance(given, str) else tuple(given)
    assert only(load_study(tmp_path).points).layers == expected
