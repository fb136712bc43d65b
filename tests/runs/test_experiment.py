from __future__ import annotations

import pytest
from small_experiment import experiment

from bestiary.errors import UserError
from bestiary.runs import documents
from bestiary.runs.experiment import (
    load_experiment,
    make_plan,
    parse_shard,
    prepare_folder,
    refuse_unusable,
    run_plan,
)
from bestiary.runs.run_folder import RunFolder, RunStatus
from bestiary.runs.tuning import tune_from_runs


@pytest.fixture(autouse=True)
def _odd_mixers_can_be_imported(monkeypatch, request):
    monkeypatch.syspath_prepend(str(request.path.parent))


def plan_of(folder, only=(), shard=None, **changes):
    return make_plan(experiment(**changes), folder, only, shard)


def test_runs_are_chosen_by_id_index_or_beginning(tmp_path):
    whole = plan_of(tmp_path, seeds=[0, 1, 2])
    ids = [run.run_id for run in whole.runs]
    assert [run.run_id for run in whole.chosen] == ids
    chosen = plan_of(tmp_path, only=["2", ids[0][:-1]], seeds=[0, 1, 2]).chosen
    assert [run.run_id for run in chosen] == [ids[2], ids[0]]
    for wrong, sentence in (("3", "no run"), ("attention", "3 runs"), ("hyena", "no run")):
        with pytest.raises(UserError, match=f"{sentence} of this experiment is '{wrong}'"):
            plan_of(tmp_path, only=[wrong], seeds=[0, 1, 2])


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_the_shards_of_a_sweep_are_the_whole_each_run_once(tmp_path, parts):
    seeds = list(range(5))
    shards = [plan_of(tmp_path, shard=(k + 1, parts), seeds=seeds).chosen for k in range(parts)]
    together = [run.run_id for shard in shards for run in shard]
    whole = [run.run_id for run in plan_of(tmp_path, seeds=seeds).runs]
    assert sorted(together) == sorted(whole)


def test_a_shard_is_a_part_of_a_number_of_parts(tmp_path):
    assert parse_shard("2/8") == (2, 8)
    for wrong in ("2", "2/", "a/b", "1/0"):
        with pytest.raises(UserError, match="such as 2/8"):
            parse_shard(wrong)
    with pytest.raises(UserError, match="there is no part 3/2"):
        plan_of(tmp_path, shard=(3, 2))


@pytest.mark.parametrize(
    ("mixer", "sentence"),
    [
        ("odd_mixers:Leaking", "'Leaking' cannot be used: the output at position 0 moves"),
        ("odd_mixers:Shapeless", "'Shapeless' cannot be used: the output is "),
        ("odd_mixers:Halving", "'Halving' cannot be used: the output is torch.float16"),
        ("odd_mixers:Exiting", "'Exiting' cannot be used: SystemExit: 3"),
        ("odd_mixers:Unlearning", "'Unlearning' cannot be used: the output has no gradient"),
        ("odd_mixers:Stateless", "'Stateless' cannot be used: NotImplementedError: nobody asked"),
    ],
)
def test_a_mixer_that_cannot_be_trained_or_leaks_is_refused_before_training(
    tmp_path, mixer, sentence
):
    plan = plan_of(tmp_path, sweep__models=["attention", mixer])
    with pytest.raises(UserError, match=sentence) as caught:
        refuse_unusable(plan.chosen)
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_good_mixers_are_not_refused(tmp_path):
    refuse_unusable(plan_of(tmp_path, sweep__models=["attention", "odd_mixers:Plain"]).chosen)


def test_a_folder_keeps_what_was_asked_for_and_can_be_resumed(tmp_path):
    rows = [
        {
            "label": "attention",
            "learning_rate": 0.25,
            "seed": 0,
            "status": "finished",
            "validation_accuracy": 1.0,
        }
    ]
    tuning = tune_from_runs(rows, "bestiary tune", {})
    documents.write(tmp_path / "rates.yaml", tuning.plain())
    plan = plan_of(
        tmp_path / "out",
        tuning=str(tmp_path / "rates.yaml"),
        sweep__models=["attention", "short_conv"],
    )
    assert [run.training.learning_rate for run in plan.runs] == [0.25, 0.001]
    assert plan.untuned == ["short_conv"]
    prepare_folder(plan, force=False)
    # The folder is whole in itself: the first file may go, the folder be moved.
    (tmp_path / "rates.yaml").unlink()
    moved = (tmp_path / "out").rename(tmp_path / "moved")
    again = make_plan(load_experiment(moved), moved)
    assert [run.run_id for run in again.runs] == [run.run_id for run in plan.runs]


def test_a_folder_of_another_experiment_is_not_mixed_up(tmp_path):
    first = plan_of(tmp_path)
    prepare_folder(first, force=False)
    folder = first.run_folder(first.runs[0])
    folder.path.mkdir()
    RunFolder(folder.path).write_status(RunStatus("finished"))
    # More seeds are more of the same.
    prepare_folder(plan_of(tmp_path, seeds=[0, 1]), force=False)
    other = plan_of(tmp_path, model__d_model=16)
    with pytest.raises(UserError, match="holds 1 run of another experiment, such as attention-"):
        prepare_folder(other, force=False)
    prepare_folder(other, force=True)


def test_a_folder_of_another_experiment_is_refused_before_models_are_tried(tmp_path, monkeypatch):
    plan = make_plan(experiment(), tmp_path)
    other = plan.folder / "runs" / "hyena-0123456789ab" / "status.json"
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    tried: list[object] = []
    monkeypatch.setattr("bestiary.runs.experiment.refuse_unusable", tried.append)
    with pytest.raises(UserError, match="holds 1 run of another experiment"):
        run_plan(plan)
    assert tried == []


def test_a_folder_without_an_experiment_cannot_be_resumed(tmp_path):
    with pytest.raises(UserError, match=r"has no experiment\.yaml"):
        load_experiment(tmp_path)
    with pytest.raises(UserError, match="is no folder"):
        load_experiment(tmp_path / "none")


def test_an_out_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file; --out must be a folder"):
        prepare_folder(plan_of(tmp_path / "file"), force=False)
