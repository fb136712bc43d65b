from __future__ import annotations

import numpy as np
import pytest

from bestiary.compile import Program, compile_program, input_array
from bestiary.compile.array_run import run_array
from bestiary.compile.compiled_file import save_compiled
from bestiary.errors import UserError
from bestiary.mixers.stack_file import read_stack_file
from bestiary.runs.circuit_compilation import CircuitHow, of_circuit
from bestiary.runs.circuit_source import named_circuit
from bestiary.runs.compilation import How, of_transform
from bestiary.runs.explained_file import explained_file


def square(tmp_path):
    u = input_array("u", 2)
    path = tmp_path / "square.safetensors"
    save_compiled(path, compile_program(Program((u,), u * u, rows=4, name="square")))
    return path


def saved(tmp_path, work):
    path = tmp_path / "c.safetensors"
    save_compiled(path, work.compiled, {"origin": work.origin.to_dict()})
    return path


def circuit(tmp_path, name, n, **how):
    return saved(tmp_path, of_circuit(named_circuit(name, n), CircuitHow(**how)))


def read(path, array, example=0):
    given = path.parent / "x.npy"
    np.save(given, array)
    return explained_file(path, given, example=example)


def test_a_file_is_given_an_array_or_random_numbers_of_a_seed(tmp_path):
    path = square(tmp_path)
    np.testing.assert_array_equal(read(path, np.arange(8)).inputs, np.arange(8).reshape(4, 2))
    found = explained_file(path, None, 7)
    np.testing.assert_array_equal(found.inputs, np.random.default_rng(7).standard_normal((4, 2)))
    assert found.about == "Input: 4 × 2 normal random numbers of seed 7."


def test_a_causal_stack_is_given_fewer_rows_which_zeros_follow(tmp_path):
    found = read(square(tmp_path), np.ones((3, 2)))
    np.testing.assert_array_equal(found.inputs, [[1, 1], [1, 1], [1, 1], [0, 0]])
    assert found.about == "Input: x.npy, 3 rows and then rows of zeros."


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((2, 4)), r"shape \(2, 4\) was given; the stack takes 4 rows of 2 channels"),
        (np.zeros(7), r"shape \(7,\) was given"),
        (np.full((4, 2), np.inf), r"the input has inf at index \(0, 0\); every number must be fin"),
        (np.array(["a"]), "an array of <U1 was given; numbers are needed"),
    ],
)
def test_an_array_that_does_not_fit_is_one_sentence(tmp_path, array, said):
    with pytest.raises(UserError, match=said):
        read(square(tmp_path), array)


@pytest.mark.parametrize("shape", [(9,), (3, 3), (2, 9), (2, 3, 3)])
def test_what_a_narrow_circuit_runs_on_is_what_is_followed_and_zeros_fill_its_last_row(
    tmp_path, shape
):
    path = circuit(tmp_path, "determinant", 3, layout="narrow", d=2)
    array = np.arange(np.prod(shape), dtype=float).reshape(shape)
    array[..., 0] += 1
    last = 1 if array.size > 9 else 0
    found = read(path, array, last)
    expected = [*array.reshape(-1, 9)[last], 0]
    np.testing.assert_array_equal(found.inputs, np.reshape(expected, (5, 2)))
    assert found.about == ("Input: example 1 of x.npy." if last else "Input: x.npy.")
    # The array is one that `run` takes.
    assert run_array(read_stack_file(path), array).size == 1 + last
    np.testing.assert_array_equal(explained_file(path, None).inputs[4, 1], 0)


def test_a_narrow_circuit_has_the_names_of_its_numbers_row_by_row(tmp_path):
    found = explained_file(circuit(tmp_path, "determinant", 2, layout="narrow", d=2), None)
    assert found.input_names == (("a[0,0]", "a[0,1]"), ("a[1,0]", "a[1,1]"))
    assert found.output_names == (("out", ""),)
    assert found.about == "Input: 4 normal random numbers of seed 0."


def test_complex_numbers_are_pairs_or_two_inputs_where_the_matrix_is_real(tmp_path):
    array = np.arange(4) + 1j * np.arange(4, 8)
    pairs = read(saved(tmp_path, of_transform("dft", 4, 1, How())), array)
    np.testing.assert_array_equal(pairs.inputs, np.stack([array.real, array.imag], axis=1))
    path = saved(tmp_path, of_transform("dct", 4, 1, How()))
    real, imaginary = read(path, array), read(path, array, 1)
    np.testing.assert_array_equal(real.inputs[:, 0], array.real)
    np.testing.assert_array_equal(imaginary.inputs[:, 0], array.imag)
    assert real.about == "Input: x.npy, its real part; the imaginary part is --example 1."
    assert imaginary.about == "Input: x.npy, its imaginary part."
    second = read(path, np.stack([array, 2 * array]), 3)
    np.testing.assert_array_equal(second.inputs[:, 0], 2 * array.imag)
    assert second.about == "Input: example 1 of x.npy, its imaginary part."


def test_a_circuit_of_bits_is_given_random_bits(tmp_path):
    path = circuit(tmp_path, "parity", 8)
    drawn = np.concatenate([explained_file(path, None, seed).inputs for seed in range(4)])
    assert drawn.shape == (4, 8) and set(drawn.ravel()) == {0, 1}
    assert explained_file(path, None, 5).about == "Input: 8 random bits of seed 5."
    many = circuit(tmp_path, "parity", 8, rows=3)
    assert explained_file(many, None).inputs.shape == (3, 8)
    assert explained_file(many, None).about == "Input: 3 × 8 random bits of seed 0."


def test_an_example_that_is_not_there_is_told(tmp_path):
    path = square(tmp_path)
    with pytest.raises(UserError, match=r"no example 2 in .*x\.npy; it holds examples 0 to 1"):
        read(path, np.ones((2, 8)), 2)
    with pytest.raises(UserError, match=r"no example 1 in .*x\.npy; it holds one, example 0"):
        read(path, np.ones(8), 1)
