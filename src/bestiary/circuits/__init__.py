"""Arithmetic circuits: traced from Python functions, read from files, evaluated exactly."""

from bestiary.circuits.adders import (
    full_adder,
    half_adder,
    lookahead_add,
    multiply_bits,
    ripple_add,
    subtract_bits,
)
from bestiary.circuits.balance import balanced
from bestiary.circuits.batch import evaluate_batch
from bestiary.circuits.bits import (
    and_,
    and_all,
    compare_bits,
    eq_bits,
    from_bits,
    implies,
    less_bits,
    less_equal_bits,
    majority,
    max_bits,
    min_bits,
    multiplexer,
    nand,
    nor,
    not_,
    one_hot,
    or_,
    or_all,
    parity,
    select,
    to_bits,
    xnor,
    xor,
)
from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.exact import evaluate
from bestiary.circuits.files.arith import from_arith
from bestiary.circuits.files.bristol import from_bristol
from bestiary.circuits.files.document import from_json, to_json
from bestiary.circuits.files.reading import read_circuit, write_circuit
from bestiary.circuits.files.text import from_text, to_text
from bestiary.circuits.gates import Operation, Port
from bestiary.circuits.graph import to_networkx
from bestiary.circuits.matrix import from_matrix
from bestiary.circuits.parallel import parallelised
from bestiary.circuits.real_pairs import real_pairs
from bestiary.circuits.signs import (
    and_signs,
    distance_signs,
    from_signs,
    not_signs,
    or_signs,
    parity_signs,
    select_signs,
    to_signs,
    xnor_signs,
    xor_signs,
)
from bestiary.circuits.sympy_expression import from_sympy
from bestiary.circuits.tracing import circuit

__all__ = [
    "Builder",
    "Circuit",
    "Operation",
    "Port",
    "and_",
    "and_all",
    "and_signs",
    "balanced",
    "circuit",
    "compare_bits",
    "distance_signs",
    "eq_bits",
    "evaluate",
    "evaluate_batch",
    "from_arith",
    "from_bits",
    "from_bristol",
    "from_json",
    "from_matrix",
    "from_signs",
    "from_sympy",
    "from_text",
    "full_adder",
    "half_adder",
    "implies",
    "less_bits",
    "less_equal_bits",
    "lookahead_add",
    "majority",
    "max_bits",
    "min_bits",
    "multiplexer",
    "multiply_bits",
    "nand",
    "nor",
    "not_",
    "not_signs",
    "one_hot",
    "or_",
    "or_all",
    "or_signs",
    "parallelised",
    "parity",
    "parity_signs",
    "read_circuit",
    "real_pairs",
    "ripple_add",
    "select",
    "select_signs",
    "subtract_bits",
    "to_bits",
    "to_json",
    "to_networkx",
    "to_signs",
    "to_text",
    "write_circuit",
    "xnor",
    "xnor_signs",
    "xor",
    "xor_signs",
]
