"""No command writes over a file that it reads or a source text, and none two things to one file."""

from __future__ import annotations

import numpy as np
import pytest

from bestiary.cli.main import main

CIRCUIT = "input x y\nz = x*y\noutput z\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.circuit").write_text(CIRCUIT)
    (tmp_path / "keep.py").write_text(
        "import bestiary\nnet = bestiary.circuit(x=2)(lambda x: x[0])\n"
    )
    np.save("x.npy", np.array([2.0, 3.0]))
    np.save("m.npy", np.eye(4))
    assert main(["compile", "circuit", "f.circuit", "-o", "f.safetensors"]) == 0
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["compile", "circuit", "f.circuit", "-o", "./f.circuit"],
            "is f.circuit, which is the source too",
        ),
        (["compile", "matrix", "m.npy", "-o", "m.npy"], "is m.npy, which is the source too"),
        (["run", "f.safetensors", "x.npy", "-o", "f.safetensors"], "which is the stack too"),
        (["run", "f.safetensors", "x.npy", "-o", "x.npy"], "which is the input too"),
        (["explain", "f.safetensors", "-o", "f.safetensors"], "which is the file too"),
        (["explain", "f.safetensors", "--input", "x.npy", "-o", "x.npy"], "which is the input"),
        (["explain", "f.safetensors", "--png", "p.svg", "-o", "p.svg"], "which is the picture"),
        (["explain", "f.safetensors", "-o", "keep.py"], "keep.py; its name must end in .html or"),
        (["explain", "f.safetensors", "--png", "no/p.svg"], "but there is no folder no"),
        (["inspect", "f.safetensors", "--html", "f.safetensors"], "which is the stack too"),
        (["inspect", "f.safetensors", "--svg", "./f.safetensors"], "which is the stack too"),
        (["inspect", "f.safetensors", "--html", "p.svg", "--svg", "p.svg"], "in .html or .htm"),
        (["compile", "circuit", "keep:net", "-o", "keep.py"], "is keep.py; its name must end in"),
        (["compile", "circuit", "parity", "-o", "net.json"], "net.json; its name must end in .saf"),
        (["compile", "circuit", "parity", "-o", "parity"], "parity; its name must end in .saf"),
        (
            ["compile", "dct", "--n", "4", "-o", "."],
            "--output is ., which is a folder; name a file",
        ),
        (["compile", "dct", "--n", "4", "-o", "no/d.safetensors"], "but there is no folder no"),
        (["run", "f.safetensors", "x.npy", "-o", "keep.py"], "keep.py; its name must end in .npy"),
        (["run", "f.safetensors", "x.npy", "-o", "no/y.npy"], "but there is no folder no"),
        (["inspect", "f.safetensors", "--html", "keep.py"], "--html is keep.py; its name must end"),
        (["inspect", "f.safetensors", "--svg", "keep.py"], "is keep.py; its name must end in .svg"),
        (["inspect", "f.safetensors", "--html", "no/p.html"], "but there is no folder no"),
        (["bounds", "--plot", "no/p.svg"], "--plot is no/p.svg, but there is no folder no"),
    ],
)
def test_what_is_read_or_of_another_kind_is_not_written_over(files, capsys, arguments, said):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    capsys.readouterr()
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_a_name_of_the_library_is_no_file_and_what_was_written_before_is_replaced(files):
    for _ in range(2):
        assert main(["compile", "circuit", "parity", "--n", "3", "-o", "parity.safetensors"]) == 0
    assert (files / "parity.safetensors").exists()
    (files / "y.npy").write_bytes(b"old")
    assert main(["run", "f.safetensors", "x.npy", "-o", "y.npy"]) == 0
    assert np.load("y.npy").tolist() == [6]
