"""What the library says of a circuit: how it is made, for which sizes, and what it costs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.formula import MEANINGS, Formula
from bestiary.circuits.library.sizes import need
from bestiary.errors import UserError
from bestiary.imports import check_options

OPTIONS = {
    "bits": "bits of each number, key or token",
    "channels": "recurrences side by side",
    "inputs": "entries of x at each step",
    "least": "ones that are enough",
    "payload": "numbers that go with each key",
    "size": "rows and columns of each matrix, or entries of h",
    "steps": "terms before that each one is made of",
}
"""What the options count that formulas speak of."""


@dataclass(frozen=True)
class LibraryCircuit:
    """One circuit of the library, of any size.

    build: makes it from n and options; ``options`` are those that make it this circuit, such as a
    method. n_is: what n counts. most: the largest n taken. sizes: some that make sense. bits:
    whether all that it takes is bits, 0 or 1.
    multiplicative_depth, depth, size, products (of two gates that depend on the inputs): what is
    documented, formulas in n and the options of ``build``.
    """

    name: str
    family: str
    description: str
    build: Callable[..., Circuit]
    n_is: str
    source: str
    multiplicative_depth: Formula
    depth: Formula
    size: Formula | None = None
    products: Formula | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    sizes: tuple[int, ...] = (1, 2, 3, 4, 5, 8, 13, 16)
    most: int = 1024
    bits: bool = False

    def make(self, n: int, **options: Any) -> Circuit:
        """The circuit of size n, with further options of ``build``."""
        need(n=n)
        if n > self.most:
            raise UserError(f"n is {n}; {self.name} is made for n up to {self.most}")
        check_options(self.build, options, self.name, skip=("n", *self.options))
        return replace(self.build(n, **self.options, **options), name=self.name)

    def sizes_of(self, n: int, **options: Any) -> dict[str, Any]:
        """n and all options by name, those not given at their defaults: what formulas speak of."""
        parameters = inspect.signature(self.build).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        return defaults | dict(self.options) | options | {"n": n}

    @property
    def terms(self) -> list[str]:
        """What formulas speak of besides n, in words: options with their defaults, functions."""
        named = frozenset[str]().union(*(formula.names for formula in self.formulas.values()))
        defaults = self.sizes_of(1)
        options = {name: f"{name} = {defaults.get(name)}: {told}" for name, told in OPTIONS.items()}
        return [told for name, told in (options | MEANINGS).items() if name in named]

    @property
    def formulas(self) -> dict[str, Formula]:
        """What is documented, by the name of what is counted."""
        stated = {
            "multiplicative_depth": self.multiplicative_depth,
            "depth": self.depth,
            "size": self.size,
            "products": self.products,
        }
        return {name: formula for name, formula in stated.items() if formula is not None}
