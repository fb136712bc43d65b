"""A program over complex numbers, as pairs of channels, for input and output that are real."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bestiary.compile.expression import Value, input_array, linear, read
from bestiary.compile.program import Program
from bestiary.errors import UserError


def real_part(program: Program) -> Program:
    """x ↦ Re(program(x + 0i)) for real x, where channels 2c and 2c + 1 are the parts of number c.

    Real transforms are often products of complex factors. The zeros of the input cost nothing: they
    are folded into the first weights.
    """
    if len(program.inputs) != 1 or program.width % 2 or program.output.width % 2:
        raise UserError(
            f"{program.name} takes {program.width} channels and gives {program.output.width}; its "
            "real part needs pairs (Re, Im)"
        )
    given = program.inputs[0]
    numbers = given.width // 2
    u = input_array(given.name, numbers)
    parts = np.zeros((numbers, given.width))
    parts[np.arange(numbers), 2 * np.arange(numbers)] = 1
    made: dict[int, Value] = {id(given): linear(u, parts)}
    for value in program.order:
        if id(value) not in made:
            made[id(value)] = value.remade([made[id(o)] for o in value.operands])
    output = read(made[id(program.output)], slice(None, None, 2), program.output.name)
    return replace(program, inputs=(u,), output=output)
