"""The options that a person gave, told from defaults."""

from __future__ import annotations

import typer


def options_given(context: typer.Context) -> list[str]:
    """The options on the command line by their first names, such as ``--length``."""
    given = []
    for parameter in context.command.params:
        source = context.get_parameter_source(parameter.name or "")
        if parameter.param_type_name == "option" and source and source.name == "COMMANDLINE":
            given.append(parameter.opts[0])
    return given
