from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from bestiary.errors import UserError
from bestiary.structured.matrix_file import read_matrix

COORDINATES = "%%MatrixMarket matrix coordinate real general\n"
ARRAY = "%%MatrixMarket matrix array real general\n"
MATRIX = np.array([[0.0, 2, 0], [0, 0, -1], [5, 0, 0]])


def test_every_kind_of_file_gives_the_same_matrix(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", MATRIX)
    np.savez(tmp_path / "b.npz", some=MATRIX)
    scipy.sparse.save_npz(tmp_path / "c.npz", scipy.sparse.csr_array(MATRIX))
    scipy.io.mmwrite(tmp_path / "d.mtx", scipy.sparse.coo_array(MATRIX))
    scipy.io.mmwrite(tmp_path / "e.mtx", MATRIX)
    for name in ("a.npy", "b.npz", "c.npz", "d.mtx", "e.mtx"):
        assert np.array_equal(read_matrix(tmp_path / name), MATRIX), name


def test_complex_matrices_stay_complex(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", MATRIX.astype(np.complex64) * 1j)
    assert np.array_equal(read_matrix(tmp_path / "a.npy"), MATRIX * 1j)


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        (
            np.ones((2, 3)),
            r"shape \(2, 3\); a square matrix is needed; bestiary\.circuits\.from_matrix makes",
        ),
        (np.ones(4), r"shape \(4,\)"),
        (np.array([[1, np.nan], [0, 1]]), "nan in row 0, column 1"),
        (np.array([["a"]]), "numbers are needed"),
    ],
)
def test_what_is_no_matrix_is_refused(matrix: np.ndarray, said: str, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", matrix)
    with pytest.raises(UserError, match=said):
        read_matrix(tmp_path / "a.npy")


def test_files_that_cannot_be_read_get_one_sentence(tmp_path: Path) -> None:
    for name in ("a.npy", "a.npz", "a.mtx"):
        with pytest.raises(UserError, match="there is no file"):
            read_matrix(tmp_path / name)
        (tmp_path / name).write_bytes(b"nothing of the kind")
        with pytest.raises(UserError, match="is not a"):
            read_matrix(tmp_path / name)
    with pytest.raises(UserError, match=r"give \.npy, \.npz, \.mtx"):
        read_matrix(tmp_path / "a.csv")
    np.savez(tmp_path / "two.npz", a=MATRIX, b=MATRIX)
    with pytest.raises(UserError, match="it holds 2 arrays"):
        read_matrix(tmp_path / "two.npz")


def test_files_of_more_rows_than_are_read_are_refused_before_they_are_made_dense(
    tmp_path: Path,
) -> None:
    rows = 300_000
    one = scipy.sparse.coo_array(([1.0], ([0], [0])), shape=(rows, rows))
    scipy.sparse.save_npz(tmp_path / "a.npz", one)
    (tmp_path / "a.mtx").write_text(f"{COORDINATES}{rows} {rows} 1\n1 1 1.0\n")
    (tmp_path / "b.mtx").write_text(f"{ARRAY}{rows} {rows}\n1\n")
    for name in ("a.npz", "a.mtx", "b.mtx"):
        with pytest.raises(UserError, match="has 300000 rows; up to 8192 are read"):
            read_matrix(tmp_path / name)


def test_files_that_speak_of_more_numbers_than_they_have_are_cut_off(tmp_path: Path) -> None:
    (tmp_path / "a.mtx").write_text(f"{COORDINATES}9 9 99999999999999\n1 1 1.0\n")
    with pytest.raises(UserError, match=r"cut off: in .* bytes it cannot have 99999999999999"):
        read_matrix(tmp_path / "a.mtx")
    header = {"descr": "<f8", "fortran_order": False, "shape": (300_000, 300_000)}
    told = io.BytesIO()
    np.lib.format.write_array_header_1_0(told, header)
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("some.npy", told.getvalue() + bytes(80))
    with pytest.raises(UserError, match=r"some in .*a\.npz is cut off: it has 80 of the 72000000"):
        read_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("kind", ["csr", "csc"])
@pytest.mark.parametrize("wrong", [3, -1, 10**7])
def test_sparse_indices_outside_of_the_matrix_are_refused(
    kind: str, wrong: int, tmp_path: Path
) -> None:
    np.savez(
        tmp_path / "a.npz",
        format=kind.encode(),
        shape=np.array([3, 3]),
        data=np.ones(3),
        indices=np.array([0, wrong, 2], dtype=np.int32),
        indptr=np.array([0, 1, 2, 3], dtype=np.int32),
    )
    with pytest.raises(UserError, match="indices must be"):
        read_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize(
    ("format", "shape"), [(3, np.array([3, 3])), (b"coo", np.array([2.5, 2.5]))]
)
def test_sparse_archives_of_odd_parts_get_one_sentence(
    format: object, shape: np.ndarray, tmp_path: Path
) -> None:
    parts = {"row": np.array([0]), "col": np.array([0]), "data": np.ones(1)}
    np.savez(tmp_path / "a.npz", format=format, shape=shape, **parts)
    with pytest.raises(UserError, match=r"is not a \.npz file of a matrix"):
        read_matrix(tmp_path / "a.npz")


@pytest.mark.parametrize("end", ["", " ", "\t", "\r", "\n"])
def test_the_last_line_of_a_matrix_market_file_may_end_in_any_way(end: str, tmp_path: Path) -> None:
    (tmp_path / "a.mtx").write_bytes(f"{ARRAY}2 2\n1\n2\n3\n4{end}".encode())
    assert read_matrix(tmp_path / "a.mtx").tolist() == [[1, 3], [2, 4]]
    (tmp_path / "b.mtx").write_bytes(f"{COORDINATES}2 2 1\n1 2 3{end}".encode())
    assert read_matrix(tmp_path / "b.mtx").tolist() == [[0, 3], [0, 0]]


def test_matrix_market_files_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.mtx").write_bytes(f"{COORDINATES}2 2 1\n1 2 3\0\n".encode())
    with pytest.raises(UserError, match="bytes 0"):
        read_matrix(tmp_path / "a.mtx")
    (tmp_path / "b.mtx").write_text(f"{COORDINATES}2 2 1\n1 {10**30} 3\n")
    with pytest.raises(UserError, match="out of range"):
        read_matrix(tmp_path / "b.mtx")


def test_archives_that_do_not_unpack_get_one_sentence(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", a=np.arange(64.0).reshape(8, 8))
    whole = bytearray((tmp_path / "a.npz").read_bytes())
    for place in range(30, len(whole)):
        damaged = whole.copy()
        damaged[place] ^= 0xFF
        (tmp_path / "b.npz").write_bytes(damaged)
        try:
            read_matrix(tmp_path / "b.npz")
        except UserError as error:
            assert "b.npz" in str(error)
