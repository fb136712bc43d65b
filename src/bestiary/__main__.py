"""`python -m bestiary` and the installed script are the `bestiary` command."""

import sys


def run() -> None:
    """End the process with the exit code of the command line."""
    try:
        # Here, since Ctrl-C while it loads is no different from Ctrl-C a second later.
        from bestiary.cli.main import main

        code = main()
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    run()
