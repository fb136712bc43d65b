"""One line of a benchmark: ours against a baseline, timed in the same process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter


@dataclass(frozen=True)
class Ratio:
    """baseline_seconds / ours_seconds, and the bound it is held to.

    bound: the least acceptable ratio (None: only shown). note: anything else that was measured.
    """

    subject: str
    setting: str
    baseline: str
    ours: str
    baseline_seconds: float
    ours_seconds: float
    bound: float | None = None
    note: str = ""

    @property
    def ratio(self) -> float:
        """How many times faster ours is."""
        return self.baseline_seconds / self.ours_seconds

    @property
    def holds(self) -> bool:
        """Whether the bound is met (true where there is none)."""
        return self.bound is None or self.ratio >= self.bound


def interleaved(
    contenders: Mapping[str, Callable[[], object]], rounds: int = 7, warmup: int = 2
) -> dict[str, float]:
    """Best seconds of each contender over ``rounds``, run in turn so that drift hits all alike."""
    best = dict.fromkeys(contenders, float("inf"))
    for turn in range(warmup + rounds):
        for name, run in contenders.items():
            start = perf_counter()
            run()
            if turn >= warmup:
                best[name] = min(best[name], perf_counter() - start)
    return best


def markdown(rows: Sequence[Ratio]) -> str:
    """The rows as a Markdown table, one line each."""
    head = (
        "| subject | setting | baseline | ours | baseline, ms | ours, ms | ratio | bound | |\n"
        "|---|---|---|---|---:|---:|---:|---:|---|\n"
    )
    lines = []
    for r in rows:
        bound = "-" if r.bound is None else f"≥ {r.bound:g}"
        note = r.note if r.holds else f"**below the bound** {r.note}".strip()
        lines.append(
            f"| {r.subject} | {r.setting} | {r.baseline} | {r.ours} "
            f"| {r.baseline_seconds * 1e3:.2f} | {r.ours_seconds * 1e3:.2f} "
            f"| {r.ratio:.2f} | {bound} | {note} |"
        )
    return head + "\n".join(lines) + "\n"
