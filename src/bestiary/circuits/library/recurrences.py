"""Recurrences over n steps, unrolled one after the other or as parallel prefixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need, one_of
from bestiary.circuits.library.trees import Array, filled, listed, matmul
from bestiary.circuits.scans import sequential, sklansky
from bestiary.circuits.tracing import circuit

METHODS = ("sequential", "prefix")


def diagonal_recurrence(n: int, channels: int = 1, method: str = "prefix") -> Circuit:
    """h_t = a_t·h_(t−1) + b_t·x_t from h_0 = 0: a, b, x (n, channels) → h (n, channels).

    Any diagonal state-space layer. method: sequential (n products deep) or prefix (⌈log2 (n + 1)⌉,
    the least for the degree n + 1; G. E. Blelloch, Prefix sums and their applications, 1990).
    """
    need(n=n, channels=channels)
    one_of(METHODS, method=method)

    @circuit(a=(n, channels), b=(n, channels), x=(n, channels))
    def states(a: Array, b: Array, x: Array) -> Array:
        maps = [_Scaled(factor, constant) for factor, constant in zip(a, b * x, strict=True)]
        zero = filled(channels, 0)
        return _states(_Scaled(zero, zero), maps, method)

    return states


def linear_recurrence(n: int, steps: int = 2, method: str = "prefix") -> Circuit:
    """h_t = u_t + Σ_j c[t, j]·h_(t−1−j), j < steps, zeros before: c (n, steps), u (n,) → h (n,).

    method: sequential, or prefix over companion matrices, ⌈log2 n⌉ products deep, the least for
    the degree n (P. M. Kogge and H. S. Stone, IEEE Transactions on Computers C-22, 1973).
    """
    need(n=n, steps=steps)
    one_of(METHODS, method=method)

    @circuit(c=(n, steps), u=n)
    def states(c: Array, u: Array) -> Array:
        maps = []
        for row, term in zip(c, u, strict=True):
            companion, constant = filled((steps, steps), 0), filled(steps, 0)
            companion[0], constant[0] = row, term
            companion[range(1, steps), range(steps - 1)] = 1
            maps.append(_Affine(companion, constant))
        scan = sklansky if method == "prefix" else sequential
        return listed(one.constant[0] for one in scan(_Affine.then, maps))

    return states


def linear_rnn(n: int, size: int = 2, inputs: int = 1, method: str = "prefix") -> Circuit:
    """h_t = W·h_(t−1) + U·x_t from h_0 = 0 → h (n, size).

    w (size, size), u (size, inputs), x (n, inputs). method: sequential (n products deep) or prefix
    (⌈log2 (n + 1)⌉).
    """
    need(n=n, size=size, inputs=inputs)
    one_of(METHODS, method=method)

    @circuit(w=(size, size), u=(size, inputs), x=(n, inputs))
    def states(w: Array, u: Array, x: Array) -> Array:
        powers = _MatrixPowers(w)
        maps = [_Repeated(powers, 1, matmul(u, row)) for row in x]
        return _states(_Repeated(powers, 0, filled(size, 0)), maps, method)

    return states


def square_rnn(n: int, size: int = 2, inputs: int = 1) -> Circuit:
    """h_t = (W·h_(t−1) + U·x_t)², entry by entry, from h_0 = 0 → h (n, size).

    w (size, size), u (size, inputs), x (n, inputs). The degree doubles at every step, so that there
    is no way around n of them: 2n products deep.
    """
    need(n=n, size=size, inputs=inputs)

    @circuit(w=(size, size), u=(size, inputs), x=(n, inputs))
    def states(w: Array, u: Array, x: Array) -> Array:
        state, found = filled(size, 0), []
        for row in x:
            state = (matmul(w, state) + matmul(u, row)) ** 2
            found.append(state)
        return np.stack(found)

    return states


@dataclass(frozen=True)
class _Scaled:
    """h → factor·h + constant, entry by entry."""

    factor: Array
    constant: Array

    def then(self, later: _Scaled) -> _Scaled:
        constant = later.factor * self.constant + later.constant
        return _Scaled(later.factor * self.factor, constant)


@dataclass(frozen=True)
class _Affine:
    """h → matrix·h + constant."""

    matrix: Array
    constant: Array

    def then(self, later: _Affine) -> _Affine:
        constant = matmul(later.matrix, self.constant) + later.constant
        return _Affine(matmul(later.matrix, self.matrix), constant)


@dataclass(frozen=True)
class _Repeated:
    """h → matrix^steps·h + constant, for one matrix."""

    matrix: _MatrixPowers
    steps: int
    constant: Array

    def then(self, later: _Repeated) -> _Repeated:
        constant = matmul(later.matrix.power(later.steps), self.constant) + later.constant
        return _Repeated(self.matrix, self.steps + later.steps, constant)


class _MatrixPowers:
    """Powers of a matrix, the k-th ⌈log2 k⌉ products deep, each made once, when needed."""

    def __init__(self, matrix: Array) -> None:
        self.known = {1: matrix}

    def power(self, k: int) -> Array:
        """matrix^k, k from 1 on."""
        if k not in self.known:
            self.known[k] = matmul(self.power((k + 1) // 2), self.power(k // 2))
        return self.known[k]


def _states(start: Any, maps: Sequence[Any], method: str) -> Array:
    """(n, …): the states after each map, from the constant of ``start``.

    The start takes the first place of the network: maps whose constants are one product deep then
    give states no deeper than the network.
    """
    scan = sklansky if method == "prefix" else sequential
    return np.stack([one.constant for one in scan(type(start).then, [start, *maps])[1:]])


CIRCUITS = (
    LibraryCircuit(
        name="diagonal-recurrence-sequential",
        family="recurrences",
        description="h = a·h + b·x step by step, as a diagonal state-space layer",
        build=diagonal_recurrence,
        n_is="steps",
        source="Definition of the recurrence",
        multiplicative_depth=Formula("n"),
        depth=Formula("2*n - 1"),
        size=Formula("channels*(3*n - 2)"),
        products=Formula("channels*(2*n - 1)"),
        options={"method": "sequential"},
    ),
    LibraryCircuit(
        name="diagonal-recurrence-prefix",
        family="recurrences",
        description="h = a·h + b·x for all steps at once",
        build=diagonal_recurrence,
        n_is="steps",
        source="G. E. Blelloch, Prefix sums and their applications (1990)",
        multiplicative_depth=Formula("lg(n + 1)"),
        depth=Formula("≤ 2*lg(n + 1)"),
        options={"method": "prefix"},
    ),
    LibraryCircuit(
        name="linear-recurrence-sequential",
        family="recurrences",
        description="Each term a combination of the two before, step by step",
        build=linear_recurrence,
        n_is="steps",
        source="Definition of the recurrence",
        multiplicative_depth=Formula("n - 1"),
        depth=Formula("≤ max(0, (n - 1)*(2 + lg(steps)) - lg(steps))"),
        options={"method": "sequential"},
    ),
    LibraryCircuit(
        name="linear-recurrence-prefix",
        family="recurrences",
        description="Each term a combination of the two before, by products of companion matrices",
        build=linear_recurrence,
        n_is="steps",
        source="P. M. Kogge and H. S. Stone, IEEE Transactions on Computers C-22 (1973)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ max(0, lg(n)*(2 + lg(steps)) - lg(steps))"),
        options={"method": "prefix"},
        most=256,
    ),
    LibraryCircuit(
        name="linear-rnn-sequential",
        family="recurrences",
        description="h = W·h + U·x step by step",
        build=linear_rnn,
        n_is="steps",
        source="Definition of the recurrence",
        multiplicative_depth=Formula("n"),
        depth=Formula("1 + lg(inputs) + (n - 1)*(2 + lg(size))"),
        options={"method": "sequential"},
    ),
    LibraryCircuit(
        name="linear-rnn-prefix",
        family="recurrences",
        description="h = W·h + U·x for all steps at once",
        build=linear_rnn,
        n_is="steps",
        source="G. E. Blelloch, Prefix sums and their applications (1990)",
        multiplicative_depth=Formula("lg(n + 1)"),
        depth=Formula("≤ (lg(n + 1) - 1)*(2 + lg(size)) + 2 + lg(inputs)"),
        options={"method": "prefix"},
        most=256,
    ),
    LibraryCircuit(
        name="square-rnn",
        family="recurrences",
        description="h = (W·h + U·x)², step by step",
        build=square_rnn,
        n_is="steps",
        source="Definition of the recurrence",
        multiplicative_depth=Formula("2*n"),
        depth=Formula("2 + lg(inputs) + (n - 1)*(3 + lg(size))"),
        sizes=(1, 2, 3, 4, 5, 8),
        most=256,
    ),
)
