"""What is kept past a batch of products: sums, or the wires they are made of if those are fewer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bestiary.compile.from_circuit.affine import Affine
from bestiary.compile.from_circuit.needs import Needs


@dataclass(frozen=True)
class Kept:
    """Wires, and sums of wires.

    sums: the gates of each, several where they are leaves of one sum that is not known.
    """

    wires: list[int]
    sums: list[list[int]]

    def __len__(self) -> int:
        return len(self.wires) + len(self.sums)

    @property
    def gates(self) -> set[int]:
        """Those that have a wire of their own."""
        return {*self.wires, *(gates[0] for gates in self.sums if len(gates) == 1)}

    @classmethod
    def all_of(cls, parts: Iterable[Kept]) -> Kept:
        """All that any of them keeps."""
        several = list(parts)
        return cls(
            [w for one in several for w in one.wires], [s for one in several for s in one.sums]
        )


class Keeping:
    """The choice between two batches, for any that may come next.

    known: the form over wires of every gate that is needed. A batch changes what is needed of its
    factors alone, so the choice is made once for each region, gates that have wires or unknown sums
    in common, and again for the few regions of a batch.
    """

    def __init__(self, needs: Needs, known: Mapping[int, Affine]) -> None:
        self.needs, self.known = needs, known
        self.regions = list(_connected({gate: self._ties(gate) for gate in known}))
        self.region_of = {gate: i for i, gates in enumerate(self.regions) for gate in gates}
        self.unchanged = [self._chosen(gates, set()) for gates in self.regions]
        self.size = sum(map(len, self.unchanged))

    def _ties(self, gate: int) -> list[int]:
        """Wires are known and the sums are not, so that no number is both."""
        unknown = [user for user in self.needs.users[gate] if user in self.needs.sums]
        return [*self.known[gate].weights, *unknown]

    def near(self, batch: Collection[int]) -> tuple[Kept, int]:
        """What is kept of all that a batch has to do with, and how much of the rest."""
        touched = self._touched(batch)
        chosen = set(batch)
        near = Kept.all_of(self._chosen(self.regions[i], chosen) for i in touched)
        return near, self.size - sum(len(self.unchanged[i]) for i in touched)

    def past(self, batch: Collection[int]) -> Kept:
        """What is kept past a batch."""
        touched = self._touched(batch)
        far = [kept for i, kept in enumerate(self.unchanged) if i not in touched]
        return Kept.all_of([self.near(batch)[0], *far])

    def _touched(self, batch: Collection[int]) -> set[int]:
        factors = {factor for gate in batch for factor in self.needs.sides[gate]}
        return {self.region_of[gate] for gate in factors if gate in self.region_of}

    def _chosen(self, gates: Sequence[int], batch: set[int]) -> Kept:
        """The fewer of sums and of wires, for all sums that have wires in common."""
        sums: dict[int, list[int]] = {}
        for gate in gates:
            users = self.needs.users[gate] - batch
            if not users or not self.known[gate].weights:
                continue
            user = users.pop()
            alone = not users and user in self.needs.sums
            sums.setdefault(user if alone else gate, []).append(gate)
        over = {
            key: [wire for gate in several for wire in self.known[gate].weights]
            for key, several in sums.items()
        }
        kept = Kept([], [])
        for keys in _connected(over):
            wires = dict.fromkeys(wire for key in keys for wire in over[key])
            if len(keys) < len(wires):
                kept.sums.extend(sums[key] for key in keys)
            else:
                kept.wires.extend(wires)
        return kept


def _connected(ties: Mapping[int, Sequence[int]]) -> Iterator[list[int]]:
    """Keys that have something in common, directly or by way of others."""
    users: dict[int, list[int]] = {}
    for key, own in ties.items():
        for tie in own:
            users.setdefault(tie, []).append(key)
    seen: set[int] = set()
    for first in ties:
        if first in seen:
            continue
        seen.add(first)
        keys, followed = [first], set[int]()
        for key in keys:
            for tie in ties[key]:
                if tie in followed:
                    continue
                followed.add(tie)
                others = [other for other in users[tie] if other not in seen]
                seen.update(others)
                keys += dict.fromkeys(others)
        yield keys
