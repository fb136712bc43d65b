"""Matrices as one filter, one W or a few shifts, where that is cheaper than a chain of levels."""

from bestiary.compile.from_matrix.direct.form import BlockMatrix, Form
from bestiary.compile.from_matrix.direct.forms import direct_forms, direct_program
from bestiary.compile.from_matrix.direct.one_filter import one_filter

__all__ = ["BlockMatrix", "Form", "direct_forms", "direct_program", "one_filter"]
