"""The `bestiary` command: one sub-command a file, and one place where mistakes become sentences.

Exit codes: 0 done, 1 the answer is no, 2 the question was wrong, 70 a fault of Bestiary itself,
130 interrupted, 141 the reader of a pipe has gone, 143 terminated.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
import traceback
from collections.abc import Sequence

import typer

from bestiary import __version__
from bestiary.cli.bounds import bounds
from bestiary.cli.check import check
from bestiary.cli.compare import compare
from bestiary.cli.compile import compile_
from bestiary.cli.data import app as data
from bestiary.cli.explain import explain
from bestiary.cli.frontier import frontier
from bestiary.cli.inspect import inspect
from bestiary.cli.library import library
from bestiary.cli.mixers import mixers
from bestiary.cli.recall import recall
from bestiary.cli.report import report
from bestiary.cli.resume import resume
from bestiary.cli.run import run_
from bestiary.cli.runs import runs
from bestiary.cli.show import show
from bestiary.cli.solvers import solvers
from bestiary.cli.tasks import tasks
from bestiary.cli.tune import tune
from bestiary.cli.verify import verify
from bestiary.errors import UserError
from bestiary.termination import Terminated, exit_code, sigterm_raises

KEEPING = ("recall", "tune", "resume")
"""Commands of which the finished runs stay where they are stopped."""

# Typer may carry a click of its own, so the base of its usage errors is found, not imported.
UsageMistake = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

app = typer.Typer(
    name="bestiary",
    help="Measure what sequence mixers can recall.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (recall, tune, resume, runs, show, compare, report, check, mixers, tasks, solvers):
    app.command()(command)
app.add_typer(data, name="data")
app.command("compile")(compile_)
app.command()(inspect)
app.command()(verify)
app.command("run")(run_)
app.command()(bounds)
app.command()(library)
app.command()(frontier)
app.command()(explain)


def tell_whole_summaries(group: object) -> None:
    """Let lists of commands say all of what each does, which Typer cuts at the end of a line."""
    for command in getattr(group, "commands", {}).values():
        command.short_help = " ".join((command.help or "").partition("\n\n")[0].split())
        tell_whole_summaries(command)


def print_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        typer.echo(f"bestiary {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    version: bool = typer.Option(
        False, "--version", callback=print_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Measure what sequence mixers can recall."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def sentence(error: BaseException) -> str:
    """What a person is told of ``error``, in one line."""
    if isinstance(error, UsageMistake):
        said = " ".join(str(getattr(error, "format_message", error.__str__)()).split())
        besides = re.fullmatch(r"Got unexpected extra argument\(s\) \((.*)\)", said)
        if besides is None:
            return said
        command = getattr(getattr(error, "ctx", None), "command_path", "bestiary")
        return f"{besides[1]!r} is more than {command} takes ({command} --help shows what it takes)"
    if isinstance(error, OSError) and error.errno is not None:
        what = error.strerror or errno.errorcode.get(error.errno, "error")
        return f"{error.filename}: {what}" if error.filename else what
    if isinstance(error, UserError):
        return " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return "out of memory; take a smaller model, fewer examples or fewer runs"
    kind = type(error).__name__
    return f"{kind}: {' '.join(str(error).split())} (an error of Bestiary's; --debug shows where)"


def value_given(error: BaseException, given: Sequence[str]) -> str:
    """``" (given: 'many')"`` for a value of the wrong type, which Typer does not always repeat."""
    names = getattr(getattr(error, "param", None), "opts", ())
    for place, word in enumerate(given):
        name, equals, value = word.partition("=")
        if name in names and (equals or place + 1 < len(given)):
            return f" (given: {(value if equals else given[place + 1])!r})"
    return ""


def print_what_can_be_printed() -> None:
    """Let a character that the terminal's encoding lacks become ``?``, not the end of a command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def say(text: str) -> None:
    """One line on stderr; a stderr that cannot be written does not change the exit code."""
    with contextlib.suppress(OSError):
        typer.echo(f"bestiary: {text}", err=True)


def stopped(stop: BaseException, given: Sequence[str]) -> str:
    """What a person is told who stopped a command, or whose command was terminated."""
    what = "terminated" if isinstance(stop, Terminated) else "interrupted"
    command = next((word for word in given if not word.startswith("-")), "")
    return str(stop) or what + ("; what was finished is kept" if command in KEEPING else "")


def leave_pipe() -> None:
    """Let what is still to be written vanish: the reader (`| head`) has gone.

    Python would complain once more when it flushes at its exit.
    """
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            os.dup2(nowhere, stream.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code; never raises for a user's mistake."""
    print_what_can_be_printed()
    given = list(sys.argv[1:] if arguments is None else arguments)
    # Accepted at any place of the line: a person adds it at the end after seeing an error.
    debug = "--debug" in given
    given = [argument for argument in given if argument != "--debug"]
    try:
        # Not Typer's own main, which turns an interrupt into a silent exit.
        entry = typer.main.get_command(app)
        tell_whole_summaries(entry)
        with sigterm_raises(), entry.make_context("bestiary", given) as context:
            code = entry.invoke(context)
    except typer.Exit as leaving:
        return leaving.exit_code
    except (KeyboardInterrupt, typer.Abort) as stop:
        say(stopped(stop, given))
        return exit_code(stop) if isinstance(stop, KeyboardInterrupt) else 130
    except BrokenPipeError:
        leave_pipe()
        return 141
    except Exception as error:
        if debug:
            traceback.print_exc()
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(str(error))
            return 2
        say(f"{sentence(error)}{value_given(error, given)}")
        mistakes = (UsageMistake, UserError, OSError, MemoryError)
        return 2 if isinstance(error, mistakes) else 70
    # A command's answer is its exit code; most have none.
    return code if isinstance(code, int) else 0


def run() -> None:
    """Run the command line and end the process with its exit code."""
    raise SystemExit(main())
