"""Seeds, and the state of every generator a mixer could draw from while it trains."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor

from bestiary.errors import UserError


def check_seed(seed: int) -> None:
    """Raise ``UserError`` unless the seed is a whole number from 0 to 2^63 - 1."""
    if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63:
        raise UserError(f"seed is {seed!r}; it must be a whole number from 0 to 2^63 - 1")


@contextmanager
def isolated_randomness(seed: int, device: torch.device) -> Iterator[None]:
    """Seed the global generators of torch, numpy and Python inside, and put them back after."""
    before = generator_states(device)
    words = np.random.SeedSequence(seed).generate_state(4, np.uint32)
    # torch.manual_seed would seed every device there is; only this one's is put back.
    torch.default_generator.manual_seed(int(words[0]) << 32 | int(words[1]))
    if device.type == "cuda":
        with torch.cuda.device(device):
            torch.cuda.manual_seed(int(words[0]) << 32 | int(words[1]))
    # A user's mixer may draw from numpy's old global generator; Bestiary itself never does.
    np.random.seed(words[2])
    random.seed(int(words[3]))
    try:
        yield
    finally:
        restore_generator_states(before, device)


def generator_states(device: torch.device) -> dict[str, Tensor]:
    """The state of every global generator as named integer tensors."""
    version, words, gauss = random.getstate()
    assert version == 3, "Python's Mersenne Twister has had state version 3 since Python 3.2"
    legacy: Any = np.random.get_state(legacy=False)
    twister = legacy["state"]
    states = {
        "torch": torch.get_rng_state(),
        "python": torch.tensor(words, dtype=torch.int64),
        "python_gauss": _optional(gauss),
        "numpy": torch.from_numpy(twister["key"].astype(np.int64)),
        "numpy_position": torch.tensor([twister["pos"]], dtype=torch.int64),
        "numpy_gauss": _optional(legacy["gauss"] if legacy["has_gauss"] else None),
    }
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def restore_generator_states(states: dict[str, Tensor], device: torch.device) -> None:
    """Put back what ``generator_states`` returned."""
    torch.set_rng_state(states["torch"])
    words = tuple(states["python"].tolist())
    random.setstate((3, words, _given(states["python_gauss"])))
    gauss = _given(states["numpy_gauss"])
    twister = {
        "key": states["numpy"].numpy().astype(np.uint32),
        "pos": int(states["numpy_position"][0]),
    }
    np.random.set_state(
        {
            "bit_generator": "MT19937",
            "state": twister,
            "has_gauss": int(gauss is not None),
            "gauss": gauss or 0.0,
        }
    )
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)


def _optional(value: float | None) -> Tensor:
    """The second normal deviate a generator holds back, or an empty tensor."""
    return torch.tensor([] if value is None else [value], dtype=torch.float64)


def _given(value: Tensor) -> float | None:
    return float(value[0]) if len(value) else None
