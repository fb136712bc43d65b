import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from bestiary.cli.main import main
from bestiary.mixers import MIXERS

OWN = """
    import torch
    from torch import nn


    class Echo(nn.Module):
        def __init__(self, d_model, delay=1):
            super().__init__()
            self.delay = delay
            self.linear = nn.Linear(d_model, d_model)

        def forward(self, x):
            late = nn.functional.pad(x, (0, 0, self.delay, 0))[:, : x.shape[1]]
            return self.linear(x) * late

        def state_size(self, length):
            return self.linear.in_features * min(length, self.delay)


    class Prophet(Echo):
        def forward(self, x):
            return self.linear(x) + x.roll(-1, dims=1)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of the user's own in the current directory, under a name of this test's own."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(textwrap.dedent(OWN))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def run(*arguments: str) -> int:
    return main([*arguments])


def test_an_own_mixer_that_conforms_ends_with_zero(
    own: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", f"{own}:Echo", "--set", "delay=2", "--max-length", "20") == 0
    out = capsys.readouterr().out
    assert f"{own}:Echo (delay=2) conforms: d_model 16, lengths 1 to 20" in out


def test_a_leaky_mixer_ends_with_one_and_says_where(
    own: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", f"{own}:Prophet", "--max-length", "20") == 1
    captured = capsys.readouterr()
    assert "FAILED" in captured.out and "does not conform" in captured.out
    assert "Traceback" not in captured.out + captured.err


def test_json_has_every_result(own: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", f"{own}:Prophet", "--max-length", "20", "--json") == 1
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert report["ok"] is False
    status = {result["name"]: result["status"] for result in report["results"]}
    assert status["causality"] == "failed" and status["shape"] == "passed"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "hyenna"], "unknown mixer 'hyenna'; did you mean 'hyena'?"),
        (["check", "attention", "--set", "haeds=2"], "did you mean 'heads'?"),
        (["check", "attention", "--set", "heads"], "heads"),
        (["check", "attention", "--set", "heads=two"], "heads"),
        (["check", "attention", "--d-model", "0"], "d_model is 0"),
        (["check", "nowhere.at.all:Mixer"], "cannot import module 'nowhere.at.all'"),
        (["mixers", "--length", "0"], "--length 0"),
    ],
)
def test_a_wrong_question_ends_with_two_and_one_sentence(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert captured.out == ""


def test_mixers_lists_every_mixer_with_its_options_and_state(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("mixers", "--d-model", "32", "--length", "10", "--json") == 0
    entries = {entry["name"]: entry for entry in json.loads(capsys.readouterr().out)}
    assert set(entries) == set(MIXERS)
    assert entries["attention"]["state_size"] == 2 * 32 * 10
    assert entries["attention"]["options"]["heads"] == 1
    assert entries["attention"]["parameters"] == 4 * 32 * 32
    assert entries["attention"]["recurrent"] is True
    assert entries["short_conv"]["state_size"] == 2 * 32
    assert all(entry["about"] for entry in entries.values())


def test_mixers_prints_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("mixers") == 0
    out = capsys.readouterr().out
    assert all(name in out for name in MIXERS)
    assert "one layer at d_model 64 after 64 positions" in out
