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

__all__ = ["LAYOUTS", "circuit_bounds", "compile_circuit", "wide_size"]
