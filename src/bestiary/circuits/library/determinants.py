"""Determinants and characteristic polynomials without division, and permanents.

Two ways that need sums and products alone. Berkowitz's has few gates, O(n⁴), and is about
2⌈log2 n⌉ products deep. Closed ordered walks make one polynomial of degree n out of n equal
transition matrices of n(n + 1)/2 states, which is ⌈log2 n⌉ products deep, the least there is.
"""

from __future__ import annotations

from typing import Any

from bestiary.circuits.circuit import Circuit
from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.formula import Formula, lg
from bestiary.circuits.library.sizes import need, one_of
from bestiary.circuits.library.trees import Array, filled, inner, listed, matmul, product, total
from bestiary.circuits.scans import tree
from bestiary.circuits.tracing import circuit
from bestiary.errors import UserError

METHODS = ("berkowitz", "walks")
MOST_PERMANENT_ROWS = 12


def determinant(n: int, method: str = "berkowitz") -> Circuit:
    """A (n, n) → det A, without division.

    method: berkowitz (S. J. Berkowitz, Information Processing Letters 18, 1984; P. A. Samuelson,
    1942) or walks (M. Mahajan and V. Vinay, Chicago Journal of Theoretical Computer Science 1997,
    article 5).
    """
    need(n=n)
    one_of(METHODS, method=method)

    @circuit(a=(n, n))
    def determinant(a: Array) -> object:
        if method == "berkowitz":
            return _minor_sums(a, only_last=True)[0]
        last = _Walks(a, first_head=0).sum(n)
        return last if n % 2 == 0 else 0 - last

    return determinant


def characteristic_polynomial(n: int, method: str = "berkowitz") -> Circuit:
    """A (n, n) → (n + 1,): the coefficients of det(xI − A), that of xⁿ, which is 1, first.

    method: berkowitz or walks, as for ``determinant``.
    """
    need(n=n)
    one_of(METHODS, method=method)

    @circuit(a=(n, n))
    def coefficients(a: Array) -> Array:
        if method == "berkowitz":
            sums = _minor_sums(a)
            return listed(0 - e if k % 2 else e for k, e in enumerate(sums))
        walks = _Walks(a)
        return listed([1, *(walks.sum(k) for k in range(1, n + 1))])

    return coefficients


def permanent(n: int) -> Circuit:
    """A (n, n) → per A = Σ_S (−1)^(n − |S|) Π_i Σ_(j in S) a_ij, over all sets S of columns.

    H. J. Ryser, Combinatorial Mathematics (1963). 2ⁿ products of n factors, so n is at most 12.
    """
    need(n=n)
    if n > MOST_PERMANENT_ROWS:
        raise UserError(
            f"n is {n}; the permanent takes 2**n products, so n up to {MOST_PERMANENT_ROWS} is "
            "taken"
        )

    @circuit(a=(n, n))
    def permanent(a: Array) -> object:
        rows = _subset_sums(a)
        signed: dict[int, list[Any]] = {0: [], 1: []}
        for chosen in range(1, 1 << n):
            odd = (n - chosen.bit_count()) % 2
            signed[odd].append(product(rows[chosen]))
        return total(signed[0]) - total(signed[1])

    return permanent


