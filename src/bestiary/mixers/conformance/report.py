"""What a conformance run found, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Literal

Status = Literal["passed", "failed", "not applicable", "not run"]


class Failed(Exception):
    """The mixer breaks the law a check asks for; the message says where and by how much."""


class WrongShape(Failed):
    """The output isn't a tensor of the input's shape, so that little else can be asked."""


class NotApplicable(Exception):
    """The check asks for something this kind of mixer doesn't claim; the message says what."""


def describe(error: BaseException) -> str:
    """The error on one line; its type too, unless it is a check's own verdict."""
    first = (str(error).strip().splitlines() or [""])[0]
    if isinstance(error, Failed | NotApplicable):
        return first
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


@contextmanager
def at(where: str) -> Iterator[None]:
    """Let whatever goes wrong inside fail the check, with ``where`` in front of the reason."""
    try:
        yield
    except NotApplicable:
        raise
    except Exception as error:
        raise Failed(f"{where}: {describe(error)}") from error


@dataclass(frozen=True)
class Result:
    """One check: its name, the law it asks for, and what came out, in ``seconds``."""

    name: str
    law: str
    status: Status
    reason: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Report:
    """All checks of one mixer at one width and longest length."""

    mixer: str
    options: Mapping[str, Any]
    d_model: int
    max_length: int
    recurrent: bool
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Whether no check failed or had to be left out because another did."""
        return all(r.status in ("passed", "not applicable") for r in self.results)

    @property
    def failures(self) -> tuple[Result, ...]:
        """The checks that failed."""
        return tuple(r for r in self.results if r.status == "failed")

    @property
    def seconds(self) -> float:
        """Time of all checks together."""
        return sum(r.seconds for r in self.results)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data, ``ok`` included."""
        return {"ok": self.ok, **asdict(self), "options": dict(self.options)}
