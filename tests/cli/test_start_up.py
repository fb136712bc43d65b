"""What a command that only tells something does not wait for."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
import torch
import bestiary.compile, bestiary.mixers, bestiary.operators, bestiary.structured
from bestiary.cli.main import main
codes = [main(command.split()) for command in sys.argv[1:]]
bestiary.operators.conv(torch.ones(1, 4, 1), torch.ones(2, 1))
print(codes, [name for name in sys.modules if name.startswith("torch._dynamo")])
"""


def test_lists_and_layers_run_without_the_compiler_of_torch():
    # It takes as long to load as all the rest.
    commands = ["--help", "mixers", "tasks", "compile --list"]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *commands],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[0, 0, 0, 0] []"
