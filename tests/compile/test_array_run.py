from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import torch

from bestiary.compile import Program, compile_program, conv, hyena, input_array, linear, shift
from bestiary.compile.array_run import run_array
from bestiary.compile.expression import constant_array
from bestiary.compile.origin import Origin
from bestiary.errors import UserError
from bestiary.mixers.hyena import Hyena
from bestiary.mixers.stack_file import StackFile
from bestiary.runs.compilation import How, of_transform

WEIGHT = np.array([[1.0, 2], [0, -1]])


def stack_file(program: Program) -> StackFile:
    return StackFile(compile_program(program).stack, program.rows, program.width)


@pytest.fixture
def mapped() -> StackFile:
    """4 rows of 2 channels, each row x ↦ x W."""
    u = input_array("u", 2)
    return stack_file(Program((u,), linear(u, WEIGHT), rows=4))


@pytest.mark.parametrize("shape", [(4, 2), (8,), (3, 4, 2), (3, 8), (1, 8), (8, 4, 2), (4, 8)])
def test_rows_vectors_and_batches_come_back_in_their_shape(mapped, shape) -> None:
    x = np.random.default_rng(0).normal(size=shape)
    expected = (x.reshape(-1, 2) @ WEIGHT).reshape(shape)
    np.testing.assert_allclose(run_array(mapped, x), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    "shape", [(), (2, 4), (5, 2), (1, 4, 2, 1), (0, 8), (0, 4, 2), (0, 2), (7,)]
)
def test_other_shapes_are_refused_with_what_is_accepted(mapped, shape) -> None:
    # (2, 4) has as many numbers as one sequence, but in other rows.
    said = r"the stack takes 4 rows of 2 channels, 8 numbers a sequence \(accepted: \(4, 2\), \(8,"
    with pytest.raises(UserError, match=said):
        run_array(mapped, np.ones(shape))


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (5, 2, 2)])
def test_a_causal_stack_takes_fewer_rows_and_gives_what_it_gives_of_more(shape) -> None:
    u = input_array("u", 2)
    ahead = Program((u,), u * conv({0: 1, 1: -1}, u), rows=4)
    x = np.random.default_rng(3).normal(size=shape)
    before = np.concatenate([np.zeros_like(x[..., :1, :]), x[..., :-1, :]], axis=-2)
    np.testing.assert_allclose(run_array(stack_file(ahead), x), x * (x - before), atol=1e-14)
    later = stack_file(Program((u,), shift(u, -1), rows=4))  # a delay: it needs all its rows
    with pytest.raises(UserError, match=r"the stack takes 4 rows of 2 channels"):
        run_array(later, x)


def of(name: str, n: int, d: int = 1) -> StackFile:
    work = of_transform(name, n, d, How())
    source = work.compiled.source
    about = {"origin": work.origin.to_dict()}
    return StackFile(work.compiled.stack, source.rows, source.width, about=about)


@pytest.mark.parametrize(("d", "shape"), [(1, (8,)), (1, (8, 1)), (2, (4, 2)), (2, (3, 8))])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_real_matrix_takes_complex_numbers_by_their_parts(d, shape, dtype) -> None:
    z = np.random.default_rng(4).normal(size=(*shape, 2)).view(np.complex128)[..., 0]
    flat = z.reshape(-1, 8)
    expected = scipy.fft.dct(flat.real) + 1j * scipy.fft.dct(flat.imag)
    got = run_array(of("dct", 8, d), z, dtype)
    assert got.dtype == {"float64": np.complex128, "float32": np.complex64}[dtype]
    bound = {"float64": 1e-12, "float32": 1e-4}[dtype]
    np.testing.assert_allclose(got, expected.reshape(shape), rtol=0, atol=bound)


@pytest.mark.parametrize("d", [1, 2])
def test_a_real_matrix_refuses_half_as_many_complex_numbers(d) -> None:
    with pytest.raises(UserError, match=r"an array of shape \(4,\) was given; .* 8 numbers a seq"):
        run_array(of("dct", 8, d), np.ones(4, dtype=complex))


