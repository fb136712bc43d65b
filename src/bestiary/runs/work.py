"""A compiled stack with what it was made from and what was measured, as a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bestiary.compile.compiling import Compiled
from bestiary.compile.origin import Origin
from bestiary.compile.report import Report


@dataclass(frozen=True)
class Work:
    """A compiled stack, what it was made from and what was measured.

    error: largest relative error against the reference, None where that was not tried. left_out: a
    sentence where a form was not looked for, "" otherwise. subject: a line on what was compiled, ""
    where the report says it.
    """

    compiled: Compiled
    origin: Origin
    report: Report
    error: float | None
    left_out: str = ""
    subject: str = ""

    def as_json(self) -> dict[str, Any]:
        """Everything but the weights."""
        found = self.compiled.found
        return {
            **self.report.as_json(),
            "origin": self.origin.to_dict(),
            "max_relative_error": self.error,
            "left_out": self.left_out,
            "optimize": None if found is None else str(found),
            **({"subject": self.subject} if self.subject else {}),
        }

    def __str__(self) -> str:
        lines = [str(self.report)]
        if self.subject:
            lines.append(f"  {self.subject}")
        if self.compiled.found is not None:
            lines.append(f"  schedule: {self.compiled.found}")
        if self.left_out:
            lines.append(f"  not tried: {self.left_out}")
        if self.error is None:
            lines.append("  not checked yet: bestiary verify compares it with its reference")
        else:
            lines.append(f"  checked: largest relative error {self.error:.1e} (float64)")
        return "\n".join(lines)
