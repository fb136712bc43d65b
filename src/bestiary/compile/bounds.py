"""Layers, rows and channels that constructions are held to, and those that the paper states.

n is the number of rows and d the number of channels throughout, so that a matrix has size n·d. The
paper: Arora et al. 2023, "Zoology" (arXiv 2312.04927), appendix H. Its O(·) are given as numbers
where it counts layers, and as None where it does not. See docs/theory.md, 'Bounds'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bestiary.compile.gated_form import GatedForm
from bestiary.compile.program import Mode
from bestiary.errors import UserError
from bestiary.structured import Butterfly, ButterflyFactor, Kaleidoscope, StructuredMatrix

PAPER_HYENA = 5
"""Layers the paper takes for one long filter of Hyena (docs/theory.md, 'Hyena as BaseConv')."""

Kind = Literal["factor", "butterfly", "kaleidoscope"]


@dataclass(frozen=True)
class Bound:
    """At most so many of each; None where nothing is stated.

    layers: L. inner_rows: N'. width: d', real channels. source: who states it, for a report.
    """

    layers: int | None = None
    inner_rows: int | None = None
    width: int | None = None
    source: str = ""

    def holds(self, layers: int, inner_rows: int, width: int) -> bool:
        """Whether a stack of so many layers, rows and channels is within it."""
        stated = (self.layers, self.inner_rows, self.width)
        measured = (layers, inner_rows, width)
        return all(s is None or m <= s for s, m in zip(stated, measured, strict=True))


def our_factor_bound(n: int, d: int, k: int, mode: Mode = "causal") -> Bound:
    """A butterfly factor of size k alone: one layer more than in a chain, for the final sum."""
    moved = 0 if k <= d or mode == "circular" else k // (2 * d)
    return Bound(2 if k <= d else 3, n + moved, 2 * d)


def our_butterfly_bound(n: int, d: int, mode: Mode = "causal") -> Bound:
    """2·log2 n + log2 d + 1 layers, N' ≤ 2n (n in a ring), d' = 2d."""
    rows = n if mode == "circular" else 2 * n
    return Bound(2 * _log2(n) + _log2(d) + 1, rows, 2 * d)


def our_kaleidoscope_bound(n: int, d: int, w: int, e: int = 1, mode: Mode = "causal") -> Bound:
    """(BB*)^w_e with m = e·n rows: 2w(2·log2 m + log2 d) − 3w + 3 layers, for d = 1
    4w·log2 m − 4w + 3; N' = m in a ring, else 1.5·(w + 1)·m; d' = 2d.
    """
    m = e * n
    rows = m if mode == "circular" else 3 * (w + 1) * m // 2
    if d == 1:
        return Bound(4 * w * _log2(m) - 4 * w + 3, rows, 2)
    if m == 1:
        # All rows are one: no joint of row factors is saved, and none is there.
        return Bound(2 * w * _log2(d) - (2 * w - 1) + 1, 1, 2 * d)
    return Bound(2 * w * (2 * _log2(m) + _log2(d)) - 3 * w + 3, rows, 2 * d)


def paper_factor_bound(n: int, d: int) -> Bound:
    """Lemma H.16 by its own count: a layer that copies and scales, and six that add."""
    return Bound(7, None, d)


def paper_butterfly_bound(n: int, d: int) -> Bound:
    """5·log2(nd) layers."""
    return Bound(5 * _log2(n * d), None, d)


def paper_kaleidoscope_bound(n: int, d: int, w: int, e: int = 1) -> Bound:
    """O(w·log(e·n·d)) layers, as 2w butterflies of 5·log2(e·n·d) each; N' = e·n, d' = d."""
    return Bound(2 * w * 5 * _log2(e * n * d), e * n, d)


def gated_bound(form: GatedForm, length: int, layout: str = "channel") -> Bound:
    """A gated convolution of L kernels, whose gates see k rows, in a layout of ``conversion``.

    By channels L + 1 layers, L + 2 for k ≥ 3; in time 2L + 1; one more with an output map (the
    table of ``from_hyena.hyena``).
    """
    folded = form.folded(length)
    order, k, d, width = len(folded.steps), folded.reach, folded.d_model, folded.width
    last = int(folded.output_weight is not None or folded.output_bias is not None)
    if layout == "time":
        blocks = 3 * order + 1 if k == 1 else 3 if order == 1 else 3 * order + 4
        return Bound(2 * order + 1 + last, blocks * length, d)
    if k <= 2:
        return Bound(order + 1 + last, length, width + k * d)
    return Bound(order + 2 + last, length, min(max(d, (order + 1) * width), width + k * d))


def paper_hyena_bound(n: int, d: int, order: int) -> Bound:
    """5 layers for each long filter, at d' = d and n rows more; an output map is not counted."""
    return Bound(PAPER_HYENA * order, 2 * n, d)


def our_bound(member: StructuredMatrix, d: int, mode: Mode = "causal") -> Bound:
    """What compiling ``member`` with d channels a row is held to, twice the channels if complex.

    ``UserError`` for a type that has no bound.
    """
    if isinstance(member, ButterflyFactor):
        bound = our_factor_bound(member.n // d, d, member.k, mode)
    elif isinstance(member, Butterfly):
        bound = our_butterfly_bound(member.n // d, d, mode)
    elif isinstance(member, Kaleidoscope):
        bound = our_kaleidoscope_bound(member.size // d, d, member.width, 1, mode)
    else:
        raise _no_bound(member)
    if not member.is_complex or bound.width is None:
        return bound
    # Two real channels a number, in twice as many groups: one for Re c, one for Im c.
    return Bound(bound.layers, bound.inner_rows, 4 * bound.width)


def paper_bound(member: StructuredMatrix, d: int) -> Bound:
    """What the paper states for real entries; ``UserError`` for a type that has no bound."""
    if isinstance(member, ButterflyFactor):
        return paper_factor_bound(member.n // d, d)
    if isinstance(member, Butterfly):
        return paper_butterfly_bound(member.n // d, d)
    if isinstance(member, Kaleidoscope):
        return paper_kaleidoscope_bound(member.size // d, d, member.width)
    raise _no_bound(member)


def _no_bound(member: StructuredMatrix) -> UserError:
    return UserError(
        f"no bound is stated for a {type(member).__name__} (there is one for ButterflyFactor, "
        "Butterfly and Kaleidoscope)"
    )


def _log2(n: int) -> int:
    if n < 1 or n & (n - 1):
        raise UserError(f"{n} is no power of two; the bounds are stated for those")
    return n.bit_length() - 1