@pytest.mark.parametrize(("d", "shape"), [(1, (8,)), (1, (8, 1)), (2, (4, 2)), (2, (3, 8))])
def test_a_complex_matrix_takes_real_numbers_as_complex_ones(d, shape) -> None:
    x = np.random.default_rng(5).normal(size=shape)
    got = run_array(of("dft", 8, d), x)
    expected = np.fft.fft(x.reshape(-1, 8)).reshape(shape)
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)
    pairs = np.stack([x, np.zeros_like(x)], axis=-1).reshape(-1, 8 // d, 2 * d)
    got = run_array(of("dft", 8, d), pairs)
    assert got.shape == pairs.shape and got.dtype == np.float64
    np.testing.assert_allclose(got.view(np.complex128).reshape(shape), expected, rtol=0, atol=1e-12)
    with pytest.raises(UserError, match="8 complex numbers a sequence"):
        run_array(of("dft", 8, d), np.ones(16))


def test_a_mixer_takes_shorter_sequences_and_no_complex_ones() -> None:
    torch.manual_seed(0)
    mixer = Hyena(4, order=2, max_length=8).double()
    origin = Origin("module", "model.safetensors", 8, 4, 0)
    stack = hyena(mixer, length=8).stack
    file = StackFile(stack, 8, 4, about={"origin": origin.to_dict()})
    x = np.random.default_rng(6).normal(size=(5, 4))
    with torch.no_grad():
        expected = mixer(torch.from_numpy(x)[None])[0].numpy()
    np.testing.assert_allclose(run_array(file, x), expected, rtol=0, atol=1e-12)
    with pytest.raises(UserError, match="a mixer takes real numbers"):
        run_array(file, np.ones((8, 2), dtype=complex))
    with pytest.raises(UserError, match=r"or fewer rows, \(7, 4\)"):
        run_array(file, np.ones((9, 4)))


def test_complex_numbers_are_pairs_of_channels(mapped) -> None:
    z = np.random.default_rng(1).normal(size=(4, 2)).view(np.complex128)
    expected = (z.view(np.float64) @ WEIGHT).view(np.complex128)
    for shape in ((4, 1), (4,), (1, 4)):
        got = run_array(mapped, z.reshape(shape))
        np.testing.assert_allclose(got, expected.reshape(shape), rtol=0, atol=1e-14)
    u = input_array("u", 1)
    with pytest.raises(UserError, match=r"4 rows of 1 channel, 2 complex numbers a sequence$"):
        run_array(stack_file(Program((u,), u + u, rows=4)), np.ones(4, dtype=complex))


@pytest.mark.parametrize("shape", [(4, 2), (8,), (3, 4, 2), (3, 8)])
def test_an_output_of_another_size_keeps_every_sequence_of_a_batch(shape) -> None:
    u = input_array("u", 2)
    summed = stack_file(Program((u,), linear(u, [[1.0], [1.0]]), rows=4))
    x = np.random.default_rng(2).normal(size=shape)
    expected = x.reshape(-1, 4, 2).sum(-1, keepdims=True)
    got = run_array(summed, x)
    assert got.shape == ((3, 4, 1) if shape[0] == 3 else (4, 1))
    np.testing.assert_allclose(got.reshape(-1, 4, 1), expected, rtol=0, atol=1e-14)
    with pytest.raises(UserError, match="the stack gives 1 channel, no pairs"):
        run_array(summed, np.ones((4, 1), dtype=complex))


def test_a_stack_without_inputs_runs_on_no_channels() -> None:
    three = stack_file(Program((), constant_array(3, 2), rows=4))
    assert (run_array(three, np.zeros((4, 0))) == np.full((4, 2), 3)).all()
    assert (run_array(three, np.zeros((5, 4, 0))) == np.full((5, 4, 2), 3)).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, complex(0, np.nan)])
def test_numbers_that_are_not_finite_are_refused_with_their_place(mapped, bad) -> None:
    if isinstance(bad, complex):
        x = np.ones((2, 4, 1), dtype=complex)
        x[1, 3, 0] = bad
        place = "(1, 3, 0)"
    else:
        x = np.ones((2, 4, 2))
        x[1, 3, 0] = bad
        place = "(1, 3, 0)"
    with pytest.raises(UserError, match="every number must be finite") as caught:
        run_array(mapped, x)
    assert f"at index {place}" in str(caught.value)


def test_numbers_that_a_dtype_cannot_hold_are_refused_with_where_they_arise(mapped) -> None:
    x = np.ones(8)
    x[5] = 1e300
    assert np.isfinite(run_array(mapped, x)).all()
    with pytest.raises(UserError, match=r"the input has inf at index 5 in float32, .* 3\.4e\+38"):
        run_array(mapped, x, "float32")
    x[5], x[4] = 1.0, 3e38  # twice that is in the output
    assert np.isfinite(run_array(mapped, x)).all()
    with pytest.raises(UserError, match="the output has inf at index 5 in float32"):
        run_array(mapped, x, "float32")
