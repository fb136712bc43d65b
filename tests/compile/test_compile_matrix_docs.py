"""docs/compile-matrix.md is run, block after block, and prints what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "compile-matrix.md").read_text("utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)


def test_the_python_of_the_page_runs_and_prints_what_it_says() -> None:
    code = "\n".join(["import torch", "torch.set_num_threads(1)", *blocks("python")])
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    text, arrays = ([*block.splitlines()] for block in blocks("text"))
    size, same, *rest = done.stdout.splitlines()
    table, direct = rest[: len(text)], rest[len(text)]
    assert f"prints `{size}` and `{same}`" in PAGE
    assert same == "True"
    assert table == text
    assert f"prints `{direct}`" in PAGE
    assert rest[len(text) + 1 :] == arrays
