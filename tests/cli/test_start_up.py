"""What a command that only tells something does not wait for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

SCRIPT = """
import sys
import torch
import bestiary.compile, bestiary.mixers, bestiary.operators, bestiary.structured
from bestiary.cli.main import main
codes = [main(command.split()) for command in sys.argv[1:]]
bestiary.operators.conv(torch.ones(1, 4, 1), torch.ones(2, 1))
print(codes, [name for name in sys.modules if name.startswith("torch._dynamo")])
"""

MISTAKES = """
import sys
from bestiary.cli.main import main
codes = [main(command.split()) for command in sys.argv[1:]]
print(codes, "torch" in sys.modules)
"""


def ran(
    script: str, commands: list[str], place: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """A script that is given commands, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", script, *commands],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        cwd=place,
    )


def test_lists_and_layers_run_without_the_compiler_of_torch():
    # It takes as long to load as all the rest.
    commands = ["--help", "mixers", "tasks", "compile --list"]
    done = ran(SCRIPT, commands)
    assert done.stdout.splitlines()[-1] == "[0, 0, 0, 0] []"


def test_names_options_and_files_that_are_wrong_are_told_before_torch_is_loaded(tmp_path):
    mistakes = {
        "frontier hornr": "did you mean 'horner'?",
        "frontier horner --n 0": "n is 0",
        "frontier horner --plot a.gif": "--plot is a.gif",
        "bounds --size many": "--size is 'many'",
        "library hornr": "did you mean 'horner'?",
        "solvers --task mqra": "did you mean 'mqar'?",
        "solvers --task mqar,seeds=3": "did you mean 'seed'?",
        "recall": "neither a config file nor --preset was given",
        "recall --preset quik": "did you mean 'quick'?",
        "tune --preset quik": "did you mean 'quick'?",
        "recall no.yaml": "there is no file 'no.yaml'",
        "recall --preset quick --model lookup": "did you mean 'compiled:lookup'?",
        "recall --preset quick --model compiled:lokup": "did you mean 'lookup'?",
        "recall --preset quick --seeds many": "--seeds is 'many'",
        "recall --preset quick --set model": "--set 'model' sets nothing",
        "inspect no-file": "path 'no-file' does not exist",
        "verify no-file": "path 'no-file' does not exist",
        "inspect .": ". cannot be read: it is a folder, not a BaseConv stack file",
        "verify counter.circuit": "`bestiary compile circuit counter.circuit -o counter.safe",
        "run no-file counter.circuit": "no-file cannot be read: No such file",
        "run x.npy f.safetensors": "the stack comes first: bestiary run f.safetensors x.npy",
        "run counter.circuit no-file": "path 'no-file' does not exist",
        "compile matrix no.npy": "there is no file no.npy",
        "compile matrix counter.circuit": "`bestiary compile circuit counter.circuit`",
        "compile x.npy": "the word matrix is missing before x.npy: `bestiary compile matrix x.npy`",
        "compile counter.circuit": "`bestiary compile circuit counter.circuit`",
        "compile mine:net --d 2": "the word circuit is missing before mine:net",
        "compile dct --n 8 --d 0": "--d is 0; 1 or more is needed",
        "compile circuit parity --channels 0": "--channels is 0; 1 or more is needed",
        "compile hyena . --layer -1": "--layer is -1; 0 or more is needed",
        "compile dct --n 8 -o no/dct.safetensors": "but there is no folder no",
        "explain no-file": "there is no file no-file",
        "explain compiled:all-pair": "did you mean 'all-pairs'?",
        "explain compiled:all-pairs --task mqra": "did you mean 'mqar'?",
        "explain compiled:all-pairs --split tst": "did you mean 'test'?",
        "explain compiled:all-pairs --example -1": "-1",
        "explain compiled:all-pairs --png a.gif": "--png is a.gif",
    }
    np.save(tmp_path / "x.npy", np.ones(2))
    (tmp_path / "f.safetensors").write_bytes((2).to_bytes(8, "little") + b"{}")
    (tmp_path / "counter.circuit").write_text("input x\noutput x\n")
    done = ran(MISTAKES, [*mistakes], tmp_path)
    assert done.stdout.splitlines()[-1] == f"{[2] * len(mistakes)} False"
    for told, words in zip(done.stderr.splitlines(), mistakes.values(), strict=True):
        assert words in told
