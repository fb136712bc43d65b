from __future__ import annotations

import pytest
from small_experiment import tiny

from bestiary.errors import UserError
from bestiary.runs import documents
from bestiary.runs.preset import preset_names
from bestiary.runs.request import parse_override, parse_seeds, read_experiment
from bestiary.runs.sweep import expand


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "mine.yaml"
    data = tiny(sweep__models=["attention", {"label": "h", "mixers": ["hyena"], "d_model": 16}])
    del data["name"]
    documents.write(path, data)
    return path


def test_a_task_of_one_segment_is_made_smaller_by_its_length_and_pairs():
    short = read_experiment(preset="quick", overrides=["task.length=16", "task.pairs=2"])
    spelled = read_experiment(preset="quick", overrides=["task.segments=[{length: 16, pairs: 2}]"])
    assert [run.run_id for run in expand(short)] == [run.run_id for run in expand(spelled)]


def test_an_experiment_is_named_after_its_file(config):
    assert read_experiment(config).name == "mine"


def test_overrides_are_yaml_at_dotted_keys(config):
    overrides = [
        "model.d_model=128",
        "model.mixers=[attention, {name: hyena, order: 3}]",
        "model.n_layers=2",
        "training.learning_rate=1e-3",
        "sweep.grid.model.mlp_expansion=[0, 2]",
        "sweep.models=[]",
        "task.segments.0.pairs=1",
    ]
    changed = read_experiment(config, overrides=overrides)
    assert changed.model.d_model == 128
    assert [spec.name for spec in changed.model.mixers] == ["attention", "hyena"]
    assert changed.training.learning_rate == 1e-3
    assert changed.sweep.grid == {"model.mlp_expansion": [0, 2]}
    assert [run.task["segments"][0]["pairs"] for run in expand(changed)] == [1, 1]


def test_mixers_replace_the_compared_ones_and_keep_their_options(config):
    chosen = read_experiment(config, mixers=["h", "package.module:Mine", "short_conv,attention"])
    assert chosen.sweep.models == [
        {"label": "h", "mixers": ["hyena"], "d_model": 16},
        {"mixers": ["package.module:Mine"]},
        {"mixers": ["short_conv", "attention"]},
    ]
    (unknown,) = read_experiment(config, mixers=["hyna"]).sweep.models
    assert unknown == {"mixers": ["hyna"]}


def test_a_mixer_with_options_is_told_where_they_are_set(config):
    mapping = "{name: attention, heads: 2}"
    with pytest.raises(UserError) as error:
        read_experiment(config, mixers=[mapping])
    advice = f"sweep.models=[{mapping}]"
    assert f"--set '{advice}'" in str(error.value)
    # What is advised works.
    (model,) = read_experiment(config, overrides=[advice]).sweep.models
    assert model == {"name": "attention", "heads": 2}


def test_seeds_are_how_many_or_which(config):
    assert read_experiment(config, seeds="3").seeds == [0, 1, 2]
    assert parse_seeds("0,4,7") == [0, 4, 7]
    assert parse_seeds("5,") == [5]
    for wrong in ("0", "a", "", ",", "-1", "1.5"):
        with pytest.raises(UserError, match="--seeds is"):
            parse_seeds(wrong)


def test_workers_change_the_executor_and_keep_its_kind(config):
    assert read_experiment(config, workers=3).executor.workers == 3
    on_ray = read_experiment(config, overrides=["executor=ray"], workers=2)
    assert (on_ray.executor.name, on_ray.executor.workers) == ("ray", 2)


def test_a_rate_asked_for_by_name_is_not_replaced_by_a_tuned_one(config):
    tuned = read_experiment(config, overrides=["tuning=rates.yaml"])
    assert tuned.tuning == "rates.yaml"
    overrides = ["training.learning_rate=0.5"]
    documents.write(config, {**documents.read(config), "tuning": "rates.yaml"})
    assert read_experiment(config).tuning == str(config.parent / "rates.yaml")
    assert read_experiment(config, overrides=overrides).tuning is None


def test_the_source_of_a_mistake_is_named(config):
    with pytest.raises(UserError, match=r"^command line: unknown key 'model\.d_modle'"):
        read_experiment(config, overrides=["model.d_modle=3"])
    documents.write(config, {**documents.read(config), "modle": {}})
    with pytest.raises(UserError, match=r"^.*mine\.yaml: unknown key 'modle'"):
        read_experiment(config, overrides=["model.d_model=3"])


def test_an_override_that_sets_nothing_is_refused():
    for wrong in ("model.d_model", "=3", " =3"):
        with pytest.raises(UserError, match="sets nothing"):
            parse_override(wrong)
    with pytest.raises(UserError, match=r"the value of --set a\.b is not valid YAML"):
        parse_override("a.b=[1")


def test_either_a_file_or_a_preset_is_given(config):
    with pytest.raises(UserError, match=r"^neither a config file nor --preset was given .*quick"):
        read_experiment()
    with pytest.raises(UserError, match="both a config file and --preset"):
        read_experiment(config, "quick")
    with pytest.raises(UserError, match="unknown preset 'quik'; did you mean 'quick'"):
        read_experiment(preset="quik")


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_expands_into_runs_with_three_seeds_a_point(name):
    runs = expand(read_experiment(preset=name))
    seeds: dict[tuple[str, float], list[int]] = {}
    for run in runs:
        seeds.setdefault((run.point, run.training.learning_rate), []).append(run.seed)
    assert all(len(set(of_point)) >= 3 for of_point in seeds.values())


def test_figure2_has_the_sizes_of_the_paper():
    runs = expand(read_experiment(preset="figure2"))
    sizes = {(r.task["segments"][0]["length"], r.task["segments"][0]["pairs"]) for r in runs}
    assert sizes == {(64, 4), (128, 8), (256, 16), (512, 64)}
    assert {run.model.d_model for run in runs} == {64, 128, 256, 512}
    rates = sorted({run.training.learning_rate for run in runs})
    # np.logspace(-4, -2, 4)
    assert rates == pytest.approx([1e-4, 10 ** (-10 / 3), 10 ** (-8 / 3), 1e-2], rel=1e-6)
    assert {run.task["vocab_size"] for run in runs} == {8192}
    assert {run.training.epochs for run in runs} == {64}


def test_a_number_of_seeds_that_was_meant_as_a_seed_is_refused():
    with pytest.raises(UserError, match="--seeds is 20261201; it must be at most 10000, or a seed"):
        parse_seeds("20261201")
    assert parse_seeds("20261201,") == [20261201]


def test_an_executor_without_a_name_is_the_local_one(config):
    changed = read_experiment(config, overrides=["executor={workers: 2}"])
    assert (changed.executor.name, changed.executor.workers) == ("local", 2)
    with pytest.raises(UserError, match=r"executor\.workers is 0; it must be greater than"):
        read_experiment(config, overrides=["executor={workers: 0}"])


@pytest.mark.parametrize("name", ["../evil", "a/b", "/root", "..", '"a\\0b"', "x" * 300])
def test_a_name_that_cannot_name_a_folder_is_refused(config, name):
    with pytest.raises(UserError, match=r"^command line: name: .* cannot name a folder"):
        read_experiment(config, overrides=[f"name={name}"])


def test_a_seed_that_no_generator_takes_is_refused(config):
    with pytest.raises(UserError, match=r"too large; seeds are from 0 to 2\^63 - 1$"):
        read_experiment(config, overrides=[f"seeds=[{2**63}]"])
    assert read_experiment(config, overrides=[f"seeds=[{2**63 - 1}]"]).seeds == [2**63 - 1]
