"""Build every named transform, compare it with numpy and scipy, and print a table.

``python docs/studies/transforms_table.py`` prints the table of ``docs/transforms.md``; with
``--write`` it replaces the one on the page. A few seconds.
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from page_table import put_on_page

from bestiary.structured.transforms import TRANSFORMS, Transform, place_of


def main() -> None:
    """Print the table or put it on the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[8, 64, 256])
    parser.add_argument("--write", action="store_true", help="replace the table on the page")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    text = table(asked.sizes)
    if asked.write:
        put_on_page(text, "transforms.md")
    else:
        print(text, end="")


def table(sizes: list[int]) -> str:
    """The table in Markdown, one row a transform, an error for each size."""
    heads = ["name", "what it is", "place", *(f"n = {n}" for n in sizes)]
    lines = [heads, ["---"] * 3 + ["---:"] * len(sizes)]
    for transform in TRANSFORMS.values():
        cells = [measured(transform, n) for n in sizes]
        places = list(dict.fromkeys(place for place, _ in cells))
        errors = [error for _, error in cells]
        row = [f"`{transform.name}`", transform.description, ", ".join(places), *errors]
        lines.append([cell.replace("*", "\\*") for cell in row])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def measured(transform: Transform, n: int) -> tuple[str, str]:
    """Where the transform of a size near n stands, and its largest error over its largest entry."""
    size = transform.size(n)
    member, reference = transform.make(size), transform.reference(size)
    error = np.abs(member.dense().numpy() - reference).max() / np.abs(reference).max()
    return str(place_of(member)), "0" if error == 0 else f"{error:.0e}"


if __name__ == "__main__":
    main()
