"""Constants that float64 cannot hold are refused where a stack is made, never written into it."""

from fractions import Fraction

import numpy as np
import pytest
import torch

from bestiary.compile.compiling import compile_program
from bestiary.compile.expression import conv, input_array
from bestiary.compile.program import Program
from bestiary.errors import UserError

U = input_array("u", 2)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize(
    "output",
    [
        U * 1e200 * 1e200,
        conv({0: 1e200}, conv({1: 1e200}, U)),
        (U @ (np.eye(2) * 1e200)) @ (np.eye(2) * 1e200),
        U * 1e308 + U * 1e308,
        U + 1e308 + 1e308,
        U * 10**400,
    ],
)
def test_constants_that_overflow_are_refused(output):
    with pytest.raises(UserError, match=r"than float64 holds, 1\.8e\+308"):
        compile_program(Program((U,), output, 3))


def test_exact_constants_may_be_larger_on_the_way():
    output = U * 10**400 * Fraction(3, 10**400)
    x = torch.ones(1, 2, 2, dtype=torch.float64)
    assert torch.equal(compile_program(Program((U,), output, 2)).stack(x), 3 * x)
