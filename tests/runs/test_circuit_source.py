"""Circuits by name: of the library, in files, traced functions."""

from __future__ import annotations

import pytest

from bestiary.circuits.library import LIBRARY
from bestiary.errors import UserError
from bestiary.runs.circuit_source import SIZE, named_circuit


@pytest.fixture(autouse=True)
def inside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_circuit_of_the_library_has_its_size_and_says_whether_it_takes_bits():
    for name, bits in (("parity", True), ("horner", False)):
        named = named_circuit(name, 5)
        assert (named.n, named.bits, named.path) == (5, bits, None)
        assert named.title == f"{name}, n = 5"
        assert named_circuit(name).circuit.width_in == LIBRARY[name].make(SIZE).width_in


@pytest.mark.parametrize("name", ["and.bristol", "and.txt"])
def test_a_file_of_bristol_is_of_bits_whatever_its_ending(name, tmp_path):
    (tmp_path / name).write_text("1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n")
    named = named_circuit(name)
    assert named.bits
    assert (named.n, named.title) == (2, "and")
    (tmp_path / "and.circuit").write_text("input a b\nout = a * b\noutput out\n")
    assert not named_circuit("and.circuit").bits


def test_a_complex_circuit_is_compiled_as_that_of_its_parts():
    named = named_circuit("fft", 4)
    assert named.circuit.is_complex and not named.real.is_complex
    assert named.real.inputs[0].shape == (4, 2)
    assert named_circuit("horner", 2).real.width_in == named_circuit("horner", 2).circuit.width_in


def test_a_size_is_for_the_library_alone(tmp_path):
    (tmp_path / "c.circuit").write_text("input a\noutput a * a as out\n")
    said = (
        r"--n is 3, but c\.circuit is no circuit of the library \(accepted: --n of a circuit that"
    )
    with pytest.raises(UserError, match=said):
        named_circuit("c.circuit", 3)


def test_a_transform_is_told_how_it_is_compiled():
    for n, size in ((None, 64), (16, 16)):
        with pytest.raises(UserError, match=r"^dct is a transform, not a circuit; compile it with"):
            named_circuit("dct", n)
        with pytest.raises(UserError, match=f"bestiary compile dct --n {size}$"):
            named_circuit("dct", n)


@pytest.mark.parametrize("name", ["mine.py", "mine"])
def test_a_python_file_is_named_by_module_and_function(name, tmp_path):
    (tmp_path / "mine.py").write_text("import bestiary\n\n@bestiary.circuit\ndef f(x): return x\n")
    with pytest.raises(UserError, match=r"^mine\.py is a Python file, .* it traces: mine:f$"):
        named_circuit(name)
