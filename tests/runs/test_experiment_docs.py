"""docs/experiments.md and docs/sweeps.md are run, in this order, on the config they give."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from bestiary.cli.main import main
from bestiary.runs.config import Experiment
from bestiary.runs.sweep import expand

PAGES = Path(__file__).parents[2] / "docs"
FENCES = [
    fence
    for page in ("experiments.md", "sweeps.md")
    for fence in re.findall(r"```(\w*)\n(.*?)```", (PAGES / page).read_text("utf-8"), re.DOTALL)
]
CONFIG = next(text for language, text in FENCES if language == "yaml")
COMMANDS = [
    line for language, text in FENCES if language == "console" for line in text.splitlines()
]


@pytest.mark.slow
def test_every_command_of_the_pages_works_and_so_does_their_python(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(CONFIG)
    assert len(COMMANDS) > 15
    for command in COMMANDS:
        assert command.startswith("bestiary ")
        words = shlex.split(command)[1:]
        if "RUN" in words:
            ids = sorted(path.name for path in Path("results/mine/runs").iterdir())
            words = [ids.pop() if word == "RUN" else word for word in words]
        # Rates of its own are another experiment than the one in the folder.
        if "tuning=mine.tuning.yaml" in words:
            words += ["--out", "results/tuned"]
        assert main(words) == 0, (command, capsys.readouterr().err)
    (code,) = [text for language, text in FENCES if language == "python"]
    names: dict[str, object] = {}
    exec(compile(code, "experiments.md", "exec"), names)
    assert len(names["runs"]) == 9


@pytest.mark.parametrize(
    "text", [text for language, text in FENCES if language == "yaml" and text != CONFIG]
)
def test_every_piece_of_yaml_on_the_pages_is_part_of_a_config(text):
    piece = yaml.safe_load(text)
    experiment = Experiment.read({**yaml.safe_load(CONFIG.replace("3e-3", "0.003")), **piece}, "x")
    assert expand(experiment)


def test_the_table_of_keys_has_every_key_of_a_config():
    text = (PAGES / "experiments.md").read_text("utf-8")
    for key in Experiment.model_fields:
        assert f"| `{key}` |" in text
