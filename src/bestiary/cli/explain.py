"""`bestiary explain`: one input on its way through the layers of a compiled stack."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from bestiary.cli.console import Terminal
from bestiary.cli.given import options_given
from bestiary.cli.table_form import PLOTS
from bestiary.cli.written import PAGE, check_written
from bestiary.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from bestiary.report.explain import Sheet
    from bestiary.runs.explained import Explained

LINES_SHOWN = 12
MOST_LAYERS = 100_000
"""Of a range of --layers; a picture has far fewer."""
OF_A_TASK = ("--task", "--split", "--query")


def explain(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="compiled:NAME|FILE", help="A solver, or a file that `bestiary compile` wrote."
        ),
    ],
    example: Annotated[
        int, typer.Option(min=0, help="Number of the example, from 0: of the task, or of --input.")
    ] = 0,
    task: Annotated[
        str | None,
        typer.Option(metavar="NAME,OPTION=VALUE", help="[mqar,vocab_size=16,length=16,pairs=4]"),
    ] = None,
    split: Annotated[str, typer.Option(help="train, validation or test.")] = "test",
    seed: Annotated[
        int | None, typer.Option(help="Of the task's data, or of a file's random input.")
    ] = None,
    query: Annotated[
        int, typer.Option(min=1, help="The question that is followed at first, from 1.")
    ] = 1,
    given: Annotated[
        Path | None,
        typer.Option(
            "--input", help="For a file: a .npy array, as `bestiary run` takes it [random]."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page [NAME-EXAMPLE.html].")
    ] = None,
    png: Annotated[
        Path | None, typer.Option(help="Also a picture for papers, .png or .svg.")
    ] = None,
    layers: Annotated[
        str | None,
        typer.Option(help="Layers of the picture, such as 1-4,9; 0 is the input [the first 12]."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show one input on its way through the layers: both sides of each, and where it matches.

    Example: bestiary explain compiled:all-pairs --example 3
    """
    if layers is not None and png is None:
        raise UserError(f"--layers is for the picture (accepted: --png FILE --layers {layers})")
    check_written(output, PAGE, file=source, input=given, picture=png)
    check_written(png, PLOTS, "--png", file=source, input=given)
    drawn = None if layers is None else _layers(layers)
    # A long example takes its time. A name such as [/x] is no markup.
    with Console(stderr=True).status(Text(f"building {source}")) as status:
        subject = _subject(source, options_given(context), task, split, example, seed, given)
        # Mistakes are told before these, which load torch.
        from bestiary.atomic import write_text
        from bestiary.report.explain import explain_page, explain_picture, sheet_of
        from bestiary.report.write import write_drawing

        if subject.queries and query > len(subject.queries):
            raise UserError(
                f"--query is {query}; example {example} has questions 1 to {len(subject.queries)}"
            )
        status.update("following the input through the layers")
        sheet = sheet_of(subject)
        page = output or Path(f"{_stem(source)}{f'-{example}' if subject.tokens else ''}.html")
        written = [page]
        status.update("drawing")
        if png is not None:
            write_drawing(png, str(explain_picture(sheet, query - 1, drawn)))
            written.append(png)
        write_text(page, explain_page(sheet, query - 1))
    if as_json:
        typer.echo(json.dumps(_plain(sheet, query - 1, written), indent=2, ensure_ascii=False))
        return
    console = Terminal()
    for line in _told(sheet, query - 1):
        console.tell(line)
    for path in written:
        typer.echo(f"written: {path}")


def _subject(
    source: str,
    options: list[str],
    task: str | None,
    split: str,
    example: int,
    seed: int | None,
    given: Path | None,
) -> Explained:
    from bestiary.runs.compiled_model import PREFIX, is_compiled, parse_compiled
    from bestiary.runs.named_task import read_task
    from bestiary.solvers.registry import SOLVERS, check_named
    from bestiary.tasks.protocol import as_split

    if is_compiled(source):
        if given is not None:
            raise UserError(
                f"--input is for a file; {source} is given an example of a task (accepted: --task, "
                "--example, --split, --seed)"
            )
        model, made, part = parse_compiled(source), read_task(task, seed), as_split(split)
        check_named(model.compiled)
        from bestiary.runs.explained import explained_example

        return explained_example(model, made, part, example)
    path = Path(source)
    if not path.is_file():
        hint = did_you_mean(source.partition(",")[0], SOLVERS, PREFIX)
        raise UserError(
            f"there is no file {source}{hint} (accepted: a file that `bestiary compile` wrote, or "
            "a solver such as compiled:all-pairs)"
        )
    wrong = [option for option in options if option in OF_A_TASK]
    if wrong:
        raise UserError(
            f"{wrong[0]} is for a solver such as compiled:all-pairs; {source} is a file, which is "
            "given an array (accepted: --input, --example of it, --seed)"
        )
    if given is None and "--example" in options:
        raise UserError(
            f"--example is {example}, but {source} is a file; the example is one of those in "
            "--input"
        )
    if given is not None and seed is not None:
        raise UserError("--input and --seed were given; an array in a file has no seed")
    from bestiary.runs.explained_file import explained_file

    return explained_file(path, given, seed or 0, example)


def _stem(source: str) -> str:
    from bestiary.runs.compiled_model import is_compiled, parse_compiled

    if is_compiled(source):
        return parse_compiled(source).compiled.rpartition(":")[2]
    return f"{Path(source).stem}-explained"


def _layers(text: str) -> list[int]:
    """``1-4,9`` as numbers."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UserError(f"--layers is {text!r}; give numbers and ranges such as 1-4,9")
        reached = range(int(first), int(last if dash else first) + 1)
        if not reached:
            raise UserError(f"--layers is {text!r}; a range goes upwards, such as {last}-{first}")
        # One of them is the first that is not there, and told as such.
        numbers += reached[:MOST_LAYERS]
    return numbers


def _told(sheet: Sheet, query: int) -> list[str]:
    """The question and a line a layer, of many layers the first ones."""
    from bestiary.report.explain.page import question_sentence

    subject = sheet.subject
    lines = []
    if subject.queries:
        asked = subject.queries[query]
        lines.append(question_sentence(asked, subject.tokens[asked.row]))
    told = [f"{step.title}: {step.sentence}" for step in sheet.steps]
    more = len(told) - LINES_SHOWN
    if more > 0:
        # What comes out is told of any.
        told[LINES_SHOWN - 1 : -1] = [f"… and {more + 1} more; the page has all of them"]
    lines += told
    if subject.compiled and not subject.tokens:
        meanings = subject.meanings.items()
        lines += [f"{word}: {said}" for word, said in meanings if any(word in one for one in told)]
    if sheet.caution:
        lines.append(sheet.caution)
    if sheet.left_out:
        lines.append(f"not on the page, to keep it small: {'; '.join(sheet.left_out)}")
    return lines


def _plain(sheet: Sheet, query: int, written: list[Path]) -> dict[str, Any]:
    from dataclasses import asdict

    from bestiary.report.explain.shown import lit

    subject = sheet.subject
    asked = subject.queries[query] if subject.queries else None
    return {
        "name": subject.name,
        "tokens": list(subject.tokens),
        "queries": [asdict(one) for one in subject.queries],
        "layers": [
            {
                "title": step.title,
                "sentence": step.sentence,
                "channels": sum(line.copies for line in step.lines),
                "lit": {} if asked is None else lit(step, asked, sheet.rows),
            }
            for step in sheet.steps
        ],
        "left_out": list(sheet.left_out),
        "written": [str(path) for path in written],
    }
