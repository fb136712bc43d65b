"""The scheduling problem as integers: which form computes a node, and in which layer.

For every node v, every form k of it and every layer l there is a 0-1 variable: v is computed by k
in l. A node is computed at most once. What a form reads lies in earlier layers. A wire that a layer
convolves has to lie in the channel of the result, so a wire made by a convolution, or given, can be
convolved once in the layer after it is made; there are copies for more from the layer after that.
The width after a layer is the number of wires that a later one reads, a wire counting as often as
the next layer convolves it (``allocate`` needs no more).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bestiary.compile.expression import Value
from bestiary.compile.fusion import Form
from bestiary.compile.optimize.nodes import Node, wires_of
from bestiary.imports import load_extra

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Plan = dict[Node, tuple[int, int]]
"""For each node that is a wire: the form, and the layer."""


def solver_library() -> Any:
    """OR-Tools' CP-SAT. ``UserError`` where the ``optimize`` extra is not installed."""
    what = "schedules of the fewest layers need"
    return load_extra("ortools.sat.python.cp_model", "optimize", what)


@dataclass(frozen=True)
class Problem:
    """Nodes in order, operands first. given: nodes of inputs, layer 0. outputs: nodes wanted."""

    nodes: tuple[Node, ...]
    given: frozenset[Node]
    outputs: tuple[Node, ...]

    @classmethod
    def of(cls, outputs: Iterable[Node], given: Iterable[Value]) -> Problem:
        """All nodes that any form of the outputs may read."""
        wanted = tuple(outputs)
        order: dict[Node, None] = {}
        waiting: list[tuple[Node, bool]] = [(node, False) for node in wanted]
        while waiting:
            node, seen = waiting.pop()
            if node in order:
                continue
            if seen:
                order[node] = None
                continue
            waiting.append((node, True))
            waiting.extend((wire, False) for form in node.forms for wire in _nodes(form))
        known = set(given)
        return cls(tuple(order), frozenset(node for node in order if node in known), wanted)

    def earliest(self) -> dict[Node, int]:
        """The first layer in which each node can be a wire, if no two want the same channel."""
        found: dict[Node, int] = {}
        for node in self.nodes:
            if node in self.given:
                found[node] = 0
                continue
            found[node] = 1 + min(
                max((found[wire] for wire in _nodes(form)), default=0) for form in node.forms
            )
        return found

    def latest(self, layers: int) -> dict[Node, int]:
        """The last layer in which each node is of use, of so many layers."""
        found = {node: layers if node in self.outputs else 0 for node in self.nodes}
        for node in reversed(self.nodes):
            for form in node.forms:
                for wire in _nodes(form):
                    found[wire] = max(found[wire], found[node] - 1)
        return found

    def fewest_layers(self) -> int:
        """No schedule has fewer."""
        earliest = self.earliest()
        return max([1, *(earliest[node] for node in self.outputs)])