def _subset_sums(a: Array) -> list[Array]:
    """By the bits of a set of columns, the sums of its entries in each row, ⌈log2 n⌉ deep."""
    n = a.shape[1]
    if n == 1:
        return [filled(len(a), 0), a[:, 0]]
    low, high = _subset_sums(a[:, : n // 2]), _subset_sums(a[:, n // 2 :])
    return [other + one for other in high for one in low]


def _minor_sums(a: Array, only_last: bool = False) -> Array:
    """(n + 1,): the coefficients of det(xI + A), the k-th the sum of the principal k-minors.

    A product of Toeplitz matrices, one for each leading submatrix. only_last: (1,), the
    determinant alone.
    """
    factors = [_toeplitz(a[: r + 1, : r + 1]) for r in reversed(range(len(a)))]
    if only_last:
        factors[0] = factors[0][-1:]
    return tree(matmul, factors)[:, 0]


def _toeplitz(a: Array) -> Array:
    """(r + 1, r) for a (r, r): what leads from the polynomial without the last row to that with."""
    r = len(a)
    moments = _moments(a[-1, :-1], a[:-1, :-1], a[:-1, -1])
    column = [1, a[-1, -1]]
    column += [moment if k % 2 else 0 - moment for k, moment in enumerate(moments)]
    found = filled((r + 1, r), 0)
    for j in range(r):
        found[j:, j] = column[: r + 1 - j]
    return found


def _moments(row: Array, matrix: Array, column: Array) -> list[Any]:
    """row · matrix^k · column for k = 0, …, r − 1, each ⌈log2(k + 2)⌉ products deep.

    The row is carried on by 2^t − 1 powers and the column by the rest, so that both hold half of
    the degree.
    """
    carried = _Powers(matrix)
    found: list[Any] = []
    t = 0
    for k in range(len(row)):
        if k + 2 > 2 << t:
            row = matmul(row[None], carried.power(t))[0]
            t += 1
        found.append(inner(row, carried.column(column, k + 1 - (1 << t))))
    return found


class _Powers:
    """A matrix to the powers 2^t, and columns carried on by it, each made once, when needed."""

    def __init__(self, matrix: Array) -> None:
        self.squares = [matrix]
        self.columns: list[Array] = []

    def power(self, t: int) -> Array:
        """matrix^(2^t)."""
        while len(self.squares) <= t:
            self.squares.append(matmul(self.squares[-1], self.squares[-1]))
        return self.squares[t]

    def column(self, first: Array, k: int) -> Array:
        """matrix^k · first, ⌈log2(k + 1)⌉ products deeper than it; of one first column alone."""
        self.columns = self.columns or [first]
        while len(self.columns) <= k:
            t = lg(len(self.columns) + 1) - 1
            self.columns.append(matmul(self.power(t), self.columns[len(self.columns) - (1 << t)]))
        return self.columns[k]


class _Walks:
    """Signed sums of the sequences of closed walks in a matrix's graph, by their length in steps.

    Heads rise from walk to walk and are the least vertex of their walk; each walk counts −1. All
    that is no set of disjoint cycles cancels, so that the sum of k steps is the coefficient of
    x^(n − k). first_head: only sequences that begin there; those of n steps that begin elsewhere
    cancel.
    """

    def __init__(self, a: Array, first_head: int | None = None) -> None:
        n = len(a)
        pairs = [(head, vertex) for head in range(n) for vertex in range(head, n)]
        states = {pair: place for place, pair in enumerate(pairs)}
        starts, self.ends = filled(len(states), 0), filled(len(states), 0)
        steps = filled((len(states), len(states)), 0)
        for (head, vertex), place in states.items():
            closing = 0 - a[vertex, head]
            self.ends[place] = closing
            for after in range(head + 1, n):
                steps[place, states[head, after]] = a[vertex, after]
                steps[place, states[after, after]] = closing
            if head == vertex and first_head in (None, head):
                starts[place] = 1
        self.carried = _Powers(steps)
        self.after = [starts]

    def sum(self, length: int) -> Any:
        """Of sequences of this many steps: half of them from the start, the rest from the end."""
        if length == 1:
            return inner(self.after[0], self.ends)
        t = lg(length) - 1
        return inner(self._after(t), self.carried.column(self.ends, length - (1 << t) - 1))

    def _after(self, t: int) -> Array:
        """The row of the states after 2^t steps."""
        while len(self.after) <= t + 1:
            power = self.carried.power(max(len(self.after) - 2, 0))
            self.after.append(matmul(self.after[-1][None], power)[0])
        return self.after[t + 1]


CIRCUITS = (
    LibraryCircuit(
        name="determinant",
        family="matrices",
        description="The determinant without division, with few gates",
        build=determinant,
        n_is="rows and columns",
        source="S. J. Berkowitz, Information Processing Letters 18 (1984)",
        multiplicative_depth=Formula("≤ 2*lg(n)"),
        depth=Formula("≤ 2*lg(n)*(lg(n) + 1)"),
        options={"method": "berkowitz"},
        sizes=(1, 2, 3, 4, 5, 6, 7, 8),
        most=16,
    ),
    LibraryCircuit(
        name="determinant-walks",
        family="matrices",
        description="The determinant without division, of the least multiplicative depth",
        build=determinant,
        n_is="rows and columns",
        source="M. Mahajan and V. Vinay, Chicago Journal of Theoretical Computer Science (1997)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ lg(n)*(2*lg(n) + 1) + 2"),
        options={"method": "walks"},
        sizes=(1, 2, 3, 4, 5, 6, 7, 8),
        most=10,
    ),
    LibraryCircuit(
        name="characteristic-polynomial",
        family="matrices",
        description="All coefficients of det(xI − A), with few gates",
        build=characteristic_polynomial,
        n_is="rows and columns",
        source="S. J. Berkowitz, Information Processing Letters 18 (1984)",
        multiplicative_depth=Formula("≤ 2*lg(n)"),
        depth=Formula("≤ 2*lg(n)*(lg(n) + 1) + 1"),
        options={"method": "berkowitz"},
        sizes=(1, 2, 3, 4, 5, 6, 7, 8),
        most=16,
    ),
    LibraryCircuit(
        name="characteristic-polynomial-walks",
        family="matrices",
        description="All coefficients of det(xI − A), of the least multiplicative depth",
        build=characteristic_polynomial,
        n_is="rows and columns",
        source="M. Mahajan and V. Vinay, Chicago Journal of Theoretical Computer Science (1997)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ lg(n)*(2*lg(n) + 1) + 1"),
        options={"method": "walks"},
        sizes=(1, 2, 3, 4, 5, 6, 7, 8),
        most=10,
    ),
    LibraryCircuit(
        name="permanent",
        family="matrices",
        description="The permanent, over all sets of columns",
        build=permanent,
        n_is="rows and columns",
        source="H. J. Ryser, Combinatorial Mathematics (1963)",
        multiplicative_depth=Formula("lg(n)"),
        depth=Formula("≤ n + 2*lg(n)"),
        products=Formula("(n - 1)*(2**n - 1)"),
        sizes=(1, 2, 3, 4, 5, 6, 7, 8),
        most=MOST_PERMANENT_ROWS,
    ),
)
