"""How a convolution of a given size is computed, and why."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

import torch

from bestiary.errors import unknown_name
from bestiary.operators.convolution.fft_size import fft_size, is_smooth
from bestiary.operators.convolution.geometry import Geometry, geometry_for

log = logging.getLogger(__name__)

Path = Literal["auto", "direct", "fft", "chunked"]
PATHS: tuple[Path, ...] = get_args(Path)


@dataclass(frozen=True, slots=True)
class Plan:
    """What ``conv`` will do.

    path: ``direct``, ``fft`` (transforms of the whole length) or ``chunked`` (transforms of
    overlapping blocks of time). product: how ``direct`` does it, by ``shifts`` or a ``toeplitz``
    matrix; empty for the others. fft_size: transform length, 0 for ``direct``. block: outputs a
    transform. rows, channels: the tile that is worked on at a time. reason: why this path.
    """

    path: Literal["direct", "fft", "chunked"]
    product: Literal["", "shifts", "toeplitz"] = ""
    fft_size: int = 0
    block: int = 0
    rows: int = 0
    channels: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Crossovers:
    """Where one path overtakes another on a kind of device.

    shift_taps: most taps for shifts. toeplitz_length: longest sequence for a matrix.
    chunk_ratio, chunk_length: chunks pay for sequences of at least chunk_length that are at least
    chunk_ratio times as long as the filter. tile_bytes: about the size of a tile, for each of
    torch's threads on a CPU.
    """

    shift_taps: int
    toeplitz_length: int
    chunk_ratio: int
    chunk_length: int
    tile_bytes: int


# Measured by `python -m benchmarks.conv --crossovers` (2 cores, 512 KiB of second-level cache
# each). A GPU has no such cache to fit and dear launches; its row is a rule, not a measurement.
CROSSOVERS = {
    "cpu": Crossovers(12, 64, 10, 2048, 1 << 20),
    "cuda": Crossovers(8, 32, 8, 1 << 16, 1 << 30),
}


def plan_for(
    batch: int,
    length: int,
    channels: int,
    taps: int,
    mode: str = "causal",
    *,
    centre: int | None = None,
    path: Path = "auto",
    dtype: torch.dtype = torch.float32,
    device: str = "cpu",
) -> Plan:
    """The plan that ``conv`` follows for tensors of these sizes.

    ``path`` other than ``auto`` fixes the path, and the sizes within it are chosen. ``dtype`` is
    that of the computation (float32 for bfloat16 tensors). ``device`` is a device type; others
    than those in ``CROSSOVERS`` are planned as ``cuda``. On a CPU tiles grow with the number of
    torch's threads, which share them. Raises ``UserError`` as ``conv`` does.
    """
    geometry = geometry_for(length, taps, mode, centre).trimmed()
    return plan_geometry(geometry, batch, channels, path, dtype, device)


def plan_geometry(
    geometry: Geometry, batch: int, channels: int, path: Path, dtype: torch.dtype, device: str
) -> Plan:
    """``plan_for`` a trimmed geometry."""
    threads = torch.get_num_threads() if device == "cpu" else 1
    return _plan(geometry, batch, channels, path, dtype.itemsize, device, threads)


@lru_cache(maxsize=4096)
def _plan(
    geometry: Geometry,
    batch: int,
    channels: int,
    path: Path,
    itemsize: int,
    device: str,
    threads: int,
) -> Plan:
    if path not in PATHS:
        raise unknown_name("convolution path", path, PATHS)
    at = CROSSOVERS.get(device, CROSSOVERS["cuda"])
    at = replace(at, tile_bytes=at.tile_bytes * threads)
    chosen, reason = (path, "asked for") if path != "auto" else _choose(geometry, at)
    if chosen == "direct":
        plan = _direct(geometry, batch, channels, at, itemsize, reason)
    elif chosen == "fft":
        plan = _fft(geometry, batch, channels, at, itemsize, reason)
    else:
        plan = _chunked(geometry, batch, channels, at, itemsize, reason)
    log.debug("%s, batch %d, %d channels on %s: %s", geometry, batch, channels, device, plan)
    return plan


def _choose(geometry: Geometry, at: Crossovers) -> tuple[Path, str]:
    length, taps = geometry.length, geometry.taps
    if taps <= at.shift_taps:
        return "direct", f"{taps} taps, at most {at.shift_taps}: a sum of shifts"
    if length <= at.toeplitz_length:
        return "direct", f"length {length}, at most {at.toeplitz_length}: a matrix a channel"
    if length >= at.chunk_length and length >= at.chunk_ratio * taps:
        return "chunked", f"length {length} is at least {at.chunk_ratio} times {taps} taps"
    return "fft", f"length {length} above {at.toeplitz_length}, {taps} above {at.shift_taps} taps"


def _direct(
    geometry: Geometry, batch: int, channels: int, at: Crossovers, itemsize: int, reason: str
) -> Plan:
    # A matrix has length² entries a channel, so a long sequence is summed tap by tap even when
    # there are many.
    few = geometry.taps <= at.shift_taps or geometry.length > 32 * at.toeplitz_length
    row = channels * geometry.length * itemsize
    rows = max(1, min(batch, at.tile_bytes // max(1, row))) if few else batch
    product: Literal["shifts", "toeplitz"] = "shifts" if few else "toeplitz"
    return Plan("direct", product, 0, geometry.length, rows, channels, reason)


def _fft(
    geometry: Geometry, batch: int, channels: int, at: Crossovers, itemsize: int, reason: str
) -> Plan:
    size = fft_size(geometry.fft_length)
    if geometry.circular and is_smooth(geometry.length):
        size = geometry.length
    rows, group = _tile(size, batch, channels, at, itemsize)
    return Plan("fft", "", size, geometry.length, rows, group, reason)


def _chunked(
    geometry: Geometry, batch: int, channels: int, at: Crossovers, itemsize: int, reason: str
) -> Plan:
    # Four times the taps: a quarter of each transform is overlap, and longer ones gain little.
    size = fft_size(max(4 * geometry.taps, 256))
    size = min(size, fft_size(geometry.length + geometry.taps - 1))
    block = min(size - geometry.taps + 1, geometry.length)
    rows, group = _tile(size, batch, channels, at, itemsize)
    return Plan("chunked", "", size, block, rows, group, reason)


def _tile(size: int, batch: int, channels: int, at: Crossovers, itemsize: int) -> tuple[int, int]:
    """Rows and channels of a tile of about ``tile_bytes``.

    Whole rows are read in one piece and are the fastest to transpose, also at a few times the
    size. Longer ones are cut into groups of channels, of no fewer than 16 (a cache line): reading
    across fewer wastes memory traffic.
    """
    one = max(1, size * itemsize)
    group = min(channels, max(16, 4 * at.tile_bytes // one))
    groups = -(-channels // max(1, group))
    group = -(-channels // max(1, groups))
    return max(1, min(batch, at.tile_bytes // max(1, one * group))), max(1, group)
