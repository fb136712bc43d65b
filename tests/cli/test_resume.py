from __future__ import annotations

import subprocess
import sys

import pytest
from small_recall import write_config

from bestiary.cli.main import main
from bestiary.runs.store import collect


@pytest.mark.slow
def test_resume_trains_what_is_left_of_an_experiment(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    write_config(tmp_path)
    assert main(["recall", "tiny.yaml", "--only", "0", "--no-report"]) == 0
    assert collect("results/tiny")["label"].to_list() == ["attention"]
    assert main(["resume", "results/tiny", "--no-report", "--workers", "1"]) == 0
    assert sorted(collect("results/tiny")["label"]) == ["attention", "short_conv"]
    assert set(collect("results/tiny")["status"]) == {"finished"}
    assert "1 of 2 runs are done already" in capsys.readouterr().err


def test_a_folder_that_is_no_experiment_is_one_sentence(tmp_path, capsys):
    assert main(["resume", str(tmp_path / "none")]) == 2
    assert "is no folder" in capsys.readouterr().err
    assert main(["resume", str(tmp_path)]) == 2
    assert "has no experiment.yaml, so there is nothing to resume" in capsys.readouterr().err


def test_a_missing_folder_is_told_before_torch_is_loaded(tmp_path):
    code = (
        "import sys; from bestiary.cli.main import main; code = main(['resume', 'none']); "
        "print('torch' in sys.modules); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (2, "False\n")
    assert "'none' is no folder" in done.stderr
