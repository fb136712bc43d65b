"""What a circuit costs, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.formula import lg


@dataclass(frozen=True)
class Measures:
    """Depth Δ, size s, multiplicative depth D, width w, products, and the degree with its floor.

    products: gates that multiply two gates that depend on the inputs. floor: ⌈log2 degree⌉, which
    no multiplicative depth is below; None for degrees up to 1, where nothing is multiplied.
    """

    depth: int
    size: int
    multiplicative_depth: int
    width: int
    products: int
    degree: int
    floor: int | None


def measured(circuit: Circuit) -> Measures:
    """All measures of a circuit."""
    degree = circuit.degree
    return Measures(
        depth=circuit.depth,
        size=circuit.size,
        multiplicative_depth=circuit.multiplicative_depth,
        width=circuit.width,
        products=int(circuit.products.sum()),
        degree=degree,
        floor=lg(degree) if degree > 1 else None,
    )
