"""Numbers and arrays of programs as JSON and flat arrays, exactly: ints and fractions stay so."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bestiary.compile.constants import Array, Scalar
from bestiary.compile.rows import Rows
from bestiary.compile.taps import Taps
from bestiary.errors import UserError

POOLS = {"floats": np.dtype(np.float64), "ints": np.dtype(np.int64)}
"""Arrays lie one after the other in one long array a type."""


def number_code(number: Any) -> int | float | str:
    """A number as JSON: ints and floats as they are, a fraction as 'p/q'."""
    if isinstance(number, Fraction):
        return f"{number.numerator}/{number.denominator}"
    if isinstance(number, np.generic | np.ndarray):
        number = number.item()
        return number_code(number)
    return float(number) if isinstance(number, float) else int(number)


def number_of(code: int | float | str) -> Scalar:
    """The number again."""
    return Fraction(code) if isinstance(code, str) else code


class ArrayWriter:
    """Arrays as codes; the numbers are gathered in ``pools``, equal arrays once."""

    def __init__(self) -> None:
        self.known: dict[tuple[str, bytes], int] = {}
        self.parts: dict[str, list[Array]] = {name: [] for name in POOLS}
        self.filled = dict.fromkeys(POOLS, 0)

    def array(self, array: Any) -> dict[str, Any]:
        """An array of floats, ints or exact numbers."""
        array = np.asarray(array)
        # What is repeated along an axis without being stored is stored once here too.
        once = array[*(slice(0, 1 if step == 0 else None) for step in array.strides), ...]
        code: dict[str, Any] = {"shape": list(array.shape)}
        if once.shape != array.shape:
            code["stored"] = list(once.shape)
        if array.dtype == object:
            return code | {"exact": [number_code(number) for number in once.ravel().tolist()]}
        name = "floats" if array.dtype.kind == "f" else "ints"
        flat = np.ascontiguousarray(once, dtype=POOLS[name]).ravel()
        key = (name, flat.tobytes())
        if key not in self.known:
            self.known[key] = self.filled[name]
            self.parts[name].append(flat)
            self.filled[name] += flat.size
        return code | {name: self.known[key]}

    def rows(self, rows: Rows) -> dict[str, Any]:
        """Row constants."""
        values, outside = self.array(rows.values), self.array(rows.outside)
        return {"start": int(rows.start), "values": values, "outside": outside}

    def row_number(self, number: Any) -> Any:
        """A number, or row constants."""
        return self.rows(number) if isinstance(number, Rows) else number_code(number)

    def taps(self, taps: Taps) -> dict[str, Any]:
        """A filter."""
        return {"powers": self.array(taps.powers), "values": self.array(taps.values)}

    def pools(self) -> dict[str, Tensor]:
        """All numbers, by the type."""
        return {
            name: torch.from_numpy(np.concatenate([np.zeros(0, dtype=POOLS[name]), *parts]))
            for name, parts in self.parts.items()
        }


class ArrayReader:
    """The same from codes and pools. ``UserError`` for numbers that are not there."""

    def __init__(self, pools: dict[str, Tensor]) -> None:
        self.pools = {name: pools[name].numpy() for name in POOLS}

    def array(self, code: dict[str, Any]) -> Array:
        """An array."""
        shape = tuple(code["shape"])
        stored = tuple(code.get("stored", shape))
        size = int(np.prod(stored, dtype=np.int64))
        if "exact" in code:
            flat = np.empty(size, dtype=object)
            flat[:] = [number_of(number) for number in code["exact"]]
        else:
            name = next(name for name in POOLS if name in code)
            first = code[name]
            flat = self.pools[name][first : first + size]
            if first < 0 or len(flat) != size:
                raise UserError(
                    f"an array of a program lies at {first} to {first + size} of {name}, of which "
                    f"there are {len(self.pools[name])}"
                )
        return (
            np.broadcast_to(flat.reshape(stored), shape)
            if stored != shape
            else (flat.reshape(shape))
        )

    def rows(self, code: dict[str, Any]) -> Rows:
        """Row constants."""
        start, values = code["start"], self.array(code["values"])
        outside = self.array(code["outside"])
        if type(start) is not int or not values.ndim or outside.shape != values.shape[1:]:
            raise UserError(
                f"row constants of a program have shape {values.shape} from row {start!r} on and "
                f"{outside.shape} in other rows; its file is damaged"
            )
        return Rows(start, values, outside)

    def row_number(self, code: Any) -> Any:
        """A number, or row constants."""
        return self.rows(code) if isinstance(code, dict) else number_of(code)

    def taps(self, code: dict[str, Any]) -> Taps:
        """A filter."""
        powers, values = self.array(code["powers"]), self.array(code["values"])
        if powers.dtype.kind != "i" or powers.ndim != 1 or not 0 < len(powers) == len(values):
            raise UserError(
                f"a filter of a program has powers of {powers.dtype} and shape {powers.shape} and "
                f"taps of shape {values.shape}; its file is damaged"
            )
        return Taps(powers, values)
