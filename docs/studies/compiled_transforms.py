"""Compile and verify every named transform, and print a table.

``python docs/studies/compiled_transforms.py`` prints the table of ``docs/compiled-transforms.md``
line by line, a quarter of an hour in all; with ``--write`` it replaces the one on the page. Each
stack is written to a file, read back, and compared with numpy or scipy as ``bestiary verify``
does; one that differs ends the script.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from page_table import show_table, table_parser

from bestiary.compile.compiled_file import save_compiled
from bestiary.compile.verify import verify
from bestiary.mixers.stack_file import read_stack_file
from bestiary.runs.compilation import How, of_transform, reference_of
from bestiary.structured.transforms.registry import TRANSFORMS, Transform

SIZES = (8, 64, 256)
HEADS = (
    "transform", "n", "method", "layers", "at most", "paper", "N'", "d'", "float64", "float32",
)  # fmt: skip


def row(transform: Transform, n: int, folder: Path) -> tuple[str, ...]:
    """Compile to a file, verify the file; the numbers as text."""
    work = of_transform(transform.name, transform.size(n), 1, How())
    path = folder / f"{transform.name}-{n}.safetensors"
    save_compiled(path, work.compiled, {"origin": work.origin.to_dict()}, programs=False)
    stored = read_stack_file(path)
    path.unlink()
    rows, inputs = work.compiled.source.rows, work.compiled.source.width
    found = verify(stored.stack, reference_of(work.origin, None), rows, inputs)
    if not found.ok:
        raise SystemExit(f"{transform.name} at n = {n} differs by {found.worst:.1e}")
    report, bounds = work.report, work.report.bounds
    return (
        f"`{transform.name}`",
        str(work.origin.n),
        report.name.rpartition(", ")[2],
        str(report.layers),
        str(bounds["bound by groups"].layers) if "paper" in bounds else "–",
        str(bounds["paper"].layers) if "paper" in bounds else "–",
        f"{report.inner_rows:,}",
        str(report.width),
        f"{found.worst:.0e}",
        f"{max(found.float32_errors.values()):.0e}",
    )


def lines(sizes: list[int]) -> Iterator[str]:
    """The table in Markdown, line by line as it is made."""
    yield f"| {' | '.join(HEADS)} |"
    yield f"|---|---:|---|{'---:|' * (len(HEADS) - 3)}"
    with tempfile.TemporaryDirectory() as folder:
        for transform in TRANSFORMS.values():
            for n in sizes:
                yield f"| {' | '.join(row(transform, n, Path(folder)))} |"


def main() -> None:
    """Print the table, and put it on the page if asked."""
    parser = table_parser(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    asked = parser.parse_args()
    show_table(lines(asked.sizes), asked.write, "compiled-transforms.md")


if __name__ == "__main__":
    main()
