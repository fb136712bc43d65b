"""Compile and verify every named transform at n = 8, 64, 256, and print the table of the docs.

Run as ``python docs/compiled_transforms.py [--size 8 …]``. Each stack is written to a file, read
back, and compared with numpy or scipy as ``bestiary verify`` does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

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
        transform.name,
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
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, action="append", help="n; repeatable")
    given = parser.parse_args()
    for line in lines(given.size or list(SIZES)):
        print(line)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
