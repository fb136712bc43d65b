"""What a file says it was compiled from is data that anyone may have written."""

import numpy as np
import pytest
import torch

from bestiary.circuits import Port
from bestiary.compile.circuit_form import CircuitForm
from bestiary.compile.origin import Origin, matrix_function, transform_reference
from bestiary.errors import UserError

DCT = Origin("transform", "dct-2", 8)
SUM = Origin(
    *("circuit", "sum.circuit", 3, 2),
    digest="ab",
    circuit=CircuitForm("narrow", (Port("x", (3,)),), (Port("out"),)),
)


def test_an_origin_comes_back_from_what_is_stored():
    assert Origin.from_dict(DCT.to_dict()) == DCT
    assert Origin.from_dict(SUM.to_dict()) == SUM
    assert Origin.from_dict(None) is None
    older = DCT.to_dict()
    assert older.pop("tolerance") == 1e-9
    assert Origin.from_dict(older) == DCT


@pytest.mark.parametrize(
    "given",
    [
        [],
        {"kind": "transform"},
        DCT.to_dict() | {"kind": "guess"},
        DCT.to_dict() | {"n": "8"},
        DCT.to_dict() | {"n": 0},
        DCT.to_dict() | {"layer": "first"},
        DCT.to_dict() | {"digest": None},
        DCT.to_dict() | {"tolerance": float("nan")},
        DCT.to_dict() | {"tolerance": -1},
        DCT.to_dict() | {"more": 1},
        DCT.to_dict() | {"kind": "circuit"},
        DCT.to_dict() | {"circuit": None},
        SUM.to_dict() | {"kind": "matrix"},
        SUM.to_dict() | {"circuit": {"layout": "narrow"}},
    ],
)
def test_anything_else_is_refused(given):
    with pytest.raises(UserError):
        Origin.from_dict(given)


def test_sizes_that_do_not_fit_are_refused_before_a_reference_is_made():
    DCT.check_sizes(8, 1)
    DCT.check_sizes(8, 2)  # pairs (Re, Im)
    for rows, inputs in ((7, 1), (8, 3), (16, 2)):
        with pytest.raises(UserError, match="cannot come from dct-2 of size 8"):
            DCT.check_sizes(rows, inputs)
    with pytest.raises(UserError, match="they must be as many"):
        matrix_function(np.eye(8), 1)(torch.ones(1, 8, 2))


def test_a_dense_reference_that_would_not_fit_into_memory_is_refused():
    with pytest.raises(UserError, match="up to size 8192"):
        transform_reference(Origin("transform", "dct-2", 1 << 20))


def test_a_circuit_has_the_sizes_of_its_layout():
    SUM.check_sizes(2, 2)
    with pytest.raises(UserError, match="cannot be that of a narrow circuit of 3 inputs"):
        SUM.check_sizes(1, 2)
