"""The frame of the command line: sentences, exit codes, and no traceback unless asked for."""

import io
import os
import signal
import sys
import types

import pytest
import typer

from bestiary import __main__ as script
from bestiary import __version__
from bestiary.cli import main as frame
from bestiary.errors import UserError
from bestiary.termination import Terminated


@pytest.fixture
def command_that(monkeypatch):
    """Make the command line a single command that raises what it is told to."""

    def make(error):
        app = typer.Typer()

        @app.command()
        def only() -> None:
            raise error

        monkeypatch.setattr(frame, "app", app)
        return frame.main([])

    return make


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help_is_printed_and_succeeds(arguments, capsys):
    assert frame.main(arguments) == 0
    assert "recall" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--help"], ["data", "--help"]])
def test_lists_of_commands_say_all_of_what_each_does(arguments, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert frame.main(arguments) == 0
    commands = capsys.readouterr().out.partition("Commands:\n")[2]
    assert commands and "..." not in commands and "…" not in commands
    assert max(map(len, commands.splitlines())) <= 80


def test_a_word_too_many_is_called_by_what_was_typed(capsys):
    assert frame.main(["solvers", "all-pairs", "sort"]) == 2
    assert capsys.readouterr().err == (
        "bestiary: 'all-pairs sort' is more than bestiary solvers takes "
        "(bestiary solvers --help shows what it takes)\n"
    )


def test_the_version_is_the_package_s(capsys):
    assert frame.main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"bestiary {__version__}"


def test_a_misspelt_command_is_one_sentence_with_the_right_word(capsys):
    assert frame.main(["recal"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "recall" in said


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (UserError("width is 0;\n it must be 1"), 2, "bestiary: width is 0; it must be 1"),
        (PermissionError(13, "Permission denied", "out"), 2, "bestiary: out: Permission denied"),
        (OSError(28, "No space left on device"), 2, "bestiary: No space left on device"),
        (KeyboardInterrupt(), 130, "bestiary: interrupted"),
        (Terminated(), 143, "bestiary: terminated"),
        (BrokenPipeError(32, "Broken pipe"), 141, ""),
        (typer.Exit(1), 1, ""),
    ],
)
def test_an_error_is_one_sentence_and_an_exit_code(command_that, capsys, error, code, sentence):
    assert command_that(error) == code
    assert capsys.readouterr().err.strip() == sentence


def test_a_fault_of_our_own_is_called_one_and_has_its_own_exit_code(command_that, capsys):
    assert command_that(ZeroDivisionError("division by zero")) == 70
    said = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in said
    assert "Traceback" not in said


def test_debug_shows_the_traceback_wherever_it_stands(capsys):
    assert frame.main(["runs", "not-a-folder", "--debug"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_running_out_of_memory_is_one_sentence(monkeypatch, capsys):
    def greedy(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("bestiary.runs.request.read_experiment", greedy)
    assert frame.main(["recall", "any.yaml"]) == 2
    assert capsys.readouterr().err.startswith("bestiary: out of memory; take a smaller model")


def test_an_encoding_without_a_character_shows_a_question_mark_in_its_place(monkeypatch):
    printed = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(printed, encoding="ascii"))
    monkeypatch.setattr("bestiary.cli.main.app", typer.Typer())
    frame.app.command()(lambda: print("3 … runs"))
    assert frame.main([]) == 0
    frame.sys.stdout.flush()
    assert printed.getvalue() == b"3 ? runs\n"


def test_sigterm_ends_any_command_with_one_sentence(monkeypatch, capsys):
    monkeypatch.setattr("bestiary.cli.main.app", typer.Typer())
    frame.app.command()(lambda: os.kill(os.getpid(), signal.SIGTERM))
    assert frame.main([]) == 143
    assert capsys.readouterr().err == "bestiary: terminated\n"


@pytest.mark.parametrize(
    ("command", "kept"), [("recall", True), ("tune", True), ("resume", True), ("library", False)]
)
def test_an_interrupt_says_that_something_is_kept_of_commands_that_keep_something(
    command, kept, monkeypatch, capsys
):
    def stopped() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bestiary.cli.main.app", typer.Typer())
    frame.app.command(command)(stopped)
    frame.app.command("other")(stopped)
    assert frame.main(["--debug", command]) == 130
    told = (
        "bestiary: interrupted; what was finished is kept\n" if kept else "bestiary: interrupted\n"
    )
    assert capsys.readouterr().err == told


def test_ctrl_c_while_the_command_line_loads_is_no_traceback(monkeypatch):
    class Slow(types.ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "bestiary.cli.main", Slow("bestiary.cli.main"))
    with pytest.raises(SystemExit) as ended:
        script.run()
    assert ended.value.code == 130


def test_an_error_that_cannot_be_printed_keeps_its_exit_code(command_that, monkeypatch):
    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("typer.echo", full)
    assert command_that(UserError("width is 0")) == 2
