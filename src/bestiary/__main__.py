"""`python -m bestiary` is the `bestiary` command."""

from bestiary.cli.main import run

run()
