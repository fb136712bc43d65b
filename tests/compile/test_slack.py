from __future__ import annotations

from random_programs import by_numpy, random_program

from bestiary.compile import Program, compile_program, constant_array, input_array, linear
from bestiary.compile.allocate import allocate
from bestiary.compile.cell import Cell
from bestiary.compile.retime import retime
from bestiary.compile.schedule import schedule
from bestiary.compile.simplify import simplify
from bestiary.compile.slack import later, most_wires


def test_a_constant_that_is_read_at_the_end_is_made_at_the_end() -> None:
    u = input_array("u", 1)
    chain = u
    for _ in range(4):
        chain = chain * chain
    both = Program((u,), linear(chain, [[1, 0]]) + constant_array([0, 5], 2), rows=1)
    made = compile_program(both)
    assert [c.layer for c in made.stages["schedule"] if isinstance(c, Cell) and not c.operands] == [
        len(made.stack.layers)
    ]
    assert made.stack.width == 2


def test_the_wires_counted_are_the_channels_allocated() -> None:
    for i in range(60):
        program = schedule(retime(simplify(random_program(by_numpy([3, i])))))
        cells = [value for value in allocate(program) if isinstance(value, Cell)]
        channels = max([program.width, *(1 + (cell.channel or 0) for cell in cells)])
        assert most_wires(program) == channels


def test_cells_move_to_later_layers_only() -> None:
    for i in range(60):
        program = schedule(retime(simplify(random_program(by_numpy([4, i])))))
        moved = later(program)
        before = [v.layer or 0 for v in program if isinstance(v, Cell)]
        after = [v.layer or 0 for v in moved if isinstance(v, Cell)]
        assert max(after, default=0) == max(before, default=0)
        assert most_wires(moved) <= most_wires(program)
