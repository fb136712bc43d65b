"""Arithmetic circuits: traced from Python functions, read from files, evaluated exactly."""

from bestiary.circuits.balance import balanced
from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit, Operation, Port
from bestiary.circuits.evaluate import evaluate, evaluate_batch
from bestiary.circuits.real_pairs import real_pairs
from bestiary.circuits.tracing import circuit

__all__ = [
    "Builder",
    "Circuit",
    "Operation",
    "Port",
    "balanced",
    "circuit",
    "evaluate",
    "evaluate_batch",
    "real_pairs",
]
