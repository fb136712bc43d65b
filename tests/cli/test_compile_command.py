"""`compile`, `inspect`, `verify` and `run`, from the command line to the file and back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.fft
import scipy.linalg
import typer
from small_recall import write_config

from bestiary.cli.main import app, main
from bestiary.cli.verify import growth
from bestiary.compile import Program, compile_program, constant_array
from bestiary.compile.compiled_file import save_compiled
from bestiary.compile.verify import LayerError
from bestiary.mixers.stack_file import read_stack_file
from bestiary.runs.compile_options import SCOPES, SUBJECTS
from bestiary.runs.job import Job
from bestiary.runs.request import read_experiment
from bestiary.runs.sweep import expand
from bestiary.runs.worker import execute


@pytest.fixture(scope="module")
def dct(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dct") / "dct.safetensors"
    assert main(["compile", "dct", "--n", "8", "--method", "groups", "-o", str(path)]) == 0
    return path


def test_a_compiled_transform_is_checked_and_set_beside_the_paper(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compile", "hadamard", "--n", "16", "--d", "4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["layers"] <= 2 * 2 + 2 + 1  # 2 log2(n / d) + log2 d + 1 with n/d = d = 4
    assert told["max_relative_error"] <= 1e-10
    assert told["floor"] is None
    assert told["bounds"]["paper"]["layers"] == 5 * 4


def test_run_gives_what_scipy_gives(dct: Path, tmp_path: Path) -> None:
    x = np.random.default_rng(0).normal(size=8)
    given, made = tmp_path / "x.npy", tmp_path / "y.npy"
    np.save(given, x)
    assert main(["run", str(dct), str(given), "-o", str(made)]) == 0
    y = np.load(made)
    assert y.shape == x.shape
    assert np.allclose(y, scipy.fft.dct(x), rtol=0, atol=1e-12)


def test_complex_arrays_come_back_complex(tmp_path: Path) -> None:
    path, given, made = (tmp_path / name for name in ("dft.safetensors", "x.npy", "y.npy"))
    np.save(given, np.arange(8) + 1j * np.arange(8)[::-1] ** 2)
    assert main(["compile", "dft", "--n", "8", "-o", str(path)]) == 0
    assert main(["run", str(path), str(given), "-o", str(made)]) == 0
    assert np.allclose(np.load(made), np.fft.fft(np.load(given)), rtol=0, atol=1e-12)


def test_verify_compares_with_scipy_and_answers_by_its_exit_code(
    dct: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(dct)]) == 0
    out = capsys.readouterr().out
    assert "agrees with dct-2" in out.splitlines()[0] and "float32" in out
    assert main(["verify", str(dct), "--tolerance", "0"]) == 1
    assert main(["verify", str(dct), "--reference", "x.npy"]) == 2
    assert "dct-2 is a transform and compared with numpy" in capsys.readouterr().err
    assert main(["verify", str(dct), "--json"]) == 0
    lines = capsys.readouterr().out.splitlines()
    told = json.loads("\n".join(lines[lines.index("{") :]))
    assert told["ok"] and told["first"] is None and told["overflows"] == []


def test_growth_is_told_from_the_input_on_layers_that_say_the_same_in_one_row() -> None:
    sizes = [2.0, 2.0, 2.0, 6.0, 6.0, 3.0]
    layers = [LayerError(number, size, 1e-8) for number, size in enumerate(sizes)]
    assert growth(layers) == [
        ("input", "2.00e+00", "× 1", "1.0e-08"),
        ("1–2", "2.00e+00", "× 1", "1.0e-08"),
        ("3–4", "6.00e+00", "× 3", "1.0e-08"),
        ("5", "3.00e+00", "× 1.5", "1.0e-08"),
    ]
    assert [row[2] for row in growth([LayerError(0, 0, 0), LayerError(1, 2, 0)])] == ["–", "–"]


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_inspect_breaks_lines_between_names_and_cuts_none(
    dct: Path, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main(["inspect", str(dct)]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if "new values" in line) :]
    assert max(map(len, lines)) <= columns
    # On a narrow terminal a name may lose its middle, and both its ends stay.
    assert columns == 60 or "…" not in "".join(table)
    names = {name for layer in read_stack_file(dct).names for name in layer}
    told = " ".join(table)
    new = [name for name in names if f"{name.channel}:{name.name}" in told]
    assert columns == 60 or len(new) >= 2 * len(read_stack_file(dct).stack.layers)


def test_verify_names_the_value_that_is_wrong(
    dct: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from safetensors import safe_open
    from safetensors.torch import save_file

    with safe_open(str(dct), framework="pt") as file:
        header = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    name = "stack.layers.4.weight.values"
    arrays[name] = arrays[name] * 1.5
    broken = tmp_path / "broken.safetensors"
    save_file(arrays, str(broken), metadata=header)
    assert main(["verify", str(broken)]) == 1
    out = capsys.readouterr().out
    assert "does not agree with dct-2" in out
    assert "the first value that differs: " in out and "(layer 5, channel" in out


def test_inspect_lists_layers_and_writes_page_and_picture(
    dct: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, svg = tmp_path / "dct.html", tmp_path / "dct.svg"
    assert main(["inspect", str(dct), "--html", str(page), "--svg", str(svg), "--program"]) == 0
    out = capsys.readouterr().out
    assert "layer  channels  delay  made as" in out and "read rows 0 to 7 of" in out
    assert page.read_text().startswith("<!doctype html>")
    assert svg.read_text().startswith("<svg")
    assert main(["inspect", str(dct), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["layout"]["layers"]) == told["report"]["layers"] + 1
    assert "program" not in told
    assert main(["inspect", str(dct), "--json", "--program"]) == 0
    program = json.loads(capsys.readouterr().out)["program"]
    assert program in out and "read rows 0 to 7 of" in program


def test_a_stack_without_inputs_is_inspected_and_run_like_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, given, page = (tmp_path / name for name in ("c.safetensors", "x.npy", "c.html"))
    save_compiled(path, compile_program(Program((), constant_array(3, 2), rows=4, name="threes")))
    np.save(given, np.zeros((4, 0)))
    for arguments in (["--html", str(page), "--program"], ["--svg", str(tmp_path / "c.svg")], []):
        assert main(["inspect", str(path), *arguments]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert ["input", "0", "–"] in [line.split() for line in lines]
    assert "threes" in page.read_text()
    assert main(["run", str(path), str(given)]) == 0
    assert capsys.readouterr().out.count("3.") == 8


def test_a_pass_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "hadamard", "--n", "4", "--dump-after", "schedule"]) == 0
    out = capsys.readouterr().out
    assert " layer 1" in out and " ⊙ " in out and "read rows 0 to 3 of" in out
    assert main(["compile", "hadamard", "--n", "4", "--dump-after", "schedule", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["dump"] == {"schedule": out.rstrip("\n")}
    assert told["floor"] is None


def test_the_list_of_transforms_comes_as_text_and_as_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["compile", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert main(["compile", "--list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [line.split()[0] for line in lines] == [one["name"] for one in told]
    assert "dct-2" in {one["name"] for one in told}


def test_every_option_of_compile_is_refused_where_it_would_change_nothing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = typer.main.get_command(app).commands["compile"]
    named = {p.opts[0]: p for p in entry.params if p.param_type_name == "option"}
    everywhere = {"--list", "--json"}
    assert set(SCOPES) == set(named) - everywhere
    what = {
        "transform": ["dct"],
        "matrix": ["matrix", "m.npy"],
        "circuit": ["circuit", "c.circuit"],
        "mixer": ["hyena", "run"],
        "model": ["model", "run"],
    }
    assert set(what) == set(SUBJECTS)
    # Refused too, for it has no inputs, but after its options are read.
    Path("c.circuit").write_text("output 1 as y")
    Path("m.npy").touch()
    value = {"--dump-after": "schedule", "--mode": "causal", "--method": "groups", "--n": "3"}
    flags = {"--balance", "--parallel", "--bits"}
    for option, scope in SCOPES.items():
        for subject, words in what.items():
            # Nothing there can be compiled, so that what is let through fails after.
            given = [option] if option in flags else [option, value.get(option, "4")]
            assert main(["compile", *words, *given]) == 2
            said = f"{option} means nothing for {SUBJECTS[subject]}; it is for "
            assert (said in capsys.readouterr().err) == (subject not in scope.subjects)


def test_a_mixer_of_a_trained_run_is_compiled_and_verified_against_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = read_experiment(write_config(tmp_path), mixers=["hyena"])
    job = Job(expand(experiment)[0], tmp_path / "found" / "runs" / "hyena-c85e")
    execute(job)
    run = job.folder
    capsys.readouterr()
    path = tmp_path / "hyena.safetensors"
    assert main(["compile", "hyena", str(run), "--length", "8", "-o", str(path)]) == 0
    assert "checked: largest relative error" in capsys.readouterr().out
    assert main(["verify", str(path)]) == 0
    assert main(["verify", str(path), "--reference", str(run)]) == 0
    capsys.readouterr()
    found = ["--in", str(run.parents[1])]
    assert main(["compile", "hyena", "hyena-c", "--length", "8", "--json", *found]) == 0
    told = json.loads(capsys.readouterr().out)
    origin, bounds = told["origin"], told["bounds"]
    assert (told["layers"], bounds["paper"]["layers"]) == (bounds["bound"]["layers"], 5 * 2)
    assert (told["degree"], told["floor"]) == (3, 2)  # order 2
    assert Path(origin["name"]) == run / "model.safetensors"
    assert main(["compile", "model", "hyaena", *found]) == 2
    assert f"no run 'hyaena' in '{run.parents[1]}'" in capsys.readouterr().err
    assert main(["compile", "h3", str(run)]) == 2
    assert "has no h3 layer; its layers are ['hyena'" in capsys.readouterr().err
    assert main(["compile", "model", str(run)]) == 0
    out = capsys.readouterr().out
    assert "block 0: hyena → " in out and "largest difference of a logit: " in out
    accuracies = re.search(r"test accuracy: (\S+) before, (\S+) after", out)
    assert accuracies is not None and accuracies[1] == accuracies[2]
    weights = run / "model.safetensors"
    weights.write_bytes(weights.read_bytes() + b" ")
    assert main(["verify", str(path)]) == 2
    assert "its contents have changed since" in capsys.readouterr().err


def test_the_table_of_bounds_holds_and_comes_in_four_forms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plot = tmp_path / "bounds.svg"
    assert main(["bounds", "--size", "8,2", "--json", "--plot", str(plot)]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["construction"] for row in rows} >= {"butterfly", "(BB*)^2", "Hyena, order 3"}
    assert all(row["layers"] <= row["bound"] <= row["paper"] for row in rows)
    assert all(row["floor"] is None or row["floor"] <= row["layers"] for row in rows)
    assert plot.read_text().startswith("<svg")
    assert main(["bounds", "--size", "4,1", "--size", "4, 1", "--csv"]) == 0
    table = capsys.readouterr().out
    assert len(set(table.splitlines())) == len(table.splitlines())
    assert main(["bounds", "--size", "4,1", "--csv"]) == 0
    assert capsys.readouterr().out.startswith("construction,n,d,mode,layers,bound,paper,floor,")
    assert main(["bounds", "--size", "4,1", "--latex"]) == 0
    assert r"\begin{tabular}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compile", "dtc", "--n", "8"], "did you mean 'dct'"),
        (["compile", "dtf", "--n", "8"], "did you mean 'dft'"),
        (["compile", "hyena"], "hyena is compiled from the folder of a run, which was not given"),
        (
            ["compile", "dct", "--n", "8", "--method", "blocks"],
            "method blocks has no form for complex factors, of which the real",
        ),
        (["compile"], "nothing to compile was named"),
        (["compile", "dct"], "the size of dct was not given; add --n 64"),
        (["compile", "dct", "--n", "12"], "12"),
        (["compile", "dct", "--n", "8", "--mode", "cyclic"], "unknown mode 'cyclic'"),
        (["compile", "dct", "--n", "8", "--method", "best"], "unknown method 'best'"),
        (["compile", "dct", "--n", "8", "--radix", "3"], "the radix is 3; a power of two"),
        (["compile", "dct", "--n", "8", "--dump-after", "parse"], "there is no pass 'parse'"),
        (["compile", "dct", "--n", "1048576"], "transforms are compiled up to 65536"),
        (["compile", "dct", "--n", "8", "--d", "0"], "--d is 0"),
        (["compile", "dct", "--n", "8", "--d", "-1"], "--d is -1"),
        (["compile", "dct", "--n", "8", "--d", "3"], "--d is 3; it must divide the size, 8"),
        (["verify", "x.safetensors", "--tolerance", "nan"], "--tolerance is nan"),
        (["verify", "x.safetensors", "--tolerance", "-1"], "--tolerance is -1"),
        (["compile", "dct", "--n", "8", "--length", "4"], "--length means nothing for a transform"),
        (["compile", "dct", "."], "dct is a transform and comes from no file or folder, but . was"),
        (["compile", "hyena", ".", "--n", "8"], "--n means nothing for a mixer of a run"),
        (["compile", "hyena", ".", "--optimize", "2"], "--optimize means nothing for a mixer"),
        (["compile", "model", ".", "-o", "m"], "--output means nothing for the whole model of a"),
        (["compile", "dct", "--n", "8", "--method", "direct", "--radix", "4"], "--method direct; "),
        (
            ["compile", "dct", "--n", "8", "--method", "paper", "--optimize", "2"],
            "--method paper; ",
        ),
        (["compile", "dct", "--list"], "--list shows all transforms and takes nothing but --json"),
        (["compile", "--list", "--radix", "4"], "besides; --radix was given"),
        (["bounds", "--csv", "--json"], "--csv and --json were given"),
        (["compile", "matrix"], "the file of the matrix was not given"),
        (["compile", "hyena", "nowhere"], "has no model.safetensors"),
        (["verify", "nowhere.safetensors"], "nowhere.safetensors"),
        (["inspect", "nowhere.safetensors"], "nowhere.safetensors"),
        (["run", "nowhere.safetensors", "x.npy"], "x.npy"),
        (["bounds", "--size", "16x4"], "rows and channels such as 16,4"),
        (["bounds", "--size", "12,4"], "rows is 12; a power of two is needed"),
        (["bounds", "--plot", "bounds.pdf"], "its name must end in .png or .svg"),
    ],
)
def test_mistakes_get_one_sentence(
    arguments: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    # For options that are read once it is known that there is a file.
    Path("x.safetensors").touch()
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert said in err and "Traceback" not in err
    assert len(err.strip().splitlines()) == 1


def test_an_array_that_does_not_fit_is_refused_with_both_sizes(
    dct: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = tmp_path / "x.npy"
    np.save(given, np.ones(7))
    assert main(["run", str(dct), str(given)]) == 2
    assert "shape (7,) was given; the stack takes 8 rows of 1 channel" in capsys.readouterr().err
    given.write_bytes(b"no array")
    assert main(["run", str(dct), str(given)]) == 2
    assert "is not a .npy file" in capsys.readouterr().err


def test_a_matrix_is_compiled_in_the_form_that_it_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix, path = tmp_path / "turn.npy", tmp_path / "turn.safetensors"
    np.save(matrix, scipy.linalg.circulant(np.random.default_rng(0).normal(size=8)))
    assert main(["compile", "matrix", str(matrix), "-o", str(path)]) == 0
    out = capsys.readouterr().out
    assert "circulant" in out and "checked: largest relative error" in out
    assert main(["verify", str(path)]) == 0
    elsewhere = tmp_path / "moved.npy"
    matrix.rename(elsewhere)
    assert main(["verify", str(path)]) == 2
    assert main(["verify", str(path), "--reference", str(elsewhere)]) == 0


def test_a_matrix_without_structure_is_said_to_have_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.save(tmp_path / "noise.npy", np.random.default_rng(0).normal(size=(8, 8)))
    assert main(["compile", "matrix", str(tmp_path / "noise.npy")]) == 1
    assert "no structure within" in capsys.readouterr().out


def test_a_batch_of_vectors_comes_back_as_one_and_in_the_precision_asked_for(
    dct: Path, tmp_path: Path
) -> None:
    x = np.random.default_rng(2).normal(size=(3, 8))
    given, made = tmp_path / "x.npy", tmp_path / "y.npy"
    np.save(given, x)
    assert main(["run", str(dct), str(given), "-o", str(made), "--dtype", "float32"]) == 0
    y = np.load(made)
    assert y.dtype == np.float32
    assert np.allclose(y, scipy.fft.dct(x), rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "write", "said"),
    [
        ("x.npy", lambda path: np.save(path, [1.0, np.nan, 3, 4, 5, 6, 7, 8]), "nan at index 1"),
        ("x.npz", lambda path: np.savez(path, np.ones(8)), "x.npz is a .npz archive of arrays"),
        ("x.npy", lambda path: np.save(path, np.array([{}] * 8)), "x.npy holds Python objects"),
        ("x.npy", lambda path: np.save(path, 3.0), "an array of shape () was given"),
        ("x.npy", lambda path: path.write_text("1 2 3"), "x.npy is not a .npy file"),
    ],
)
def test_what_cannot_be_run_on_gets_one_sentence(
    name, write, said: str, dct: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / name)
    assert main(["run", str(dct), str(tmp_path / name)]) == 2
    err = capsys.readouterr().err
    assert said in err and "pickle" not in err
    assert len(err.strip().splitlines()) == 1


def test_a_layer_that_is_base_conv_already_has_no_layout(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    job = Job(expand(read_experiment(write_config(tmp_path), mixers=["base_conv"]))[0], tmp_path)
    execute(job)
    capsys.readouterr()
    for what in ("base_conv", "model"):
        assert main(["compile", what, str(job.folder), "--layout", "time"]) == 2
        assert "keeps the channels that it has" in capsys.readouterr().err
        assert main(["compile", what, str(job.folder)]) == 0


@pytest.mark.parametrize(
    ("dense", "kind"),
    [
        (scipy.fft.dct(np.eye(16), axis=0, norm="ortho").astype("f4"), "dct-2"),
        (np.fft.fft(np.eye(16)).astype("c8"), "dft"),
        (
            np.outer(np.geomspace(1, 2, 32), np.cos(np.arange(32))).astype("f4")
            + np.outer(np.sin(np.arange(32)), np.geomspace(3, 1, 32)).astype("f4"),
            "rank 2",
        ),
    ],
    ids=["dct", "dft", "low rank"],
)
def test_a_file_in_single_precision_is_recognised_compiled_and_verified(
    dense: np.ndarray, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, made = str(tmp_path / "m.npy"), str(tmp_path / "m.safetensors")
    np.save(given, dense)
    assert main(["compile", "matrix", given, "-o", made, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert kind in told["name"]
    assert 1e-10 < told["max_relative_error"] < 1e-5
    assert main(["verify", made]) == 0
    assert main(["verify", made, "--tolerance", "1e-9"]) == 1


def test_a_tolerance_says_how_near_a_structure_must_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given, made = str(tmp_path / "m.npy"), str(tmp_path / "m.safetensors")
    noise = np.random.default_rng(0).normal(size=(16, 16))
    np.save(given, scipy.linalg.hadamard(16) + 1e-4 * noise)
    assert main(["compile", "matrix", given]) == 1
    said = capsys.readouterr().out
    assert "with d = 16 method auto makes it 1 layer" in said
    assert said.endswith("(give --d 16 or --method direct)\n")
    for option in (["--d", "3"], ["--method", "groups", "--d", "3"]):
        assert main(["compile", "matrix", given, *option]) == 1
        whole = "--d 16 --method auto" if "groups" in option else "--d 16"
        assert capsys.readouterr().out.endswith(f"(give {whole})\n")
    assert main(["compile", "matrix", given, "--tolerance", "1e-3", "-o", made]) == 0
    assert "hadamard" in capsys.readouterr().out
    assert main(["verify", made]) == 0
    assert main(["compile", "matrix", given, "--tolerance", "2"]) == 2
    assert main(["compile", "matrix", given, "--d", "16", "--radix", "4"]) == 2
    assert "has no structure and is compiled directly" in capsys.readouterr().err
    assert main(["compile", "matrix", given, "--d", "16", "-o", made]) == 0
    assert main(["verify", made]) == 0
