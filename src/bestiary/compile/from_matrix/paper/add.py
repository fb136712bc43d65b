"""add_n(y : x, S): a block of n rows added to another inside of a larger array, in three layers."""

from __future__ import annotations

from bestiary.compile.from_matrix.paper.layers import Layer, ones


def add_block(base: int, total: int, n: int, d: int, addend: int) -> tuple[list[Layer], int]:
    """y, ``total`` rows from row ``base`` on: its first n rows plus those ``addend`` rows later.

    The n rows that were added are 0 afterwards, all others as before. Gives the layers and the row
    where y begins after them, base + 2·total + addend.
    """
    kept = [(n, addend), (addend + n, total)]
    rest = [(lo, hi) for lo, hi in kept if lo < hi]
    here, aside = base, base + total
    apart = Layer(
        {0: 1.0, total: 1.0},
        gate_bias={
            here: ones(n, d),
            here + addend: ones(n, d),
            **{aside + lo: ones(hi - lo, d) for lo, hi in rest},
        },
    )
    # Rows from `after` on are empty, and nothing else comes to where the rest lies aside.
    after = base + 2 * total + addend
    added = Layer(
        {after - here: 1.0, after - here - addend: 1.0},
        source=range(d),
        gate_bias={after: ones(n, d)},
        conv_bias={aside + lo: ones(hi - lo, d) for lo, hi in rest},
    )
    joined = Layer(
        {0: 1.0, after - aside: 1.0},
        gate_bias={after: ones(n, d), **{after + lo: ones(hi - lo, d) for lo, hi in rest}},
    )
    return [apart, added, joined], after
