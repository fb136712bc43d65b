"""Arithmetic circuits as stacks: wide, in channels of one row, or narrow, row by row.

``by_levels`` and ``arrays`` make wide programs, ``narrow`` narrow ones; ``compile_circuit``
chooses.
"""

from bestiary.compile.from_circuit.compiled import (
    LAYOUTS,
    circuit_bounds,
    compile_circuit,
    wide_size,
)
from bestiary.compile.from_circuit.compiled_circuit import CompiledCircuit

__all__ = ["LAYOUTS", "CompiledCircuit", "circuit_bounds", "compile_circuit", "wide_size"]
