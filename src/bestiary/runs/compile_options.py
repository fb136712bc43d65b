"""Which options of `bestiary compile` mean something for what is compiled; others are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bestiary.compile.from_matrix import CHOICES
from bestiary.errors import UserError
from bestiary.mixers.registry import MIXERS
from bestiary.structured.transforms.registry import ALIASES, TRANSFORMS

Subject = Literal["transform", "matrix", "mixer", "model"]

SUBJECTS: Mapping[Subject, str] = {
    "transform": "a transform",
    "matrix": "the matrix in a file",
    "mixer": "a mixer of a run",
    "model": "the whole model of a run",
}
"""How a sentence names each."""


@dataclass(frozen=True)
class Scope:
    """Where an option means something: for which subjects, and there with which methods."""

    subjects: Sequence[Subject]
    methods: Sequence[str] = CHOICES


MATRICES: Sequence[Subject] = ("transform", "matrix")

SCOPES: Mapping[str, Scope] = {
    "--n": Scope(["transform"]),
    "--d": Scope(MATRICES),
    "--length": Scope(["mixer"]),
    "--layer": Scope(["mixer"]),
    "--layout": Scope(["mixer", "model"]),
    "--mode": Scope(MATRICES),
    "--tolerance": Scope(["matrix"]),
    "--method": Scope(MATRICES),
    # The paper takes factors one by one, and a direct form has none.
    "--radix": Scope(MATRICES, ["auto", "groups", "blocks", "bits"]),
    # The paper says in which layer everything stands.
    "--optimize": Scope(MATRICES, ["auto", "direct", "groups", "blocks", "bits"]),
    "--in": Scope(["mixer", "model"]),
    "--dump-after": Scope(["transform", "matrix", "mixer"]),
    "--output": Scope(["transform", "matrix", "mixer"]),
}
"""Options that are not here, such as --json, mean something everywhere."""


def subject_of(what: str, source: Path | None) -> Subject:
    """What is asked for: ``UserError`` for a transform with a file."""
    if what in ("matrix", "model"):
        return "matrix" if what == "matrix" else "model"
    if source is None:
        return "mixer" if what in MIXERS else "transform"
    if what in TRANSFORMS or what in ALIASES:
        raise UserError(
            f"{what} is a transform and comes from no file or folder, but {source} was given; give "
            "its size with --n"
        )
    return "mixer"


def check_options(given: Iterable[str], subject: Subject, method: str = "auto") -> None:
    """``UserError`` for the first option that would change nothing, with where it does.

    given: options as they are written, such as ``--radix``. method: one of ``CHOICES``.
    """
    for option in given:
        scope = SCOPES.get(option)
        if scope is None:
            continue
        if subject not in scope.subjects:
            told = _listed([SUBJECTS[one] for one in scope.subjects])
            raise UserError(f"{option} means nothing for {SUBJECTS[subject]}; it is for {told}")
        if method not in scope.methods:
            raise UserError(
                f"{option} means nothing with --method {method}; it is for {_listed(scope.methods)}"
            )


def _listed(names: Sequence[str]) -> str:
    """``a, b or c``."""
    *before, last = names
    return f"{', '.join(before)} or {last}" if before else last
