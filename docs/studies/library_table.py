"""Measure every circuit of the library, and print a table.

``python docs/studies/library_table.py`` prints the table of ``docs/library.md``, family by family;
with ``--write`` it replaces the one on the page. The numbers are those of ``bestiary library
--layers``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from page_table import show_table, table_parser

from bestiary.circuits.library.entry import LibraryCircuit
from bestiary.circuits.library.listing import rows
from bestiary.circuits.library.registry import LIBRARY, library_circuit
from bestiary.compile.from_circuit import wide_size

N = 8
HEADS = ("circuit", "n", "depth", "size", "D", "floor", "layers", "d'", "what it computes")


def lines(circuits: Sequence[LibraryCircuit]) -> Iterator[str]:
    """The table in Markdown, line by line as it is made; a row in bold for each family."""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|---|{'---:|' * (len(HEADS) - 2)}---|"
    family = ""
    for row in rows(circuits, N):
        if row.circuit.family != family:
            family = row.circuit.family
            yield f"| **{family}** |{' |' * (len(HEADS) - 1)}"
        costs = row.costs
        layers, channels = wide_size(row.circuit.make(row.n))
        numbers = (row.n, costs.depth, costs.size, costs.multiplicative_depth)
        cells = [
            f"`{row.circuit.name}`",
            *(f"{number:,}" for number in numbers),
            "–" if costs.floor is None else f"{costs.floor:,}",
            f"{layers:,}",
            f"{channels:,}",
            f"{row.circuit.description}; n: {row.circuit.n_is}",
        ]
        yield f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table, and put it on the page if asked."""
    parser = table_parser(__doc__)
    parser.add_argument("names", nargs="*", help="these alone")
    asked = parser.parse_args()
    if asked.names and asked.write:
        parser.error("the page has all circuits: --write takes no names")
    circuits = [library_circuit(name) for name in asked.names] or list(LIBRARY.values())
    show_table(lines(circuits), asked.write, "library.md")


if __name__ == "__main__":
    main()
