from __future__ import annotations

import numpy as np
import pytest
import torch
from matrix_members import TOLERANCE, error, shape

from bestiary.compile.from_matrix import Given, chosen, matrix
from bestiary.compile.report import measure
from bestiary.errors import UserError
from bestiary.structured import Butterfly, Permutation
from bestiary.structured.transforms import dft, hadamard, toeplitz


def nonzero(member, method):
    return measure(matrix(member, method=method)).parameters.nonzero


def test_auto_takes_the_one_filter_of_a_toeplitz_matrix_and_the_levels_of_a_hadamard_one():
    rng = np.random.default_rng(0)
    filtered = toeplitz(rng.normal(size=64), rng.normal(size=64))
    assert shape(chosen(Given(filtered, "auto", real=True))[0]) == (1, 127, 1)
    member = hadamard(64)
    made = matrix(member, method="auto")
    assert error(made, member) <= TOLERANCE
    counted = [nonzero(member, method) for method in ("auto", "groups", "direct")]
    assert counted[0] == min(counted)


def test_auto_is_direct_where_there_are_no_levels():
    member = Permutation(torch.tensor([2, 0, 1, 5, 3, 4]), torch.float64)
    made = matrix(member, 3, method="auto")
    assert error(made, member) == 0
    assert shape(made)[0] == 1


def test_auto_says_what_it_did_not_look_for(monkeypatch):
    monkeypatch.setattr("bestiary.compile.from_matrix.programs.LARGEST_DIRECT", 16)
    assert chosen(Given(dft(8), "auto"))[1] == ""
    made, left_out = chosen(Given(dft(16), "auto"))
    assert error(made, dft(16)) <= TOLERANCE
    assert "has 32 rows of real numbers; direct forms are looked for in up to 16" in left_out
    assert chosen(Given(toeplitz(torch.arange(20.0)), "auto", real=True))[1] == ""


def test_a_radix_without_levels_and_an_unknown_method_are_refused():
    member = Permutation(torch.tensor([2, 0, 1, 5, 3, 4]), torch.float64)
    with pytest.raises(UserError, match=r"the radix is 4, but .* is no product of levels"):
        matrix(member, 3, method="auto", radix=4)
    with pytest.raises(UserError, match=r"unknown method 'best' \(accepted: auto, bits, blocks"):
        matrix(Butterfly.identity(4), method="best")
