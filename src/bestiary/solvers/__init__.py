"""Recall by weights that are set by hand, scored beside trained models.

One solver a file; ``registry`` names them and ``protocol`` says what one is.
"""

from bestiary.solvers.all_pairs import AllPairs
from bestiary.solvers.attention import AttentionSolver
from bestiary.solvers.autocorrelation import Autocorrelation
from bestiary.solvers.lookup import Lookup
from bestiary.solvers.protocol import Size, Solver, SolverModel
from bestiary.solvers.registry import SOLVERS, SolverSpec, build_solver, solver_class

__all__ = [
    "SOLVERS",
    "AllPairs",
    "AttentionSolver",
    "Autocorrelation",
    "Lookup",
    "Size",
    "Solver",
    "SolverModel",
    "SolverSpec",
    "build_solver",
    "solver_class",
]
