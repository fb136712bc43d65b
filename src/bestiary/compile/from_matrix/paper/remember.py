"""remember_{n,m,s,t}(y : x, v, h, p): one block convolved and scaled, one kept, in five layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestiary.compile.from_matrix.paper.layers import Layer, ones

Array = NDArray[Any]


def remember_block(
    base: int, filter: Array, scale: Array, m: int, s: int
) -> tuple[list[Layer], int]:
    """y = [x; 0; v] from row ``base`` on, with n rows of x, s of 0 and m of v.

    x becomes p ⊙ (h * x), modulo X^n, v stays. filter: h, (n, d). scale: p, (n, d). Gives the
    layers and the row where y begins after them, base + 2·(n + s + m).
    """
    n, d = scale.shape
    total = n + s + m
    v, aside, after = n + s, base + total, base + 2 * total
    v_aside = {aside + v: ones(m, d)}
    apart = Layer({0: 1.0, total: 1.0}, gate_bias={base: ones(n, d), **v_aside})
    taps = {2 * total + power: values for power, values in enumerate(filter) if np.any(values)}
    convolved = Layer(
        taps or {0: 0.0}, source=range(d), gate_bias={after: ones(n, d)}, conv_bias=v_aside
    )
    scaled = Layer({0: 1.0}, gate_bias={after: scale, **v_aside})
    moved = Layer({0: 1.0, total: 1.0}, gate_bias={after: ones(n, d), after + v: ones(m, d)})
    cleared = Layer({0: 1.0}, gate_bias={after: ones(total, d)})
    return [apart, convolved, scaled, moved, cleared], after