class Model:
    """The variables and constraints for a number of layers."""

    def __init__(self, problem: Problem, layers: int) -> None:
        self.problem, self.layers = problem, layers
        self.cp: cp_model.CpModel = solver_library().CpModel()
        self.earliest, self.latest = problem.earliest(), problem.latest(layers)
        self.made: dict[tuple[Node, int, int], Any] = {}
        self.readers: dict[Node, dict[Node, set[int]]] = defaultdict(lambda: defaultdict(set))
        self.convolvers: dict[Node, list[tuple[Node, int]]] = defaultdict(list)
        self._variables()
        self._precedence()
        self._claims()

    def _variables(self) -> None:
        for index, node in enumerate(self.problem.nodes):
            for k, form in enumerate(node.forms):
                for layer in self._window(node):
                    self.made[node, k, layer] = self.cp.new_bool_var(f"v{index} by {k} in {layer}")
                for wire in _nodes(form):
                    self.readers[wire][node].add(k)
                if isinstance(form.convolved, Node):
                    self.convolvers[form.convolved].append((node, k))
            if node in self.problem.given:
                continue
            made = sum(self._in(node, range(len(node.forms)), self._window(node)))
            if node in self.problem.outputs:
                self.cp.add(made == 1)
            else:
                self.cp.add(made <= 1)

    def _window(self, node: Node) -> range:
        return range(self.earliest[node], self.latest[node] + 1)

    def _in(self, node: Node, forms: Iterable[int], layers: Iterable[int]) -> list[Any]:
        """The variables for some forms and layers of a node that there are."""
        wanted = set(layers)
        return [
            self.made[node, k, layer]
            for k in forms
            for layer in self._window(node)
            if layer in wanted and (node, k, layer) in self.made
        ]

    def _there(self, node: Node, layer: int) -> Any:
        """Whether a node is a wire after a layer."""
        if node in self.problem.given:
            return 1
        return sum(self._in(node, range(len(node.forms)), range(1, layer + 1)))

    def _precedence(self) -> None:
        for wire, readers in self.readers.items():
            if wire in self.problem.given:
                continue
            for node, forms in readers.items():
                for layer in self._window(node):
                    read = sum(self._in(node, forms, range(1, layer + 1)))
                    self.cp.add(read <= self._there(wire, layer - 1))

    def _claims(self) -> None:
        """A wire made by a convolution is convolved once in the next layer."""
        for wire, users in self.convolvers.items():
            if len(users) < 2:
                continue
            filtered = [k for k, form in enumerate(wire.forms) if form.convolved is not None]
            for layer in self._window(wire):
                claims = self._claimed(users, layer + 1)
                if len(claims) < 2:
                    continue
                if wire in self.problem.given:
                    self.cp.add(sum(claims) <= 1)
                else:
                    born = sum(self._in(wire, filtered, [layer]))
                    self.cp.add(sum(claims) <= 1 + (len(claims) - 1) * (1 - born))

    def _claimed(self, users: list[tuple[Node, int]], layer: int) -> list[Any]:
        return [self.made[v, k, layer] for v, k in users if (v, k, layer) in self.made]

    def count_channels(self, least: int, most: int) -> Any:
        """The variable for d', at least ``least``; constraints that make it large enough."""
        width = self.cp.new_int_var(least, max(least, most), "channels")
        for layer in range(self.layers):
            self.cp.add(sum(self._kept(layer)) <= width)
        return width

    def _kept(self, layer: int) -> list[Any]:
        """Channels that each wire takes after a layer before the last."""
        kept = []
        for index, wire in enumerate(self.problem.nodes):
            if self.earliest[wire] > layer:
                continue
            there = self._there(wire, layer)
            if wire in self.problem.outputs:
                alive = there
            else:
                alive = self._alive(wire, there, layer, index)
                if alive is None:
                    continue
            kept.append(alive)
            claims = self._claimed(self.convolvers.get(wire, []), layer + 1)
            if len(claims) > 1:
                copies = self.cp.new_int_var(0, len(claims) - 1, f"v{index} copies {layer}")
                self.cp.add(copies >= sum(claims) - 1)
                kept.append(copies)
        return kept

    def _alive(self, wire: Node, there: Any, layer: int, index: int) -> Any:
        alive, read = None, False
        for node, forms in self.readers[wire].items():
            later = self._in(node, forms, range(layer + 1, self.layers + 1))
            if not later:
                continue
            if not read:
                alive, read = self.cp.new_bool_var(f"v{index} alive after {layer}"), True
            self.cp.add(alive >= there + sum(later) - 1)
        return alive

    def hint(self, plan: Plan) -> None:
        """A schedule to start from."""
        for (node, k, layer), variable in self.made.items():
            self.cp.add_hint(variable, plan.get(node) == (k, layer))

    def plan(self, value: Callable[[Any], int]) -> Plan:
        """What a solver found, for the nodes that the output needs. value: of a variable."""
        chosen = {node: (k, layer) for (node, k, layer), made in self.made.items() if value(made)}
        needed: Plan = {}
        waiting = [node for node in self.problem.outputs if node in chosen]
        while waiting:
            node = waiting.pop()
            if node in needed:
                continue
            needed[node] = chosen[node]
            form = node.forms[chosen[node][0]]
            waiting.extend(wire for wire in _nodes(form) if wire in chosen)
        return needed


def _nodes(form: Form) -> list[Node]:
    return [wire for wire in wires_of(form) if isinstance(wire, Node)]
