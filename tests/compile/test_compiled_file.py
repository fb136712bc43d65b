import numpy as np
import pytest
import torch

from bestiary.compile import Program, compile_program, conv, input_array, interpret, linear
from bestiary.compile.compiled_file import compiled_of, load_compiled, save_compiled
from bestiary.errors import UserError
from bestiary.mixers.stack_file import load_stack, read_stack_file


@pytest.fixture
def compiled():
    u = input_array("u", 2)
    late = conv({1: 1, -1: 2}, u, name="both sides")
    return compile_program(Program((u,), linear(late, np.eye(2)) * u, rows=4, name="small"))


def test_a_compiled_program_comes_back_with_its_stack_and_its_names(tmp_path, compiled):
    save_compiled(tmp_path / "a", compiled, {"member": "small"})
    again = load_compiled(tmp_path / "a")
    assert str(again.source) == str(compiled.source)
    assert str(again.placed) == str(compiled.placed)
    x = np.arange(8.0).reshape(1, 4, 2)
    with torch.no_grad():
        found = again.stack(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(found, interpret(compiled.source, x), atol=1e-12)
    file = read_stack_file(tmp_path / "a")
    assert [c.name for c in file.names[0]] == ["u.0", "u.1"]
    assert len(file.names) == len(compiled.stack.layers) + 1
    assert {(c.name, c.delay) for c in file.names[1]} >= {("both sides.0", 1), ("both sides.1", 1)}
    assert (file.rows, file.inputs, file.about) == (4, 2, {"member": "small"})


def test_a_stack_alone_runs_but_has_no_program(tmp_path, compiled):
    save_compiled(tmp_path / "a", compiled, programs=False)
    assert len(load_stack(tmp_path / "a").layers) == len(compiled.stack.layers)
    with pytest.raises(UserError, match="without its program"):
        load_compiled(tmp_path / "a")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda cell: cell.update(layer=None), "in layer None and channel"),
        (lambda cell: cell.update(layer=99), "in layer 99 and channel"),
        (lambda cell: cell.update(channel=-1), "and channel -1 of a stack of"),
        (lambda cell: cell.update(name=3), "is called 3; a name is text"),
        (lambda cell: cell["taps"]["powers"].update(shape=[]), "a filter of a program has powers"),
    ],
)
def test_a_program_that_does_not_fit_its_stack_is_refused(tmp_path, compiled, damage, said):
    save_compiled(tmp_path / "a", compiled)
    file = read_stack_file(tmp_path / "a")
    values = file.documents["placed"].header["values"]
    damage(next(value for value in values if value.get("taps")))
    with pytest.raises(UserError, match=said):
        compiled_of(file)
