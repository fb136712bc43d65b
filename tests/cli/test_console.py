"""How tables come out: nothing unseen at the end of lines, nothing lost on a narrow terminal."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.table import Table
from rich.text import Text

from bestiary.cli.console import Terminal


def printed(width: int, table: Table) -> list[str]:
    terminal = Terminal(file=io.StringIO(), width=width)
    terminal.show(table)
    return terminal.file.getvalue().splitlines()


def numbers(columns: int) -> Table:
    """A table of which no column folds, each six wide."""
    table = Table(*(f"head{c:02}" for c in range(columns)), box=None, pad_edge=False)
    table.add_row(*(f"{c:06}" for c in range(columns)))
    return table


def test_lines_end_where_their_text_does():
    table = Table("name", "text", box=None)
    table.add_row("a", "one")
    table.add_row("b", "much longer")
    assert printed(80, table) == [" name  text", " a     one", " b     much longer"]


@pytest.mark.parametrize("width", [10, 20, 80])
def test_no_number_is_cut_however_narrow_the_terminal(width):
    assert printed(width, numbers(12))[1].split() == [f"{c:06}" for c in range(12)]


def test_columns_that_fold_make_room_for_those_that_do_not():
    table = numbers(6)
    table.add_column("path", overflow="fold")
    table.columns[-1]._cells.append("x" * 200)
    lines = printed(70, table)
    assert max(map(len, lines)) <= 70
    assert "".join("".join(lines).split()).count("x") == 200


def told(text: str | Text, indent: int = 2, **options: Any) -> list[str]:
    terminal = Terminal(file=io.StringIO(), width=60, **options)
    terminal.tell(text, indent)
    return terminal.file.getvalue().splitlines()


def test_sentences_break_between_words_on_a_terminal_and_not_in_a_pipe(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    sentence = "  " + " ".join(["word"] * 20)
    assert told(sentence) == [sentence]
    first, *more = told(sentence, 4, force_terminal=True, no_color=True)
    assert (len(first), len(more)) == (56, 1)
    assert more[0] == "    " + " ".join(["word"] * 9)
    # Said to be so wide, and not a terminal.
    monkeypatch.setenv("COLUMNS", "60")
    assert told(sentence, 4) == [first, *more]


def test_words_that_are_too_long_stay_whole_and_lines_stay_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    path = "x" * 90
    assert told(f"file {path} of\nthree  words") == ["file", f"  {path}", "  of", "three  words"]


def test_the_style_of_a_word_does_not_reach_the_next_line(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    name = Text.assemble(("name", "bold"), " " + "word " * 15)
    first, second = told(name, force_terminal=True, color_system="standard")
    assert first.startswith("\x1b[1mname\x1b[0m word")
    assert second.startswith("  word") and "\x1b" not in second


def test_a_background_is_drawn_to_its_end():
    table = Table("a", box=None, pad_edge=False)
    table.add_row(Text("x  ", style="on red"))
    terminal = Terminal(file=io.StringIO(), width=80, force_terminal=True, color_system="standard")
    terminal.show(table)
    assert "x  " in terminal.file.getvalue()


def test_text_is_no_markup():
    table = Table("[/red] :smile:", box=None, pad_edge=False)
    table.add_row("[b]x[/b] [/]")
    assert printed(80, table) == ["[/red] :smile:", "[b]x[/b] [/]"]


def test_a_closed_pipe_is_left_to_whoever_runs_the_command():
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        Terminal(file=Closed()).print("text")
