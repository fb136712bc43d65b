"""docs/training.md is run, block after block, and holds what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "training.md"


@pytest.mark.slow
def test_the_python_of_the_page_runs_and_prints_what_it_says():
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5
    # A process of its own: the last block changes how the process allocates.
    done = subprocess.run(
        [sys.executable, "-c", "import torch\ntorch.set_num_threads(1)\n" + "\n".join(blocks)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    first, second, *gaps = done.stdout.splitlines()
    assert re.fullmatch(
        r"finished \d+ of 378 - validation accuracy reached (0\.9[7-9]\d*|1\.0000)", first
    )
    assert re.fullmatch(r"(0\.9\d\d|1\.000) right, (0\.[89]\d\d|1\.000) all-correct", second)
    assert gaps
    assert all(re.fullmatch(r"gap \d+-\d+: [01]\.\d{3} of \d+", line) for line in gaps)
