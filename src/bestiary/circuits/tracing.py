"""``@circuit``: the circuit that an ordinary Python function computes.

The function is called once, with symbols for its arguments::

    @circuit(x=3, y=3)
    def distance(x, y):
        return ((x - y) ** 2).sum()

    distance([1, 2, 3], [1, 1, 1])      # 5
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit, Shape
from bestiary.circuits.number import as_number
from bestiary.circuits.symbol import Symbol
from bestiary.errors import UserError

OUTPUT = "out"
MOST_INPUTS = 1 << 20


def circuit(function: Callable[..., Any] | None = None, /, **shapes: int | Sequence[int]) -> Any:
    """Trace a function: its arguments are scalars, or have the shapes given by their names.

    A shape is a length, or a tuple such as (positions, channels); arguments of it come as numpy
    arrays of symbols. What is returned (a number, an array, a tuple or a dict of them) comes out.
    Gives a ``Circuit``, which can be called like the function. ``UserError`` for what is no
    polynomial: comparisons, data-dependent conditions, division by inputs.
    """
    if function is None:
        return lambda function: traced(function, shapes)
    return traced(function, shapes)


def traced(function: Callable[..., Any], shapes: Mapping[str, int | Sequence[int]]) -> Circuit:
    """The circuit of ``function``, its arguments of the shapes given, scalars where none is."""
    name = getattr(function, "__name__", "circuit").strip("<>")
    parameters = inspect.signature(function).parameters
    for given in shapes:
        if given not in parameters:
            raise UserError(
                f"a shape was given for {given}, which is no argument of {name}; its arguments "
                f"are {', '.join(parameters) or 'none'}"
            )
    builder = Builder()
    arguments = {}
    for parameter in parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UserError(
                f"{name} takes any number of arguments (*{parameter.name}); a circuit has fixed "
                f"inputs: take one array, with a shape such as {parameter.name}=8"
            )
        if parameter.name not in shapes and parameter.default is not parameter.empty:
            continue
        shape = _shape(shapes.get(parameter.name, ()), parameter.name)
        arguments[parameter.name] = symbols(builder, parameter.name, shape)
    returned = function(**arguments)
    return builder.finished(_outputs(builder, returned, name), name)


def symbols(builder: Builder, name: str, shape: Shape) -> Any:
    """A new input as a symbol, or as an array of them."""
    gates = builder.input(name, shape)
    if shape == ():
        return Symbol(builder, gates[0])
    flat = np.empty(len(gates), dtype=object)
    flat[:] = [Symbol(builder, gate) for gate in gates]
    return flat.reshape(shape)


def _shape(given: int | Sequence[int], name: str) -> Shape:
    try:
        shape = tuple(map(index, given)) if isinstance(given, Sequence) else (index(given),)
    except TypeError:
        raise UserError(
            f"the shape of {name} is {given!r}; a length or a tuple of them is needed"
        ) from None
    if any(length < 0 for length in shape) or np.prod(shape, dtype=float) > MOST_INPUTS:
        raise UserError(
            f"the shape of {name} is {shape}; lengths from 0 on and up to {MOST_INPUTS:,} scalars "
            "in all are taken"
        )
    return shape


def _outputs(builder: Builder, returned: Any, name: str) -> dict[str, tuple[Shape, list[int]]]:
    """What a function returned, by name: shape and gates."""
    if isinstance(returned, Mapping):
        named = {str(key): value for key, value in returned.items()}
    elif isinstance(returned, tuple):
        named = {f"{OUTPUT}{i}": value for i, value in enumerate(returned)}
    else:
        named = {OUTPUT: returned}
    if returned is None or not named:
        raise UserError(f"{name} returned nothing; return what the circuit shall give")
    outputs = {}
    for key, value in named.items():
        array = np.asarray(value, dtype=object)
        outputs[key] = array.shape, [_gate(builder, entry, name) for entry in array.flat]
    return outputs


def _gate(builder: Builder, entry: Any, name: str) -> int:
    if isinstance(entry, Symbol):
        return entry.gate
    return builder.constant(as_number(entry, f"what {name} returned"))
