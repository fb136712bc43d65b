"""Two layers a level: gather the factors of its products, then multiply.

A layer multiplies any sum of wires, on its gate side, by one wire, on its convolution side. So the
products of a level take one layer where every one of them has a factor that lies on a wire of its
own; else a layer before gathers the factors. With the layer of sums at the end that makes at most
2D + 1 layers; after each there are at most 2·w× wires (docs/theory.md, 'Circuits').
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from bestiary.circuits import Circuit
from bestiary.compile.cell import Cell
from bestiary.compile.expression import Value
from bestiary.compile.from_circuit.affine import Affine, Affines, within
from bestiary.compile.from_circuit.cells import product_cell, sum_cell
from bestiary.compile.from_circuit.levels import Levels, levels_of
from bestiary.compile.from_circuit.ports import Ports
from bestiary.compile.program import Program
from bestiary.compile.slack import most_wires


def by_levels(circuit: Circuit, rows: int = 1) -> Program:
    """A circuit, at every one of ``rows`` rows, as cells with their layers."""
    return _ByLevels(circuit, rows).program()


def levels_size(circuit: Circuit) -> tuple[int, int]:
    """Layers and channels by levels, placed but not emitted."""
    program = by_levels(circuit)
    layers = max(cell.layer or 0 for cell in program if isinstance(cell, Cell))
    return layers, most_wires(program)


class _ByLevels:
    """Level by level, which gate is on which wire."""

    def __init__(self, circuit: Circuit, rows: int) -> None:
        self.circuit = circuit
        self.levels: Levels = levels_of(circuit)
        self.ports = Ports(circuit, rows)
        self.wires: dict[int, Value] = dict(self.ports.wires)
        self.layer = 0
        # Wires that lie in one channel alone when the next layer reads them.
        self.fresh: set[int] = set(self.wires)

    def program(self) -> Program:
        """All levels, then the sums that come out."""
        for level in range(1, self.levels.depth + 1):
            self._level(level)
        results = self.circuit.results.tolist()
        if self.layer == 0 or any(gate not in self.wires for gate in results):
            self.layer += 1
            forms = Affines(self.circuit, self.wires)
            made = {gate: self._summed(gate, forms[gate]) for gate in dict.fromkeys(results)}
            self.wires = made
        return self.ports.program([self.wires[gate] for gate in results])

    def _level(self, level: int) -> None:
        forms = Affines(self.circuit, self.wires)
        products, kept = self.levels.products[level], self.levels.kept[level]
        sides = self._sides_at_once(products, forms)
        if sides is None:
            sides, needed = self._sides_to_gather(products, set(kept), forms)
            self.layer += 1
            self.wires = {g: self._there(g, forms) for g in dict.fromkeys([*kept, *needed])}
            before = forms
            forms = Affines(self.circuit, self.wires)
            for over, _ in sides:
                if over not in self.wires:
                    forms.known[over] = before[over]
        self.layer += 1
        made = {
            gate: self._product(gate, forms[over], forms[on])
            for gate, (over, on) in zip(products, sides, strict=True)
        }
        self.wires = {gate: self._there(gate, forms) for gate in kept} | made
        self.fresh = set(made)

    def _sides_at_once(
        self, products: Sequence[int], forms: Affines
    ) -> list[tuple[int, int]] | None:
        """(gate side, convolution side) of each product without gathering, or None.

        A wire can be convolved once by the layer right after the one that made it.
        """
        options = [
            [(over, on) for over, on in self._orders(gate) if forms[on].single is not None]
            for gate in products
        ]
        claims = [
            [forms[on].single for _, on in own if forms[on].single in self.fresh]
            if all(forms[on].single in self.fresh for _, on in own)
            else None
            for own in options
        ]
        if not all(options):
            return None
        contested = [i for i, own in enumerate(claims) if own is not None]
        chosen = _matched([claims[i] or [] for i in contested])
        if chosen is None:
            return None
        picked = dict(zip(contested, chosen, strict=True))
        sides = []
        for i, own in enumerate(options):
            if i in picked:
                sides.append(next(o for o in own if forms[o[1]].single == picked[i]))
            else:
                sides.append(next(o for o in own if forms[o[1]].single not in self.fresh))
        return sides

    def _sides_to_gather(
        self, products: Sequence[int], kept: Collection[int], forms: Affines
    ) -> tuple[list[tuple[int, int]], list[int]]:
        """(gate side, convolution side) of each product, and which gates have to be wires for it.

        Factors that are kept, or are gathered already, are preferred.
        """
        there = set(kept)
        sides, needed = [], []
        for gate in products:
            over, on = min(
                self._orders(gate), key=lambda o: (o[1] not in there) + (o[0] not in there)
            )
            for factor, other in ((on, None), (over, forms)):
                if factor in there or (other is not None and within(other[factor], there)):
                    continue
                there.add(factor)
                needed.append(factor)
            sides.append((over, on))
        return sides, needed

    def _orders(self, gate: int) -> list[tuple[int, int]]:
        a, b = int(self.circuit.left[gate]), int(self.circuit.right[gate])
        return [(a, b)] if a == b else [(a, b), (b, a)]

    def _there(self, gate: int, forms: Affines) -> Value:
        """A gate as a wire: one that there is, which is carried, or its sum."""
        wire = self.wires.get(gate)
        return wire if wire is not None else self._summed(gate, forms[gate])

    def _summed(self, gate: int, form: Affine) -> Value:
        wires = [self.wires[wire] for wire in form.weights]
        name = self.ports.name(gate)
        return sum_cell(name, self.layer, wires, form.weights.values(), form.bias)

    def _product(self, gate: int, over: Affine, on: Affine) -> Value:
        wire = on.single
        assert wire is not None
        return product_cell(
            self.ports.name(gate),
            self.layer,
            [self.wires[wire] for wire in over.weights],
            over.weights.values(),
            over.bias,
            self.wires[wire],
            on.weights[wire],
            on.bias,
        )


def _matched(options: Sequence[Sequence[int | None]]) -> list[int] | None:
    """One option for each, no two the same; None if there is no such choice."""
    if not options:
        return []
    # Loaded here, for csgraph takes as long as much of the compiler.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    names = sorted({option for own in options for option in own if option is not None})
    number = {name: i for i, name in enumerate(names)}
    pairs = [(i, number[o]) for i, own in enumerate(options) for o in own if o is not None]
    at, to = np.array(pairs).T
    graph = coo_array((np.ones(len(pairs)), (at, to)), shape=(len(options), len(names))).tocsr()
    match = maximum_bipartite_matching(graph, perm_type="column")
    return None if (match < 0).any() else [names[i] for i in match.tolist()]
