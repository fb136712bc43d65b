"""A file of another kind than is needed is called what it is, with what to do with it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from bestiary.circuits import read_circuit
from bestiary.errors import UserError
from bestiary.file_kind import kind_of
from bestiary.mixers.stack_file import load_stack
from bestiary.structured.matrix_file import read_matrix

FILES = {
    "m.npy": "a numpy array",
    "m.npz": "an archive of numpy arrays",
    "m.mtx": "a Matrix Market file",
    "s.safetensors": "a safetensors file",
    "page": "a web page",
    "p.png": "a picture",
    "keep.py": "a Python file",
    "f.circuit": "a circuit",
    "word.txt": "a text",
    "other": None,
    "empty": None,
    "missing": None,
    ".": None,
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("m.npy", np.eye(2))
    np.savez("m.npz", np.eye(2))
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix array real general\n1 1\n1\n")
    save_file({"a": torch.ones(2)}, "s.safetensors")
    (tmp_path / "page").write_text("<!DOCTYPE HTML>\n<html></html>")
    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n\0")
    (tmp_path / "keep.py").write_text("x = 1\n")
    (tmp_path / "f.circuit").write_text("input x\noutput x\n")
    # The 512th byte is the first of two of a letter.
    (tmp_path / "word.txt").write_text("a" * 511 + "é", encoding="utf-8")
    (tmp_path / "other").write_bytes(b"\xff\xfe\x01")
    (tmp_path / "empty").touch()
    return tmp_path


def test_a_kind_shows_in_the_first_bytes_or_the_ending(place):
    assert {name: kind_of(place / name) for name in FILES} == FILES


def test_a_pipe_is_not_read(place):
    os.mkfifo("pipe")
    assert kind_of(place / "pipe") is None


@pytest.mark.parametrize(
    ("read", "file", "said"),
    [
        (read_circuit, "m.npy", "m.npy is not a circuit, but a numpy array; compile it with "
         "`bestiary compile matrix m.npy`"),
        (read_circuit, "m.npz", "compile it with `bestiary compile matrix m.npz`"),
        (read_circuit, "m.mtx", "compile it with `bestiary compile matrix m.mtx`"),
        (read_circuit, "s.safetensors", "s.safetensors is not a circuit, but a safetensors file; "
         "see what is in it with `bestiary inspect s.safetensors`"),
        (read_circuit, "page", "page is not a circuit, but a web page; give .circuit, .json, "
         ".bristol or .arith"),
        (load_stack, "m.npy", "m.npy is not a BaseConv stack file, but a numpy array; compile it "
         "with `bestiary compile matrix m.npy -o m.safetensors`"),
        (load_stack, "f.circuit", "`bestiary compile circuit f.circuit -o f.safetensors`"),
        (load_stack, "page", "but a web page; give one that `bestiary compile` wrote"),
        (load_stack, "keep.py", "but a Python file; give one that"),
        (load_stack, ".", ". cannot be read: it is a folder, not a BaseConv stack file"),
        (read_matrix, "f.circuit", "f.circuit is not a matrix, but a circuit; compile it with "
         "`bestiary compile circuit f.circuit`"),
        (read_matrix, "s.safetensors", "with `bestiary inspect s.safetensors`"),
        (read_matrix, "keep.py", "not a matrix, but a Python file; give .npy, .npz, .mtx"),
    ],
)  # fmt: skip
def test_a_file_of_another_kind_is_called_what_it_is(place, read, file, said):
    with pytest.raises(UserError) as refused:
        read(Path(file))
    assert said in str(refused.value)


def test_a_name_that_a_shell_would_cut_is_quoted(place):
    np.save("two words.npy", np.eye(2))
    with pytest.raises(UserError, match=r"matrix 'two words\.npy' -o 'two words\.safetensors'`$"):
        load_stack("two words.npy")


def test_a_matrix_that_is_called_like_a_stack_is_not_to_be_compiled_over_itself(place):
    Path("m.npy").rename("m.safetensors")
    with pytest.raises(UserError) as refused:
        load_stack("m.safetensors")
    assert str(refused.value) == (
        "m.safetensors is not a BaseConv stack file, but a numpy array; give it the ending of its "
        "kind, and compile it with `bestiary compile matrix`"
    )
