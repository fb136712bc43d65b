"""How the numbers of a circuit lie in its stack, as a compiled file says it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.circuits.gates import Port, Shape
from bestiary.errors import UserError

LAYOUTS = ("wide", "narrow")
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CircuitForm:
    """Where the inputs and outputs of a circuit of real numbers are.

    layout: ``wide``: all inputs in the channels of a row, the circuit for every row by itself, and
    the outputs in the channels of the same row. ``narrow``: the inputs row by row, the last row
    filled up with zeros, and the outputs likewise. inputs, outputs: ports; each is read row-major,
    one after the other. pairs: whether numbers are complex, (Re, Im) the last axis of each port.
    bits: whether all inputs are 0 or 1.
    """

    layout: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    pairs: bool = False
    bits: bool = False

    @property
    def taken(self) -> int:
        """How many real numbers the circuit takes."""
        return sum(port.size for port in self.inputs)

    @property
    def given(self) -> int:
        """How many real numbers come out."""
        return sum(port.size for port in self.outputs)

    def check_sizes(self, rows: int, inputs: int) -> None:
        """``UserError`` where a stack of (rows, inputs) cannot be that of this circuit."""
        wide = self.layout == "wide" and inputs == self.taken
        if not wide and not (self.layout == "narrow" and rows == -(-self.taken // inputs)):
            raise UserError(
                f"a stack of {rows} × {inputs} numbers cannot be that of a {self.layout} circuit "
                f"of {self.taken} inputs; its file is damaged"
            )

    def examples(self, batch: NDArray[Any]) -> NDArray[Any]:
        """(batch, rows, channels) of the stack's input → (examples, inputs) of the circuit."""
        if self.layout == "wide":
            return batch.reshape(-1, self.taken)
        return batch.reshape(len(batch), -1)[:, : self.taken]

    def input_array(self, examples: Floats, rows: int, channels: int) -> Floats:
        """(examples, inputs) → (batch, rows, channels); the inverse of ``examples``."""
        if self.layout == "wide":
            return examples.reshape(-1, rows, channels)
        return _filled_up(examples, channels).reshape(-1, rows, channels)

    def output_array(self, outputs: Floats, rows: int, channels: int) -> Floats:
        """(examples, outputs) → what the stack gives for an input of so many rows and channels."""
        if self.layout == "wide":
            return outputs.reshape(-1, rows, self.given)
        return _filled_up(outputs, channels).reshape(len(outputs), -1, channels)

    def outputs_of(self, made: NDArray[Any]) -> NDArray[Any]:
        """(batch, rows, channels) that a stack gave → (examples, outputs)."""
        if self.layout == "wide":
            return made.reshape(-1, self.given)
        return made.reshape(len(made), -1)[:, : self.given]

    def read(self, numbers: NDArray[Any], rows: int) -> tuple[Floats, Shape, bool]:
        """An array as people have it → (examples, inputs), the shape before those, how it lay.

        numbers: real or complex; a vector of the inputs, or where there is one input port an array
        of its shape (then the last of what is returned is true), or a batch of either; of a wide
        circuit in several rows one for each row. ``UserError`` for what does not fit.
        """
        if numbers.dtype.kind == "c" and not self.pairs:
            raise UserError(
                f"an array of {numbers.dtype} was given; a circuit of real numbers takes real ones"
            )
        if self.bits:
            _check_bits(numbers)
        shaped = _as_one_sees(self.inputs, self.pairs)
        for shape, as_port in ((_vector(self.inputs, self.pairs), False), (shaped, True)):
            lead = self._lead(numbers.shape, shape, rows)
            if shape is not None and lead is not None:
                flat = numbers.astype(np.complex128) if self.pairs else numbers
                parts = np.ascontiguousarray(flat).view(np.float64)
                return parts.reshape(-1, self.taken), lead, as_port
        raise UserError(self._misfit(numbers.shape, rows))

    def written(self, outputs: NDArray[Any], lead: Shape, as_port: bool) -> NDArray[Any]:
        """(examples, outputs) as people have it: pairs as complex numbers, batches as ``read``.

        as_port: in the shape of the output port, where there is one; else vectors.
        """
        if self.pairs:
            wide = np.complex128 if outputs.dtype == np.float64 else np.complex64
            outputs = np.ascontiguousarray(outputs).view(wide)
        shape = _as_one_sees(self.outputs, self.pairs) if as_port else None
        vectors = _vector(self.outputs, self.pairs)
        return outputs.reshape((*lead, *(vectors if shape is None else shape)))

    def _lead(self, given: Shape, shape: Shape | None, rows: int) -> Shape | None:
        """What stands before an example of ``shape``; None where it does not fit."""
        if shape is None or given[len(given) - len(shape) :] != shape:
            return None
        lead = given[: len(given) - len(shape)]
        if self.layout == "wide" and rows > 1:
            return lead if lead[-1:] == (rows,) and len(lead) < 3 and 0 not in lead else None
        return lead if len(lead) < 2 and 0 not in lead else None

    def _misfit(self, given: Shape, rows: int) -> str:
        vector, shaped = _vector(self.inputs, self.pairs), _as_one_sees(self.inputs, self.pairs)
        accepted = [vector, *([shaped] if shaped not in (None, vector) else [])]
        by_row = (rows,) if self.layout == "wide" and rows > 1 else ()
        shapes = [str((*by_row, *shape)) for shape in accepted if shape is not None]
        ports = ", ".join(
            port.name + ("" if shape == () else f" {shape}")
            for port in self.inputs
            for shape in [port.shape[:-1] if self.pairs else port.shape]
        )
        return (
            f"an array of shape {given} was given; the circuit takes {vector[0]} "
            f"{'complex ' if self.pairs else ''}numbers{' a row' if by_row else ''}, {ports} "
            f"(accepted: {' or '.join(shapes)}, or a batch)"
        )

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "layout": self.layout,
            "inputs": [[port.name, list(port.shape)] for port in self.inputs],
            "outputs": [[port.name, list(port.shape)] for port in self.outputs],
            "pairs": self.pairs,
            "bits": self.bits,
        }

    @classmethod
    def from_dict(cls, given: Any) -> CircuitForm:
        """Back from ``to_dict``; ``UserError`` for what is none."""
        names = {field.name for field in fields(cls)}
        sound = isinstance(given, Mapping) and set(given) == names
        if sound and given["layout"] in LAYOUTS:
            inputs, outputs = _ports(given["inputs"]), _ports(given["outputs"])
            flags = [given["pairs"], given["bits"]]
            if inputs and outputs and all(isinstance(flag, bool) for flag in flags):
                return cls(given["layout"], inputs, outputs, *flags)
        raise UserError(
            f"{given!r} does not say how a circuit lies in its stack; its file is damaged"
        )


