"""``@circuit``: the circuit that an ordinary Python function computes.

The function is called once, with symbols for its arguments::

    @circuit(x=3, y=3)
    def distance(x, y):
        return ((x - y) ** 2).sum()

    distance([1, 2, 3], [1, 1, 1])      # 5
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np

from bestiary.circuits.building import Builder
from bestiary.circuits.circuit import Circuit
from bestiary.circuits.gates import Shape
from bestiary.circuits.number import as_number, shown
from bestiary.circuits.symbol import Symbol
from bestiary.errors import UserError

OUTPUT = "out"
MOST_INPUTS = 1 << 20


def circuit(function: Callable[..., Any] | None = None, /, **shapes: int | Sequence[int]) -> Any:
    """Trace a function: its arguments are scalars, or have the shapes given by their names.

    A shape is a length, or a tuple such as (positions, channels); arguments of it come as numpy
    arrays of symbols. What is returned (a number, an array, a tuple or a dict of them) comes out.
    Arguments with a default and no shape keep the default: numbers that the circuit is made for.

    Gives a ``Circuit``, which can be called like the function, and within another function that is
    traced. ``UserError``, with the line, for whatever the function raises and for what is no
    polynomial: comparisons, data-dependent conditions, division by inputs. Inputs are taken to be
    real where numpy asks: the ``.imag`` of an array is 0.
    """
    if function is None:
        return lambda function: traced(function, shapes)
    return traced(function, shapes)


def traced(function: Callable[..., Any], shapes: Mapping[str, int | Sequence[int]]) -> Circuit:
    """The circuit of ``function``, its arguments of the shapes given, scalars where none is."""
    name = getattr(function, "__name__", "circuit").strip("<>")
    parameters = _parameters(function)
    for given in shapes:
        if given not in parameters:
            raise UserError(
                f"a shape was given for {given}, which is no argument of {name}; its arguments "
                f"are {', '.join(parameters) or 'none'}"
            )
    builder = Builder()
    places, arguments = [], {}
    for parameter in parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise UserError(
                f"{name} takes any number of arguments (*{parameter.name}); a circuit has fixed "
                f"inputs: take one array, with a shape such as {parameter.name}=8"
            )
        if parameter.name not in shapes and parameter.default is not parameter.empty:
            value = parameter.default
        else:
            shape = _shape(shapes.get(parameter.name, ()), parameter.name)
            value = symbols(builder, parameter.name, shape)
        if parameter.kind == parameter.POSITIONAL_ONLY:
            places.append(value)
        else:
            arguments[parameter.name] = value
    try:
        returned = function(*places, **arguments)
    except Exception as error:
        raise UserError(f"{name}{_line(function, error)}: {_sentence(error)}") from error
    return builder.finished(_outputs(builder, returned, name), name)


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    if isinstance(function, Circuit) or not callable(function):
        raise UserError(f"{shown(function)} cannot be traced; a function is needed")
    try:
        # Numpy says of its own that they take options, and not what they are functions of.
        if isinstance(function, np.ufunc):
            raise ValueError
        return inspect.signature(function).parameters
    except ValueError:
        raise UserError(
            f"{shown(function)} does not say what arguments it takes; write a function that calls "
            "it"
        ) from None


def _line(function: Callable[..., Any], error: Exception) -> str:
    """Where in the function's own file the error arose, as far as that is known."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    frames = traceback.walk_tb(error.__traceback__)
    lines = [
        line for frame, line in frames if code and frame.f_code.co_filename == code.co_filename
    ]
    return f", line {lines[-1]}" if lines else ""


def _sentence(error: Exception) -> str:
    """What went wrong; what numpy says of arrays of objects is said in our words besides."""
    if isinstance(error, UserError):
        return str(error)
    text = " ".join(str(error).split())
    if isinstance(error, IndexError) and "arrays" in text:
        text += "; a circuit's indices are fixed: use bestiary.circuits.select over all places"
    elif isinstance(error, TypeError) and ("dtype('O')" in text or "ufunc" in text):
        text += (
            "; values of the inputs are added and multiplied alone, in arrays of dtype=object: "
            "write another function as sums and products"
        )
    return f"{type(error).__name__}: {text}"


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
        if len(named) < len(returned):
            raise UserError(f"two outputs of {name} have the same name; give each its own")
    elif isinstance(returned, tuple):
        named = {f"{OUTPUT}{i}": value for i, value in enumerate(returned)}
    else:
        named = {OUTPUT: returned}
    if returned is None or not named:
        raise UserError(f"{name} returned nothing; return what the circuit shall give")
    outputs = {}
    for key, value in named.items():
        try:
            array = np.asarray(value, dtype=object)
        except ValueError:
            raise UserError(
                f"what {name} returned is ragged; return arrays, or a tuple or dict of them"
            ) from None
        outputs[key] = array.shape, [_gate(builder, entry, name) for entry in array.flat]
    return outputs


def _gate(builder: Builder, entry: Any, name: str) -> int:
    if isinstance(entry, Symbol):
        if entry.builder is not builder:
            raise UserError(f"{name} returned a value of another circuit; trace both as one")
        return entry.gate
    return builder.constant(as_number(entry, f"what {name} returned"))
