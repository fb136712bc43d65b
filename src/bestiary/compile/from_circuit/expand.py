"""More channels for fewer layers: products of sums expanded, one layer less a level."""

from __future__ import annotations

from bestiary.circuits import Circuit
from bestiary.compile.from_circuit.by_levels import levels_size
from bestiary.compile.from_circuit.copies import with_copies
from bestiary.compile.from_circuit.terms import in_terms


def expanded(circuit: Circuit, channels: int) -> Circuit:
    """A circuit of the same polynomials that takes fewer layers by levels, in so many channels.

    Level by level from the inputs on, products of sums are formed term by term and what they
    convolve is copied, as long as no layer is added and the channels last. Where that gains no
    layer, the circuit as it is.
    """
    fewest, best, apart, taken = levels_size(circuit)[0], circuit, circuit, list[int]()
    layers = fewest
    for level in range(1, circuit.multiplicative_depth + 1):
        found = in_terms(apart, level, 4 * channels)
        terms = apart if found is None else found
        copied = with_copies(terms, [*taken, level], channels)
        if copied is None:
            continue
        size = levels_size(copied)
        if size[0] > layers or size[1] > channels:
            continue
        # A level whose copies undo what another gained is taken too: the next one may gain it.
        apart, layers = terms, size[0]
        taken.append(level)
        if layers < fewest:
            fewest, best = layers, copied
    return best
