"""Call a circuit like the function that was traced: arguments of the shapes of its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bestiary.circuits.exact import computed, evaluate
from bestiary.circuits.gates import Gates, Port
from bestiary.circuits.number import refuse_masked
from bestiary.errors import UserError


class Unknown:
    """What stands for a number while a function is traced."""

    __slots__ = ()


def called(circuit: Gates, arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """Evaluate for arguments of the shapes of the inputs, like the function that was traced."""
    ports = {port.name: port for port in circuit.inputs}
    if len(arguments) > len(ports):
        raise UserError(
            f"{len(arguments)} arguments were given to {circuit.name}; it takes {len(ports)}"
        )
    given = dict(zip(ports, arguments, strict=False))
    for name, value in named.items():
        if name not in ports or name in given:
            raise UserError(
                f"{circuit.name} was given {name} twice or does not take it; it takes "
                f"{', '.join(ports)}"
            )
        given[name] = value
    values: list[Any] = []
    for name, port in ports.items():
        if name not in given:
            raise UserError(f"{circuit.name} was called without {name}")
        values += _scalars(circuit, port, given[name])
    # A circuit that is called with values of a function that is being traced becomes part of it.
    within = any(isinstance(value, Unknown) for value in values)
    numbers = iter(computed(circuit, values) if within else evaluate(circuit, values))
    results: dict[str, Any] = {}
    for port in circuit.outputs:
        own = [next(numbers) for _ in range(port.size)]
        if port.shape == ():
            results[port.name] = own[0]
        else:
            flat = np.empty(port.size, dtype=object)
            flat[:] = own
            results[port.name] = flat.reshape(port.shape)
    return next(iter(results.values())) if len(results) == 1 else results


def _scalars(circuit: Gates, port: Port, value: Any) -> list[Any]:
    refuse_masked(value, port.name)
    try:
        array = np.asarray(value, dtype=object)
    except ValueError:
        raise UserError(f"{port.name} is ragged; {circuit.name} takes {port.shape}") from None
    if array.shape != port.shape:
        raise UserError(f"{port.name} has shape {array.shape}; {circuit.name} takes {port.shape}")
    return array.ravel().tolist()
