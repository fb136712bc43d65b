from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from bestiary.errors import UserError
from bestiary.structured.array_file import read_npy
from bestiary.structured.matrix_file import read_matrix

OBJECTS = np.array([[1, None], [2, 3]], dtype=object)


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int8", "bool", ">f8"])
@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_an_array_comes_back_with_its_shape_and_dtype(
    dtype: str, version: tuple[int, int], tmp_path: Path
) -> None:
    given = np.asfortranarray(np.arange(6).reshape(2, 3).astype(dtype))
    with (tmp_path / "a.npy").open("wb") as file:
        np.lib.format.write_array(file, given, version)
    again = read_npy(tmp_path / "a.npy")
    assert again.dtype == np.dtype(dtype)
    assert np.array_equal(again, given)


@pytest.mark.parametrize("read", [read_npy, read_matrix])
def test_objects_are_refused_without_advice_to_trust_them(read, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", OBJECTS, allow_pickle=True)
    with pytest.raises(UserError, match=r"a\.npy holds Python objects") as caught:
        read(tmp_path / "a.npy")
    assert "pickle" not in str(caught.value)


def test_an_archive_of_objects_is_no_matrix(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", OBJECTS)
    with pytest.raises(UserError, match="holds Python objects") as caught:
        read_matrix(tmp_path / "a.npz")
    assert "pickle" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"1 2 3\n", pickle.dumps([1, 2]), b"\x93NUM"])
@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_another_file_under_that_name_is_told_from_objects(
    content: bytes, name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    for read in (read_npy, read_matrix):
        with pytest.raises(UserError, match=r"is not a \.np[yz] file") as caught:
            read(tmp_path / name)
        assert "pickle" not in str(caught.value)


def test_an_archive_is_told_from_one_array(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", np.ones(3))
    with pytest.raises(UserError, match=r"a\.npz is a \.npz archive of arrays; a \.npy file"):
        read_npy(tmp_path / "a.npz")


@pytest.mark.parametrize("kept", [7, 9, 20, 100, -1])
def test_an_array_that_is_cut_off_is_refused_in_one_sentence(kept: int, tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.ones(8))
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UserError, match="is cut off") as caught:
        read_npy(path)
    assert "\n" not in str(caught.value)


def test_no_memory_is_taken_for_what_a_header_promises(tmp_path: Path) -> None:
    with (tmp_path / "a.npy").open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (10**15,)}
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(UserError, match="0 of the 8000000000000000 bytes"):
        read_npy(tmp_path / "a.npy")


@pytest.mark.parametrize("header", ["{'descr': '<f8', (", "{b'a': 1, 'descr': 2}", "{1", "[]", "x"])
def test_a_header_that_is_no_description_of_an_array_is_damaged(
    header: str, tmp_path: Path
) -> None:
    text = header.ljust(118).encode()
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x01\x00" + bytes([len(text), 0]) + text + bytes(8))
    for read in (read_npy, read_matrix):
        with pytest.raises(UserError, match=r"a\.npy is cut off or damaged"):
            read(tmp_path / "a.npy")
