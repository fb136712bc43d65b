"""Which options of `bestiary compile` mean something for what is compiled; others are refused.

``SCOPES`` says it of every subject, ``CIRCUIT_LAYOUTS`` of the layouts of circuits besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bestiary.compile.from_matrix import CHOICES
from bestiary.errors import UserError
from bestiary.mixers.registry import MIXERS
from bestiary.structured.transforms.registry import ALIASES, TRANSFORMS

Subject = Literal["transform", "matrix", "circuit", "mixer", "model"]

SUBJECTS: Mapping[Subject, str] = {
    "transform": "a transform",
    "matrix": "the matrix in a file",
    "circuit": "a circuit",
    "mixer": "a mixer of a run",
    "model": "the whole model of a run",
}
"""How a sentence names each."""
BY_NAME: Mapping[str, Subject] = {"matrix": "matrix", "circuit": "circuit", "model": "model"}
"""Those that are asked for by their own name."""


@dataclass(frozen=True)
class Scope:
    """Where an option means something: for which subjects, and there with which methods."""

    subjects: Sequence[Subject]
    methods: Sequence[str] = CHOICES


MATRICES: Sequence[Subject] = ("transform", "matrix")

ROUTED: Sequence[Subject] = (*MATRICES, "circuit")

SCOPES: Mapping[str, Scope] = {
    "--n": Scope(["transform", "circuit"]),
    "--d": Scope(ROUTED),
    "--length": Scope(["mixer"]),
    "--layer": Scope(["mixer"]),
    "--layout": Scope(["circuit", "mixer", "model"]),
    "--rows": Scope(["circuit"]),
    "--channels": Scope(["circuit"]),
    "--balance": Scope(["circuit"]),
    "--parallel": Scope(["circuit"]),
    "--expand": Scope(["circuit"]),
    "--bits": Scope(["circuit"]),
    "--mode": Scope(ROUTED),
    "--tolerance": Scope(["matrix"]),
    "--method": Scope(MATRICES),
    # The paper takes factors one by one, and a direct form has none.
    "--radix": Scope(ROUTED, ["auto", "groups", "blocks", "bits"]),
    # The paper says in which layer everything stands.
    "--optimize": Scope(ROUTED, ["auto", "direct", "groups", "blocks", "bits"]),
    "--in": Scope(["mixer", "model"]),
    "--dump-after": Scope(["transform", "matrix", "circuit", "mixer"]),
    "--output": Scope(["transform", "matrix", "circuit", "mixer"]),
}
"""Options that are not here, such as --json, mean something everywhere."""

CIRCUIT_LAYOUTS: Mapping[str, Sequence[str]] = {
    "--rows": ["wide", "auto"],
    "--channels": ["wide", "auto"],
    "--expand": ["wide", "auto"],
    "--optimize": ["wide"],
    # Of these and of the circuit as it is, auto chooses.
    "--balance": ["wide", "narrow"],
    "--parallel": ["wide", "narrow"],
    "--d": ["narrow"],
    "--mode": ["narrow"],
    "--radix": ["narrow"],
}
"""With which layouts of a circuit an option means something; others do with all."""


def subject_of(what: str, source: Path | None) -> Subject:
    """What is asked for: ``UserError`` for a transform with a file."""
    if what in BY_NAME:
        return BY_NAME[what]
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


def check_layout_options(given: Iterable[str], layout: str) -> None:
    """``UserError`` for the first option that changes nothing in this layout of a circuit."""
    for option in given:
        layouts = CIRCUIT_LAYOUTS.get(option, (layout,))
        if layout not in layouts:
            raise UserError(
                f"{option} means nothing for a circuit with --layout {layout}; it is for "
                f"{_listed(layouts)}"
            )


def _listed(names: Sequence[str]) -> str:
    """``a, b or c``."""
    *before, last = names
    return f"{', '.join(before)} or {last}" if before else last
