"""No command writes over a file that it reads, and none two things to one file."""

from __future__ import annotations

import numpy as np
import pytest

from bestiary.cli.main import main

CIRCUIT = "input x y\nz = x*y\noutput z\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.circuit").write_text(CIRCUIT)
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
    ],
)
def test_what_is_read_is_not_written_over(files, capsys, arguments, said):
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    capsys.readouterr()
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_a_name_of_the_library_is_no_file_and_what_was_written_before_is_replaced(files):
    for _ in range(2):
        assert main(["compile", "circuit", "parity", "--n", "3", "-o", "parity"]) == 0
    assert (files / "parity").exists()
    (files / "y.npy").write_bytes(b"old")
    assert main(["run", "f.safetensors", "x.npy", "-o", "y.npy"]) == 0
    assert np.load("y.npy").tolist() == [6]
