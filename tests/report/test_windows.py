from pathlib import Path

import pytest
from made_runs import write_run

from bestiary.report import load_study
from bestiary.report.windows import RateCurve
from bestiary.runs import documents
from bestiary.runs.tuning import Point, Tuning, tune


def curve(folder: Path, scores: dict[float, float]) -> RateCurve:
    for rate, score in scores.items():
        write_run(folder, rate=rate, validation=score)
    (only,) = load_study(folder).curves
    return only


def test_the_window_holds_the_rates_that_reach_nine_tenths_of_the_best(tmp_path: Path) -> None:
    found = curve(tmp_path, {1e-4: 0.3, 1e-3: 0.9, 1e-2: 1.0, 1e-1: 0.1})
    assert (found.tuned.window.low, found.tuned.window.high) == (1e-3, 1e-2)
    assert found.tuned.window.decades == pytest.approx(1)
    assert found.window_text == "1e-3 to 1e-2, a factor of 10"
    assert not found.at_edge


def test_a_window_that_meets_the_end_of_the_grid_may_be_wider(tmp_path: Path) -> None:
    found = curve(tmp_path, {1e-3: 0.95, 1e-2: 1.0, 1e-1: 0.2})
    assert found.window_text == "1e-3 to 1e-2, a factor of 10 or more"
    assert not found.at_edge


def test_a_window_is_unbroken(tmp_path: Path) -> None:
    found = curve(tmp_path, {1e-4: 0.95, 1e-3: 0.2, 1e-2: 1.0, 1e-1: 0.2})
    assert found.window_text == "1e-2 alone"


def test_a_rate_at_which_a_seed_diverged_counts_it_as_zero(tmp_path: Path) -> None:
    write_run(tmp_path, rate=1e-2, seed=1, status="diverged")
    found = curve(tmp_path, {1e-3: 0.6, 1e-2: 1.0})
    assert found.means == {1e-3: 0.6, 1e-2: 0.5}


def test_one_rate_is_no_curve(tmp_path: Path) -> None:
    write_run(tmp_path)
    assert load_study(tmp_path).curves == []


def test_the_tuning_file_speaks_for_mixers_that_were_not_swept(tmp_path: Path) -> None:
    def tuned(low: float, high: float) -> object:
        scores = {1e-3: low, 1e-2: high}
        return tune(
            [
                Point(rate=r, seed=0, validation_accuracy=v, status="finished")
                for r, v in scores.items()
            ]
        )

    models = {"attention": tuned(0.1, 0.2), "hyena": tuned(0.8, 0.7)}
    tuning = Tuning(
        command="bestiary tune quick", experiment={"model": {"d_model": 48}}, models=models
    )
    documents.write(tmp_path / "tuning.yaml", tuning.plain())
    write_run(tmp_path, mixers="hyena")
    for rate, score in ((1e-3, 0.5), (1e-2, 0.6)):
        write_run(tmp_path, rate=rate, validation=score)
    curves = {c.mixer: c for c in load_study(tmp_path).curves}
    assert curves["attention"].means == {1e-3: 0.5, 1e-2: 0.6}
    assert curves["hyena"].means == {1e-3: 0.8, 1e-2: 0.7}
    assert curves["hyena"].d_model == 48 and "bestiary tune quick" in curves["hyena"].source
