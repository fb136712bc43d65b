"""Recall by weights that are set by hand, scored beside trained models.

One solver a file; ``registry`` names them and ``protocol`` says what one is. A solver's file is
loaded when it is asked for by name: every command that reads a config knows the names, and few
need the compiler.
"""

from bestiary.solvers.protocol import Size, Solver, SolverModel
from bestiary.solvers.registry import SOLVERS, SolverSpec, build_solver, solver_class

__all__ = [
    "SOLVERS",
    "Size",
    "Solver",
    "SolverModel",
    "SolverSpec",
    "build_solver",
    "solver_class",
]
