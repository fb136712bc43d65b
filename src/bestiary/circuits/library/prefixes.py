"""All prefix sums and prefix products of n numbers, by the parallel-prefix networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula
from bestiary.circuits.library.sizes import need, one_of
from bestiary.circuits.library.trees import Array, listed
from bestiary.circuits.scans import Combine, brent_kung, kogge_stone, sequential, sklansky
from bestiary.circuits.tracing import circuit

Network = Callable[[Combine[Any], Sequence[Any]], list[Any]]
NETWORKS: Mapping[str, Network] = {
    "sequential": sequential,
    "kogge-stone": kogge_stone,
    "brent-kung": brent_kung,
    "sklansky": sklansky,
}


def network_of(name: str) -> Network:
    """The network of this name; ``UserError`` with all names for another."""
    one_of(tuple(NETWORKS), network=name)
    return NETWORKS[name]


def prefix_sums(n: int, network: str = "sklansky") -> Circuit:
    """All sums x₀ + … + x_i: x (n,) → (n,).

    network: sequential, kogge-stone, brent-kung or sklansky.
    """
    need(n=n)
    scan = network_of(network)

    @circuit(x=n)
    def sums(x: Array) -> Array:
        return listed(scan(lambda a, b: a + b, list(x)))

    return sums


def prefix_products(n: int, network: str = "sklansky") -> Circuit:
    """All products x₀ · … · x_i: x (n,) → (n,).

    network: sequential, kogge-stone, brent-kung or sklansky.
    """
    need(n=n)
    scan = network_of(network)

    @circuit(x=n)
    def products(x: Array) -> Array:
        return listed(scan(lambda a, b: a * b, list(x)))

    return products


CIRCUITS = (
    LibraryCircuit(
        name="prefix-sums-kogge-stone",
        family="prefixes",
        description="All prefix sums, by the network of Kogge and Stone",
        build=prefix_sums,
        n_is="terms",
        source="P. M. Kogge and H. S. Stone, IEEE Transactions on Computers C-22 (1973)",
        multiplicative_depth=Formula("0"),
        depth=Formula("lg(n)"),
        size=Formula("n*lg(n) - 2**lg(n) + 1"),
        options={"network": "kogge-stone"},
    ),
    LibraryCircuit(
        name="prefix-sums-brent-kung",
        family="prefixes",
        description="All prefix sums, by the network of Brent and Kung",
        build=prefix_sums,
        n_is="terms",
        source="R. P. Brent and H. T. Kung, IEEE Transactions on Computers C-31 (1982)",
        multiplicative_depth=Formula("0"),
        depth=Formula("≤ max(lg(n), 2*lg(n) - 2)"),
        size=Formula("≤ 2*n - 2 - lg(n)"),
        options={"network": "brent-kung"},
    ),
    LibraryCircuit(
        name="prefix-sums-sklansky",
        family="prefixes",
        description="All prefix sums, by the network of Sklansky",
        build=prefix_sums,
        n_is="terms",
        source="J. Sklansky, IRE Transactions on Electronic Computers EC-9 (1960)",
        multiplicative_depth=Formula("0"),
        depth=Formula("lg(n)"),
        size=Formula("≤ n*lg(n)//2"),
        options={"network": "sklansky"},
    ),
    LibraryCircuit(
        name="prefix-products-kogge-stone",
        family="prefixes",
        description="All prefix products, by the network of Kogge and Stone",
        build=prefix_products,
        n_is="factors",
        source="P. M. Kogge and H. S. Stone, IEEE Transactions on Computers C-22 (1973)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("lg(n)"),
        size=Formula("n*lg(n) - 2**lg(n) + 1"),
        products=Formula("n*lg(n) - 2**lg(n) + 1"),
        options={"network": "kogge-stone"},
    ),
    LibraryCircuit(
        name="prefix-products-brent-kung",
        family="prefixes",
        description="All prefix products, by the network of Brent and Kung",
        build=prefix_products,
        n_is="factors",
        source="R. P. Brent and H. T. Kung, IEEE Transactions on Computers C-31 (1982)",
        multiplicative_depth=Formula("≤ max(lg(n), 2*lg(n) - 2)"),
        depth=Formula("≤ max(lg(n), 2*lg(n) - 2)"),
        size=Formula("≤ 2*n - 2 - lg(n)"),
        products=Formula("≤ 2*n - 2 - lg(n)"),
        options={"network": "brent-kung"},
    ),
    LibraryCircuit(
        name="prefix-products-sklansky",
        family="prefixes",
        description="All prefix products, by the network of Sklansky",
        build=prefix_products,
        n_is="factors",
        source="J. Sklansky, IRE Transactions on Electronic Computers EC-9 (1960)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("lg(n)"),
        size=Formula("≤ n*lg(n)//2"),
        products=Formula("≤ n*lg(n)//2"),
        options={"network": "sklansky"},
    ),
)
