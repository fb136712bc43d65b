"""Random words by key: what every stream of examples is drawn from.

Only the raw 64-bit output of ``PCG64`` under a ``SeedSequence`` is used, which numpy promises never
to change; numpy's distributions carry no such promise. So the bytes of an example depend neither
on numpy's version nor on anything else that was drawn, here or by the caller.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Words:
    """A sequence of random 64-bit words, named by a seed and a key of whole numbers.

    Two different (seed, key) give independent sequences (``SeedSequence`` with a spawn key), and
    the global random state is neither read nor written.
    """

    def __init__(self, seed: int, *key: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key))

    def raw(self, *shape: int) -> NDArray[np.uint64]:
        """The next words, in C order, as uint64 of ``shape``."""
        return self._bits.random_raw(int(np.prod(shape))).reshape(shape)

    def below(self, bound: int, *shape: int) -> NDArray[np.int64]:
        """Whole numbers 0 … bound − 1, int64 of ``shape``, one word each.

        The top bits of a word times the bound, in integers: no value is likelier than another by
        more than a factor 1 + bound² / 2⁶³ (at 8,192: 10⁻¹¹).
        """
        bits = bound.bit_length()
        words = self.raw(*shape)
        words >>= np.uint64(bits)
        words *= np.uint64(bound)
        words >>= np.uint64(64 - bits)
        return words.view(np.int64)

    def unit(self, *shape: int) -> NDArray[np.float64]:
        """Uniform numbers strictly between 0 and 1, float64 of ``shape``, one word each."""
        numbers = (self.raw(*shape) >> np.uint64(11)).astype(np.float64)
        numbers += 0.5
        numbers *= 2.0**-53
        return numbers
