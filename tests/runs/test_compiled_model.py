from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from small_experiment import experiment, tiny

from bestiary.errors import UserError
from bestiary.models.config import ModelConfig
from bestiary.runs import documents
from bestiary.runs.compiled_model import CompiledModel, is_compiled, parse_compiled, read_compiled
from bestiary.runs.config import RunConfig, read_run
from bestiary.runs.events import Started
from bestiary.runs.experiment import make_plan, refuse_unusable
from bestiary.runs.job import Job
from bestiary.runs.progress import shown
from bestiary.runs.request import read_experiment
from bestiary.runs.sweep import expand, variant_name
from bestiary.runs.tuning import over_rates
from bestiary.training.config import TrainingConfig

ALL_PAIRS = "compiled:all-pairs"


def run_of(model=None, **training):
    return RunConfig(
        task=tiny()["task"],
        model=model or CompiledModel("all-pairs"),
        training=TrainingConfig(**training),
        seed=0,
    )


def test_a_name_carries_its_options_and_says_that_it_is_compiled():
    made = parse_compiled("compiled:all-pairs,repeat=first")
    assert made == CompiledModel("all-pairs", {"repeat": "first"})
    assert made.name == "compiled:all-pairs,repeat=first"
    assert parse_compiled("compiled:lookup,bits=null").name == "compiled:lookup,bits=null"
    assert CompiledModel("all-pairs").name == ALL_PAIRS
    assert CompiledModel("own.solvers:Mine").name == "compiled:Mine"
    assert CompiledModel("all-pairs", {}, "ours").name == "compiled:ours"
    assert parse_compiled("compiled:all-pairs,slots=3,full=yes").options["slots"] == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("compiled:all-pairs,first", r"'first' in .* sets no option"),
        ("compiled:all-pairs,=first", "sets no option"),
        ({"compiled": "all-pairs", "option": {}}, r"'option' .*; did you mean 'options'\?"),
        ({"compiled": 3}, "3 is no name of a compiled model"),
        ({"compiled": "all-pairs", "label": 3}, "3 is no name of a compiled model"),
        ({"compiled": "all-pairs", "options": [1]}, r"options is \[1\]; it must be a mapping"),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(given, said):
    with pytest.raises(UserError, match=said):
        read_compiled(given)


@pytest.mark.parametrize(
    "given", [ALL_PAIRS, {"compiled": "all-pairs"}, CompiledModel("all-pairs")]
)
def test_every_form_of_it_is_read_alike(given):
    assert is_compiled(given)
    assert read_compiled(given) == CompiledModel("all-pairs")
    assert variant_name(given) == ALL_PAIRS
    assert not is_compiled("attention") and not is_compiled({"mixers": ["attention"]})


def test_a_run_survives_yaml_and_json_and_names_no_rate_that_it_has_not(tmp_path):
    run = run_of(batch_size=16)
    path = tmp_path / "config.yaml"
    documents.write(path, run.model_dump(mode="python"))
    data = documents.read_mapping(path)
    assert data["model"] == {"compiled": "all-pairs", "options": {}, "label": ""}
    assert sorted(data["training"]) == ["allocator", "batch_size", "device", "dtype", "threads"]
    again = read_run(data, "file")
    assert again.model == run.model and again.training.batch_size == 16
    assert again.run_id == run.run_id
    assert Job.from_json(Job(run, tmp_path).to_json()).run.run_id == run.run_id


def test_its_id_is_of_the_task_and_of_options_spelt_out_or_not():
    plain = run_of()
    assert plain.run_id.startswith("compiled-all-pairs-")
    alike = [
        run_of(learning_rate=0.5, batch_size=3, epochs=1),
        run_of(CompiledModel("all-pairs", {"repeat": None})),
        plain.model_copy(update={"seed": 9}),
    ]
    for other in alike:
        assert other.run_id.rpartition("-")[2] == plain.run_id.rpartition("-")[2]
        assert other.point.rpartition("-")[2] == plain.point.rpartition("-")[2]
    assert run_of(CompiledModel("all-pairs", {"repeat": "first"})).point != plain.point


