from __future__ import annotations

import argparse
import time

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from matrix_members import TOLERANCE, butterfly, error, factor, kaleidoscope, shape

from bestiary.compile.bounds import our_bound
from bestiary.compile.from_matrix import matrix
from bestiary.compile.program import Mode
from bestiary.errors import UserError
from bestiary.structured import ButterflyFactor

MODES: tuple[Mode, ...] = ("causal", "circular")


def sizes(largest: int) -> list[tuple[int, int]]:
    """Every (n, d), powers of two, with 2 ≤ n·d ≤ largest."""
    powers = [1 << a for a in range(largest.bit_length())]
    return [(n, d) for n in powers for d in powers if 2 <= n * d <= largest]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "d"), sizes(32))
def test_a_butterfly_is_compiled_within_the_bound(n: int, d: int, mode: Mode) -> None:
    member = butterfly(n * d)
    made = matrix(member, d, mode)
    assert our_bound(member, d, mode).holds(*shape(made))
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize(("n", "d", "layers"), [(16, 4, 11), (64, 8, 16), (256, 1, 17)], ids=str)
def test_the_examples_of_the_theory_take_the_layers_it_says(n: int, d: int, layers: int) -> None:
    made = matrix(butterfly(n * d), d)
    assert shape(made)[0] == layers
    assert made.stack.width == 2 * d
    assert made.stack.inner_length == 2 * n - 1


@pytest.mark.parametrize("k", [2, 4, 8, 16, 32, 64])
def test_a_factor_alone_takes_three_layers_and_two_inside_of_a_row(k: int) -> None:
    for d in (1, 4, 64):
        for mode in MODES:
            member = factor(64, k)
            made = matrix(member, d, mode)
            layers, rows, width = shape(made)
            assert layers == (3 if k > d else 2)
            assert width == 2 * d
            assert rows == 64 // d + (k // (2 * d) if k > d and mode == "causal" else 0)
            assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("w", "layers"), [(1, 20), (2, 37), (3, 54)])
def test_a_kaleidoscope_is_compiled_within_the_bound(w: int, layers: int, mode: Mode) -> None:
    member = kaleidoscope(64, w)
    made = matrix(member, 4, mode)
    assert shape(made)[0] == layers
    assert made.stack.width == 8
    # Joints merge, so that delays add up to this, less a row a butterfly.
    assert shape(made)[1] == (16 if mode == "circular" else 16 * (3 + 3 * w) // 2 - 2 * w)
    assert our_bound(member, 4, mode).holds(*shape(made))
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("w", [1, 2])
@pytest.mark.parametrize(("m", "d"), [(8, 1), (1, 8), (2, 4), (2, 1)])
def test_kaleidoscopes_of_any_shape_keep_the_bound(m: int, d: int, w: int, mode: Mode) -> None:
    member = kaleidoscope(m * d, w)
    made = matrix(member, d, mode)
    assert our_bound(member, d, mode).holds(*shape(made))
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("n", "d"), [(16, 4), (5, 1)])
def test_a_corner_is_multiplied_in_the_rows_of_the_whole(n: int, d: int, mode: Mode) -> None:
    member = kaleidoscope(32, 1, n)
    made = matrix(member, d, mode)
    assert made.source.rows == n // d
    assert our_bound(member, d, mode).holds(*shape(made))
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize("mode", MODES)
def test_a_complex_number_takes_eight_real_channels(mode: Mode) -> None:
    member = butterfly(32, dtype=torch.complex128)
    made = matrix(member, 4, mode)
    layers, _, width = shape(made)
    assert (layers, width) == (2 * 3 + 2 + 1, 8 * 4)
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize(("radix", "layers"), [(2, 11), (4, 6), (8, 5), (16, 4)])
def test_a_larger_radix_takes_fewer_layers_and_more_channels(radix: int, layers: int) -> None:
    # Rows 16, d = 4: bits in groups of log2 r, two layers where rows are mixed, one where not.
    member = butterfly(64)
    made = matrix(member, 4, radix=radix)
    assert shape(made)[0] <= layers
    assert made.stack.width == radix * 4
    assert made.stack.inner_length == 31
    assert error(made, member) <= TOLERANCE


def test_complex_numbers_can_have_a_larger_radix() -> None:
    member = kaleidoscope(32, 1, dtype=torch.complex128)
    assert error(matrix(member, 2, radix=4), member) <= TOLERANCE


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_products_of_levels_are_compiled_as_one(data: st.DataObject) -> None:
    log_n = data.draw(st.integers(1, 5))
    n = 1 << log_n
    member = butterfly(n)
    for seed in range(data.draw(st.integers(0, 2))):
        kind = data.draw(st.sampled_from(["factor", "adjoint", "corner"]))
        other = {
            "factor": lambda seed=seed: factor(n, 1 << data.draw(st.integers(1, log_n)), seed),
            "adjoint": lambda seed=seed: butterfly(n, seed, adjoint=True),
            "corner": lambda: kaleidoscope(2 * n, 1, n),
        }[kind]()
        member = other @ member
    d = 1 << data.draw(st.integers(0, log_n))
    made = matrix(
        member, d, data.draw(st.sampled_from(MODES)), radix=data.draw(st.sampled_from([2, 4]))
    )
    assert error(made, member) <= TOLERANCE


@pytest.mark.parametrize(
    ("d", "said"), [(3, "power of two"), (128, "power of two up to the size 64"), (0, "d is 0")]
)
def test_a_d_that_does_not_fit_is_refused(d: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        matrix(butterfly(64), d)


def test_a_vector_that_does_not_fill_rows_is_refused_with_the_size_that_would() -> None:
    with pytest.raises(UserError, match="pad the matrix to 12"):
        matrix(kaleidoscope(16, 1, 9), 4)


def test_a_radix_or_method_that_is_none_is_refused() -> None:
    with pytest.raises(UserError, match="the radix is 3"):
        matrix(butterfly(8), 1, radix=3)
    with pytest.raises(UserError, match="method"):
        matrix(butterfly(8), 1, method="magic")


def test_a_stack_of_matrices_is_refused() -> None:
    stacked = torch.from_numpy(np.ones((2, 1, 2, 2, 1)))
    with pytest.raises(UserError, match="stack of"):
        matrix(ButterflyFactor(2, 2, stacked), 1)


def main() -> None:
    """Compile a butterfly of every size, both modes, and say so if one is out of its bound."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--largest", type=int, default=4096, help="largest n·d")
    largest = parser.parse_args().largest
    start, worst, count = time.perf_counter(), 0.0, 0
    for n, d in sizes(largest):
        member = butterfly(n * d)
        for mode in MODES:
            made = matrix(member, d, mode)
            found, off = shape(made), error(made, member)
            if off > TOLERANCE or not our_bound(member, d, mode).holds(*found):
                raise SystemExit(f"n = {n}, d = {d}, {mode}: {found}, error {off:.1e}")
            worst, count = max(worst, off), count + 1
    seconds = time.perf_counter() - start
    print(
        f"{count} butterflies, every (n, d) with n·d ≤ {largest} in both modes: all within "
        f"2·log2 n + log2 d + 1 layers, N' ≤ 2n (n in a ring), d' = 2d; largest relative error "
        f"{worst:.1e}; {seconds:.0f} s"
    )


if __name__ == "__main__":
    main()
