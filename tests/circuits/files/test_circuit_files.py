"""Files of circuits by name: the ending or the text says what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestiary.circuits import Circuit, circuit, read_circuit, write_circuit
from bestiary.circuits.files.reading import READERS
from bestiary.errors import UserError


@circuit(x=2)
def f(x, y):
    return {"sum": x * y + 1, "product": x[0] * x[1] / 3}


TEXTS = {
    "json": '{"format": "bestiary circuit", "version": 1, "name": "t", "inputs": [["x", [2]]],'
    '"outputs": [["y", []]], "constants": [], "gates": [["input", 0], ["input", 1],'
    '["multiply", 0, 1]], "results": [2], "names": {}}',
    "circuit": "# a product\ninput x[2]\noutput x[0] * x[1] as y\n",
    "bristol": "1 3\r\n1 2\r\n1 1\r\n\r\n2 1 0 1 2 AND\r\n",
    "arith": "# a product\ntotal 3\ninput 0\ninput 1\nmul in 2 <0 1> out 1 <2>\noutput 2\n",
}


@pytest.mark.parametrize("ending", [".circuit", ".json", ".txt", "", ".JSON"])
def test_a_written_file_is_read_again(tmp_path, ending):
    path = tmp_path / f"f{ending}"
    write_circuit(path, f)
    again = read_circuit(str(path))
    assert again.name == "f"
    assert (again.inputs, again.outputs) == (f.inputs, f.outputs)
    found, expected = again([2, 3], 5), f([2, 3], 5)
    assert found["product"] == expected["product"]
    np.testing.assert_array_equal(found["sum"], expected["sum"])
    assert path.read_text().startswith("{" if ending.lower() == ".json" else "circuit f\n")


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_every_format_is_told_by_ending_and_by_text(tmp_path, kind, named, start):
    path = tmp_path / f"product.{kind if named else 'txt'}"
    path.write_text(start + TEXTS[kind], encoding="utf-8")
    made = read_circuit(path)
    assert made([6, 7]) == 42
    assert made.name == ("t" if kind == "json" else "product")


@pytest.mark.parametrize("kind", TEXTS)
def test_a_file_of_another_kind_than_its_ending_is_refused_by_name(tmp_path, kind):
    other = {"json": "circuit", "circuit": "json", "bristol": "arith", "arith": "bristol"}[kind]
    path = tmp_path / f"f.{other}"
    path.write_text(TEXTS[kind])
    with pytest.raises(UserError) as error:
        read_circuit(path)
    assert str(error.value).startswith(f"{path}, line ")


def test_files_that_cannot_be_read_or_written_are_named(tmp_path):
    with pytest.raises(UserError, match=r"^there is no file .*nothing\.json$"):
        read_circuit(tmp_path / "nothing.json")
    with pytest.raises(UserError, match=r"^.* cannot be read: Is a directory$"):
        read_circuit(tmp_path)
    (tmp_path / "binary").write_bytes(b"\x00\x01\xff\xfe")
    with pytest.raises(UserError, match=r"^.*binary is no text: byte 2 is not UTF-8$"):
        read_circuit(tmp_path / "binary")
    (tmp_path / "empty").write_text("")
    with pytest.raises(UserError, match=r"^.*empty has no outputs, or is cut off; add a line"):
        read_circuit(tmp_path / "empty")
    with pytest.raises(UserError, match=r"circuits are written as .circuit or .json$"):
        write_circuit(tmp_path / "f.arith", f)
    with pytest.raises(UserError, match=r"cannot be written: it is there and is no ordinary file$"):
        write_circuit(tmp_path, f)
    with pytest.raises(UserError, match=r"cannot be written: No such file or directory$"):
        write_circuit(tmp_path / "no" / "f.json", f)


PYTHON = """
import bestiary
from bestiary import circuit as trace, circuit
raise SystemExit("this file is never run")
PATTERN = "\\d"

@bestiary.circuit(x=2)
def product(x):
    return x[0] * x[1]

@circuit
def square(x):
    return x * x

def helper(x):
    return x

half = bestiary.circuit(x=3)(helper)
"""


def test_a_python_file_is_refused_with_the_names_of_what_it_traces(tmp_path, monkeypatch, recwarn):
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for path, module in (("mine.py", "mine"), ("sub/mine.py", "sub.mine")):
        Path(path).write_text(PYTHON)
        with pytest.raises(UserError) as error:
            read_circuit(path)
        assert str(error.value) == (
            f"{path} is a Python file, not a circuit; name a function that it traces: "
            f"{module}:product or {module}:square or {module}:half"
        )
    assert not recwarn.list
    monkeypatch.chdir(tmp_path / "sub")
    with pytest.raises(UserError, match=rf"mine:half, from the folder {tmp_path}$"):
        read_circuit("../mine.py")


@pytest.mark.parametrize("text", ["x = 1\n", "def broken(:\n", "\0", "", "(" * 5000])
def test_a_python_file_that_traces_nothing_is_refused_with_how_it_would(
    tmp_path, monkeypatch, text
):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(text)
    Path("my file.py").write_text(text)
    with pytest.raises(UserError, match=r"traces with @bestiary\.circuit as mine:FUNCTION$"):
        read_circuit("mine.py")
    with pytest.raises(UserError, match=r"give it a name of letters, digits and _, and name a f"):
        read_circuit("my file.py")
    with pytest.raises(UserError, match=r"^there is no file nothing\.py$"):
        read_circuit("nothing.py")
    with pytest.raises(UserError, match=r"circuits are written as .circuit or .json$"):
        write_circuit("f.py", f)


@pytest.mark.parametrize("kind", TEXTS)
@given(data=st.data())
def test_whatever_is_changed_in_a_file_gives_a_circuit_or_one_sentence(kind, data):
    text = TEXTS[kind]
    pieces = [
        *'()[]{}<>,=+-*/^.#"\\ \n\t0123456789ejx_',
        "999999999999999999999",
        "**",
        "as",
        "\0",
        "²",
    ]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 3, len(text))))
        text = text[:start] + data.draw(st.sampled_from(["", *pieces])) + text[end:]
    try:
        made = READERS[kind](text, "f", "f")
    except UserError as error:
        assert "\n" not in str(error)
        assert str(error).startswith(("f ", "f, line ", "the circuit "))
    else:
        assert isinstance(made, Circuit)
