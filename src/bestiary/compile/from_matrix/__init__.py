"""Structured matrices as programs, one construction a file, and ``choice`` among them.

``chain`` makes levels of a matrix; ``channel_groups``, ``time_blocks``, ``index_bits`` and
``paper`` make programs of levels; ``direct`` makes one of a dense matrix. ``frontier`` compares
them.
"""

from bestiary.compile.from_matrix.choice import CHOICES, chosen, matrix
from bestiary.compile.from_matrix.frontier import Choice, frontier
from bestiary.compile.from_matrix.given import Given, NoStructure, given_matrix
from bestiary.compile.from_matrix.programs import METHODS, direct_matrix_program, matrix_program

__all__ = [
    "CHOICES",
    "METHODS",
    "Choice",
    "Given",
    "NoStructure",
    "chosen",
    "direct_matrix_program",
    "frontier",
    "given_matrix",
    "matrix",
    "matrix_program",
]
