from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse

from bestiary.errors import UserError
from bestiary.structured.matrix_file import read_matrix

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
        (np.ones((2, 3)), r"shape \(2, 3\); a square matrix is needed"),
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
