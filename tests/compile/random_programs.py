"""Random array programs over every operation, small enough to be computed exactly.

Constants are small integers, now and then a half or a third, so that a program can be
interpreted in ints and fractions before and after a pass and compared to the last bit. What is
chosen comes from ``choose``: numpy gives many programs fast, hypothesis ones that it can shrink.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from bestiary.compile import (
    Program,
    Rows,
    Taps,
    Value,
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

Choose = Callable[[int], int]
"""One of the numbers 0 to n - 1, for n."""

MOST_DEGREE = 6
MOST_WIDTH = 4
MOST_ROWS = 8


def random_program(choose: Choose, most_operations: int = 30) -> Program:
    """A program of up to so many operations; causal or circular."""
    return ProgramMaker(choose).program(most_operations)


def by_numpy(seed: int | list[int]) -> Choose:
    """Choices out of a seed."""
    rng = np.random.default_rng(seed)
    return lambda n: int(rng.integers(n))


def random_input(choose: Choose, program: Program) -> np.ndarray:
    """(N, d) small ints, exactly."""
    numbers = [choose(7) - 3 for _ in range(program.rows * program.width)]
    return np.array(numbers, dtype=object).reshape(program.rows, program.width)


class ProgramMaker:
    """The values so far, with the polynomial degree of each, so that numbers stay small."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.values: list[Value] = []
        self.degree: dict[Value, int] = {}
        self.used: set[Value] = set()
        self.rows = self.between(1, MOST_ROWS)
        self.ring = self.rows + choose(4) if choose(3) == 0 else None

    def between(self, low: int, high: int) -> int:
        return low + self.choose(high - low + 1)

    def program(self, most_operations: int) -> Program:
        inputs = tuple(input_array(f"u{i}", self.between(1, 3)) for i in range(self.between(1, 2)))
        for value in inputs:
            self.values.append(value)
            self.degree[value] = 1
        operations = (
            *(self.linear, self.row_scale, self.conv, self.shift, self.add, self.mul) * 2,
            *(self.concat, self.pad, self.read, self.constant, self.power),
        )
        for i in range(self.between(1, most_operations)):
            made, degree = operations[self.choose(len(operations))]()
            if self.choose(4) == 0:
                made = made.named(f"n{i}")
            self.values.append(made)
            self.degree[made] = degree
            self.used.update(made.operands)
        return Program(
            inputs,
            self.output(),
            rows=self.rows,
            reads=self.window(),
            mode="causal" if self.ring is None else "circular",
            ring=self.ring,
        )

    # What to choose from

    def value(self, most: int = MOST_DEGREE) -> Value:
        """A value made so far, more often a late one; of at most a degree."""
        known = [value for value in self.values if self.degree[value] <= most]
        if self.choose(2):
            known = known[-4:]
        return known[self.choose(len(known))]

    def like(self, width: int, most: int = MOST_DEGREE) -> Value:
        """A value of a width."""
        value = self.value(most)
        same = [v for v in self.values if v.width == width and self.degree[v] <= most]
        if same and self.choose(3):
            return same[self.choose(len(same))]
        return read(value, [self.choose(value.width) for _ in range(width)])

    def number(self) -> Any:
        return (0, 1, -1, 2, 1, -3, 0, 3, 0.5, 1)[self.choose(10)]

    def numbers(self, *shape: int) -> np.ndarray:
        flat: list[Any] = [self.number() for _ in range(int(np.prod(shape)))]
        if flat and self.choose(20) == 0:
            flat[0] = Fraction(1, 3)
            exact = [Fraction(number) for number in flat]
            out = np.empty(len(flat), dtype=object)
            out[:] = [int(f) if f.denominator == 1 else f for f in exact]
            return out.reshape(shape)
        return np.array(flat, dtype=float).reshape(shape)

    def constants(self, width: int) -> Any:
        """A number, numbers by channel, or by row and channel."""
        kind = self.choose(5)
        if kind == 0:
            return self.number()
        if kind == 1:
            return self.numbers(width)
        low, high = (-2, self.rows + 2) if self.ring is None else (0, self.ring)
        start = self.between(low, high - 1)
        stop = self.between(start, high)
        if kind == 2:
            return Rows.window(start, stop, width)
        rows = Rows.of(self.numbers(stop - start, width), start)
        return rows + self.number() if kind == 3 else rows

    def taps(self, width: int) -> Any:
        channels = () if self.choose(2) else (width,)
        if self.choose(6) == 0:
            return Taps.of(self.numbers(self.between(1, 20), *channels), self.between(-3, 1))
        powers = {self.between(-3, 4) for _ in range(self.between(1, 3))}
        return {power: self.numbers(*channels) for power in powers}

    # Operations: the value and its degree

    def linear(self) -> tuple[Value, int]:
        x, width = self.value(), self.between(1, MOST_WIDTH)
        bias = self.constants(width) if self.choose(2) else None
        return linear(x, self.numbers(x.width, width), bias), self.degree[x]

    def row_scale(self) -> tuple[Value, int]:
        x = self.value()
        return row_scale(x, self.constants(x.width)), self.degree[x]

    def conv(self) -> tuple[Value, int]:
        x = self.value()
        return conv(self.taps(x.width), x), self.degree[x]

    def shift(self) -> tuple[Value, int]:
        x = self.value()
        return shift(x, self.between(-3, 4)), self.degree[x]

    def add(self) -> tuple[Value, int]:
        x = self.value()
        others = [self.like(x.width) for _ in range(self.between(0, 2))]
        degree = max(self.degree.get(v, MOST_DEGREE) for v in (x, *others))
        return total([x, *others]), degree

    def mul(self) -> tuple[Value, int]:
        a = self.value(MOST_DEGREE - 1)
        b = self.like(a.width, MOST_DEGREE - self.degree[a])
        degree = self.degree[a] + self.degree.get(b, MOST_DEGREE - self.degree[a])
        return (mul(a, b) if self.choose(2) else mul(b, a)), degree

    def power(self) -> tuple[Value, int]:
        a = self.value(MOST_DEGREE // 2)
        return mul(a, a), 2 * self.degree[a]

    def concat(self) -> tuple[Value, int]:
        parts = [self.value() for _ in range(self.between(1, 2))]
        if sum(part.width for part in parts) > MOST_WIDTH:
            parts = parts[:1]
        return concat(parts), max(self.degree[part] for part in parts)

    def pad(self) -> tuple[Value, int]:
        x = self.value()
        width = max(x.width, self.between(1, MOST_WIDTH))
        return pad(x, width, self.choose(width - x.width + 1)), self.degree[x]

    def read(self) -> tuple[Value, int]:
        x = self.value()
        channels = [self.choose(x.width) for _ in range(self.between(1, MOST_WIDTH))]
        return read(x, channels), self.degree[x]

    def constant(self) -> tuple[Value, int]:
        width = self.between(1, MOST_WIDTH)
        return constant_array(self.constants(width), width), 0

    # What is read

    def output(self) -> Value:
        """The last value, beside some of those that nothing used."""
        last = self.values[-1]
        loose = [v for v in self.values[:-1] if v not in self.used]
        return concat([last, *loose[: (0, 1, 3, len(loose))[self.choose(4)]]])

    def window(self) -> tuple[int, int] | None:
        if self.choose(2):
            return None
        low, high = (-2, self.rows + 3) if self.ring is None else (0, self.ring)
        first = self.between(low, high - 1)
        return first, self.between(first + 1, high)
