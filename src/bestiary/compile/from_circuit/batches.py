"""Fewer channels for more layers: products in batches, and between them as few values as will do.

Two layers a batch, as in ``by_levels``: gather the factors, multiply. What is known and still
needed after that are sums of wires. Where there are fewer such sums than wires they are made of,
the sums are kept, else the wires: once a + p and b - p are all that is asked of a, b and p, two
channels hold them. The terms of a sum that is not complete are one sum, if nothing else needs them,
so that a sum of n products takes one channel beside those of a batch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from bestiary.circuits import Circuit
from bestiary.compile.expression import Value
from bestiary.compile.from_circuit.affine import Affine, substituted
from bestiary.compile.from_circuit.cells import product_cell, sum_cell
from bestiary.compile.from_circuit.kept import Keeping, Kept
from bestiary.compile.from_circuit.needs import Needs
from bestiary.compile.from_circuit.ports import Ports
from bestiary.compile.program import Program
from bestiary.errors import UserError

FEWEST = 16
"""Products that a batch may be chosen from, where choosing among more does not do."""

PATIENCE = 3
"""Windows in a row that are no better than one before, until no smaller one is tried."""


class TooFewChannels(UserError):
    """A circuit does not fit into so many channels. channels: how many they are."""

    def __init__(self, sentence: str, channels: int) -> None:
        super().__init__(sentence)
        self.channels = channels


def batches(circuit: Circuit, channels: int, rows: int = 1) -> Program:
    """A circuit in at most so many channels, as cells with their layers.

    ``TooFewChannels`` where that is too few for the inputs, the outputs, or what has to be kept.
    """
    least = max(circuit.width_in, len(set(circuit.results.tolist())))
    if channels < least:
        raise TooFewChannels(
            f"{channels} channels were asked for; {circuit.name} has {circuit.width_in} inputs and "
            f"{len(circuit.results)} outputs, and needs at least {least}",
            channels,
        )
    best: tuple[int, Program] | None = None
    why: TooFewChannels | None = None
    worse = 0
    for window in _windows(int(circuit.products.sum())):
        try:
            found = _Batches(circuit, channels, rows, window).placed()
        except TooFewChannels as error:
            if best is not None:
                break
            why = error
            continue
        if best is None or found[0] < best[0]:
            best, worse = found, 0
            continue
        worse += 1
        if worse == PATIENCE:
            break
    if best is None:
        assert why is not None
        raise why
    return best[1]


def _windows(products: int) -> list[int]:
    """How many of the products left a batch may be chosen from.

    All is not always best: what is begun everywhere fills the channels, and ends late.
    """
    windows = [products]
    while windows[-1] >= 2 * FEWEST:
        windows.append(windows[-1] // 2)
    return windows


class _Batches:
    """wires: the gates that have one. known: the form over wires of each gate that is needed.

    window: how many of the products left a batch is chosen from. parts: for gates that are sums as
    far as they have come, the sum.
    """

    def __init__(self, circuit: Circuit, channels: int, rows: int, window: int) -> None:
        self.circuit, self.channels, self.window = circuit, channels, window
        self.ports = Ports(circuit, rows)
        self.needs = Needs(circuit)
        self.wires: dict[int, Value] = dict(self.ports.wires)
        self.known: dict[int, Affine] = {}
        self.parts: dict[int, int] = {}
        self.layer = 0
        self._learn(self.needs.inputs)

    def placed(self) -> tuple[int, Program]:
        """All batches, then the outputs, and how many layers that makes."""
        while self.needs.products:
            keeping = Keeping(self.needs, self.known)
            batch = self._next(keeping)
            self._run(batch, keeping.past(batch))
        results = self.circuit.results.tolist()
        if self.layer == 0 or any(gate not in self.wires for gate in results):
            self.layer += 1
            self.wires = {gate: self._wire(gate) for gate in dict.fromkeys(results)}
        return self.layer, self.ports.program([self.wires[gate] for gate in results])

    def _learn(self, gates: Iterable[int]) -> None:
        """Wires that there are now, and the sums that can be formed of them."""
        made = list(gates)
        self.known |= {gate: Affine({gate: 1}) for gate in made}
        for gate in self.needs.learn(made):
            self.known[gate] = substituted(self.needs.sums[gate], self.known)
        self.known = {gate: form for gate, form in self.known.items() if self.needs.users.get(gate)}

    # Which products

    def _next(self, keeping: Keeping) -> list[int]:
        """As many of the products of the window that can be formed as fit, in their order."""
        ready = self.needs.ready(self.window)

        def fit(batch: Sequence[int]) -> bool:
            return self._needed(batch, keeping) <= self.channels

        low, high = 0, len(ready)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if fit(ready[:middle]) else (low, middle - 1)
        if low:
            return ready[:low]
        for gate in ready:
            if fit([gate]):
                return [gate]
        need = min(self._needed([gate], keeping) for gate in ready)
        raise TooFewChannels(
            f"{self.channels} channels are too few for {self.circuit.name}: {need} are needed "
            f"when {len(self.needs.products)} products are left",
            self.channels,
        )

    def _needed(self, batch: Sequence[int], keeping: Keeping) -> int:
        """Channels once the factors of a batch are gathered, and once they are multiplied.

        A product takes the one of its factors that it convolves in a channel of its own.
        """
        near, far = keeping.near(batch)
        over, on = ({self.needs.sides[gate][side] for gate in batch} for side in (0, 1))
        kept, gates = len(near) + far, near.gates
        beside = kept + len(over - on - gates) - len(gates & on)
        return len(batch) + max(kept, beside)

    # Layers

    def _run(self, batch: Sequence[int], kept: Kept) -> None:
        """Gather, multiply."""
        self.layer += 1
        factors = dict.fromkeys(f for gate in batch for f in self.needs.sides[gate])
        gathered = {gate: self._wire(gate) for gate in factors}
        wires = {gate: self.wires[gate] for gate in kept.wires}
        for gates in kept.sums:
            gate = gates[0] if len(gates) == 1 else self._joined(gates, batch)
            wires[gate] = gathered[gate] if gate in gathered else self._wire(gate)
        self.known |= {gate: Affine({gate: 1}) for gate in wires if gate in self.known}
        self.layer += 1
        for gate in batch:
            over, on = self.needs.sides[gate]
            name = self.ports.name(gate)
            wires[gate] = product_cell(name, self.layer, [gathered[over]], [1], 0, gathered[on])
        self.wires = wires
        self._learn(batch)

    def _joined(self, gates: Sequence[int], batch: Collection[int]) -> int:
        """Leaves of one sum as one gate: how far it has come; its bias is added at the end."""
        (user,) = self.needs.users[gates[0]].difference(batch)
        gate, form = self.needs.join(gates, user)
        self.known[gate] = substituted(form, self.known)
        for leaf in gates:
            del self.known[leaf]
        self.parts[gate] = user
        return gate

    def _wire(self, gate: int) -> Value:
        """A wire that there is, which is carried, or the sum of those that it is made from."""
        if gate in self.wires:
            return self.wires[gate]
        form = self.known[gate] if gate in self.known else self.needs.fixed[gate]
        wires = [self.wires[wire] for wire in form.weights]
        part = self.parts.get(gate)
        name = self.ports.name(gate) if part is None else f"part of {self.ports.name(part)}"
        return sum_cell(name, self.layer, wires, form.weights.values(), form.bias)
