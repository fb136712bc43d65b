"""`bestiary data`: look at a task's examples, measure them, write them to a file.

A file has the command of one task; ``options`` and ``showing`` are what they share.
"""

from __future__ import annotations

import typer

from bestiary.cli.data.associative_recall import associative_recall
from bestiary.cli.data.induction import induction
from bestiary.cli.data.mqar import mqar
from bestiary.cli.data.selective_copy import selective_copy

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def data() -> None:
    """Look at a task's examples, measure them, write them to a file."""


for command in (mqar, associative_recall, induction, selective_copy):
    app.command()(command)
