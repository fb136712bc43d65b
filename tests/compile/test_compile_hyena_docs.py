"""docs/compile-hyena.md is run, block after block, and prints what it says; its study starts."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "compile-hyena.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, timeout=300, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_of_the_page_runs_and_prints_what_it_says():
    code = blocks("python")
    assert len(code) == 5
    printed = run("-c", "import torch\ntorch.set_num_threads(1)\n" + "\n".join(code))
    first, second, *rest = printed.splitlines()
    assert f"prints `{first}` and `{second}`" in PAGE
    assert second == "True"
    cells, model, _ = blocks("text")
    for line in cells.splitlines():
        assert line in rest
    assert "1 layer" in rest
    assert "3 operators of width 16" in rest
    for line in model.splitlines():
        start = line.partition("…")[0]
        assert any(found.startswith(start) for found in rest)


@pytest.mark.slow
def test_the_study_of_the_page_trains_compiles_and_scores():
    (command,) = blocks("console")
    study = command.split()[-1]
    small = "--length 8 --pairs 1 --vocab-size 8 --d-model 4 --examples 128 --epochs 1"
    lines = run(study, *small.split()).splitlines()
    assert lines[0].startswith("trained: finished, 2 updates")
    scores = dict(line.split(": ") for line in lines[lines.index("on the test examples:") + 1 :])
    assert len(scores) == 4
    assert scores["Hyena, float64"] == scores["BaseConv, float64"]
    shown = blocks("text")[-1].splitlines()
    assert [line.split(": ")[0] for line in shown if "right" in line] == list(scores)