def _vector(ports: Sequence[Port], pairs: bool) -> Shape:
    return (sum(port.size for port in ports) // (1 + pairs),)


def _as_one_sees(ports: Sequence[Port], pairs: bool) -> Shape | None:
    """The shape of the one port, None where there are several."""
    if len(ports) > 1:
        return None
    return ports[0].shape[:-1] if pairs else ports[0].shape


def _check_bits(numbers: NDArray[Any]) -> None:
    wrong = np.argwhere((numbers != 0) & (numbers != 1))
    if len(wrong):
        place = tuple(int(i) for i in wrong[0])
        where = f" at index {place if len(place) > 1 else place[0]}" if place else ""
        raise UserError(f"the input has {numbers[place]}{where}; the circuit takes bits, 0 or 1")


def _ports(given: Any) -> tuple[Port, ...]:
    """Ports as they were written; none where something else is there."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        return ()
    ports = []
    for pair in given:
        match pair:
            case [str(name), [*shape]] if all(type(n) is int and n >= 0 for n in shape):
                ports.append(Port(name, tuple(shape)))
            case _:
                return ()
    return tuple(ports)


def _filled_up(numbers: Floats, channels: int) -> Floats:
    """(examples, numbers) with zeros up to whole rows."""
    return np.pad(numbers, ((0, 0), (0, -numbers.shape[1] % channels)))
