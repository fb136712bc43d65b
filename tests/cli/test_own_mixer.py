"""What docs/own-mixer.md tells a user to do, done as a user would: in a folder, by command."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "own-mixer.md"
BESTIARY = [sys.executable, "-c", "from bestiary.cli.main import run; run()"]

CONFIG = """
name: own
task: {name: mqar, vocab_size: 20, segments: [{length: 16, pairs: 2}], train_examples: 64,
       validation_examples: 16, test_examples: 16}
model:
  d_model: 8
  n_layers: 2
  mixers:
    - {name: "mixers:Decay", half_life: 4.0}
    - attention
training: {epochs: 1, batch_size: 32}
seeds: [0]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder with the page's files in it."""
    files = re.findall(r'```python title="([^"]+)"\n(.*?)```', PAGE.read_text(), re.DOTALL)
    assert [name for name, _ in files] == ["mixers.py", "leaky.py"]
    for name, code in files:
        (tmp_path / name).write_text(code)
    (tmp_path / "own.yaml").write_text(CONFIG)
    return tmp_path


def bestiary(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*BESTIARY, *arguments], cwd=folder, capture_output=True, text=True, timeout=300
    )


def test_the_mixer_of_the_page_is_fifteen_lines_and_conforms(folder: Path) -> None:
    lines = [line for line in (folder / "mixers.py").read_text().splitlines() if line.strip()]
    assert len(lines) == 15
    done = bestiary(folder, "check", "mixers:Decay", "--set", "half_life=4")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_mixer_of_the_page_is_trained_from_a_config(folder: Path) -> None:
    done = bestiary(folder, "recall", "own.yaml", "--no-report", "--workers", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    (run,) = (folder / "results" / "own" / "runs").iterdir()
    assert (run / "results.parquet").exists()


def test_the_leaky_mixer_of_the_page_is_refused_before_training(folder: Path) -> None:
    done = bestiary(folder, "recall", "--preset", "quick", "--mixer", "leaky:Leaky", "--no-report")
    assert done.returncode == 2
    assert "cannot be used: the output at position 0 moves by" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (folder / "results" / "quick" / "runs").exists()
