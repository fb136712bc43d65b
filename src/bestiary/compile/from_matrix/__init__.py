"""Structured matrices as programs, one construction a file, and ``matrix`` that chooses."""

from bestiary.compile.from_matrix.matrix import matrix, matrix_program

__all__ = ["matrix", "matrix_program"]