def test_a_sweep_evaluates_it_once_a_task_whatever_else_is_swept():
    sweep = {
        "sweep__models": ["attention", ALL_PAIRS, {"compiled": "all-pairs", "label": "again"}],
        "sweep__grid": {"model.d_model": [8, 16], "training.learning_rate": [1e-3, 1e-2]},
        "sweep__cases": [
            {"task.segments": [{"length": 16, "pairs": 2}], "training.batch_size": 8},
            {"task.segments": [{"length": 24, "pairs": 2}]},
        ],
        "seeds": [4, 5],
    }
    runs = expand(experiment(**sweep))
    compiled = [run for run in runs if isinstance(run.model, CompiledModel)]
    assert len(runs) - len(compiled) == 2 * 2 * 2 * 2
    lengths = [run.task["segments"][0]["length"] for run in compiled]
    assert [(run.model.name, n) for run, n in zip(compiled, lengths, strict=True)] == [
        (ALL_PAIRS, 16),
        (ALL_PAIRS, 24),
        ("compiled:again", 16),
        ("compiled:again", 24),
    ]
    assert [run.training.batch_size for run in compiled] == [8, 32, 8, 32]
    assert {run.seed for run in compiled} == {4}


def test_a_trained_model_may_not_be_named_like_one():
    model = {"label": "compiled:mine", "mixers": ["attention"]}
    with pytest.raises(UserError, match=r"model\.label is 'compiled:mine'"):
        expand(experiment(sweep__models=[model]))
    with pytest.raises(UserError, match="compiled:mine"):
        read_run({"task": tiny()["task"], "model": {}, "training": {}, "seed": 0} | {
            "model": model}, "file")  # fmt: skip
    assert isinstance(run_of(ModelConfig()).model, ModelConfig)


def test_models_are_compared_beside_those_of_the_config_or_the_mixers_that_were_named(tmp_path):
    path = tmp_path / "mine.yaml"
    documents.write(path, tiny(sweep__models=["attention", "hyena"]))
    both = read_experiment(path, mixers=["hyena"], models=["compiled:all-pairs,repeat=first"])
    assert both.sweep.models == [
        "hyena",
        {"compiled": "all-pairs", "options": {"repeat": "first"}, "label": ""},
    ]
    added = read_experiment(path, models=[ALL_PAIRS])
    assert [run.model.name for run in expand(added)] == ["attention", "hyena", ALL_PAIRS]
    alone = read_experiment(path, models=[ALL_PAIRS], trained=False)
    assert [run.model.name for run in expand(alone)] == [ALL_PAIRS]
    single = tmp_path / "single.yaml"
    documents.write(single, {**tiny(), "model": {"mixers": ["based"], "d_model": 8}, "sweep": {}})
    runs = expand(read_experiment(single, models=[ALL_PAIRS]))
    assert [run.model.name for run in runs] == ["based", ALL_PAIRS]
    for mixers, models in ((["hyena"], [ALL_PAIRS]), ((), ())):
        with pytest.raises(UserError, match="compares compiled models alone"):
            read_experiment(path, mixers=mixers, models=models, trained=False)
    for mixers, models, said in (
        ((), ["hyena"], r"--model 'hyena' is no compiled model .*all-pairs.*--mixer"),
        ((), ["lookup,slots=2"], r"; did you mean 'compiled:lookup,slots=2'\? \(accepted"),
        ((), ["mine:Heads"], r"; did you mean 'compiled:mine:Heads'\? .* package.module:Class;"),
        ([ALL_PAIRS], (), "'compiled:all-pairs' is a compiled model .accepted: --model"),
    ):
        with pytest.raises(UserError, match=said):
            read_experiment(path, mixers=mixers, models=models)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("compiled:al-pairs", "unknown compiled model 'al-pairs'; did you mean 'all-pairs'"),
        ("compiled:all-pairs,repet=first", "no option 'repet'; did you mean 'repeat'"),
        ("compiled:all-pairs,repeat=last", "unknown repeat 'last'"),
        ("compiled:bestiary.mixers.hyena:Hyena", r"Hyena without build\(\)"),
    ],
)
def test_what_cannot_be_built_is_refused_before_anything_runs(name, said):
    with pytest.raises(UserError, match=said):
        refuse_unusable(expand(experiment(sweep__models=["attention", name])))


def test_tuning_leaves_it_out_and_says_where_nothing_is_left(tmp_path):
    mixed = over_rates(experiment(sweep__models=["attention", ALL_PAIRS]), [1e-3])
    assert mixed.sweep.models == ["attention"]
    with pytest.raises(UserError, match="every model of this experiment is compiled"):
        over_rates(experiment(sweep__models=[ALL_PAIRS]), [1e-3])


def test_progress_calls_it_by_its_name_alone(tmp_path):
    plan = make_plan(experiment(sweep__models=["attention", ALL_PAIRS]), tmp_path)
    (compiled,) = [run for run in plan.runs if run.model.name == ALL_PAIRS]
    written = StringIO()
    with shown(plan, Console(file=written)) as notify:
        notify(Started(compiled.run_id))
    assert written.getvalue() == f"{ALL_PAIRS}: started\n"
