"""Programs of array operations, compiled to stacks of BaseConv layers.

Write a program as an expression (``expression``), read what it means (``interpret``), and compile
it: simplify → retime → schedule → allocate → emit (``compiling``). Every pass gives a program that
means the same, and the emitted stack computes it.
"""

from bestiary.compile.compiling import PASSES, Compiled, compile_program
from bestiary.compile.expression import (
    Value,
    add,
    concat,
    constant_array,
    conv,
    input_array,
    linear,
    mul,
    pad,
    read,
    row_scale,
    shift,
    total,
)
from bestiary.compile.from_circuit import CompiledCircuit, compile_circuit
from bestiary.compile.from_gated import gated, h3
from bestiary.compile.from_hyena import hyena
from bestiary.compile.from_language_model import CompiledLanguageModel, language_model
from bestiary.compile.from_matrix import matrix
from bestiary.compile.gated_form import GatedForm, GatedStep, Projection
from bestiary.compile.interpret import interpret
from bestiary.compile.program import Program
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps
from bestiary.compile.to_hyena import HyenaStack, to_hyena

__all__ = [
    "PASSES",
    "Compiled",
    "CompiledCircuit",
    "CompiledLanguageModel",
    "GatedForm",
    "GatedStep",
    "HyenaStack",
    "Program",
    "Projection",
    "Rows",
    "Taps",
    "Value",
    "add",
    "compile_circuit",
    "compile_program",
    "concat",
    "constant_array",
    "conv",
    "gated",
    "h3",
    "hyena",
    "input_array",
    "interpret",
    "language_model",
    "linear",
    "matrix",
    "mul",
    "pad",
    "read",
    "row_scale",
    "shift",
    "to_hyena",
    "total",
]
