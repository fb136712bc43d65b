"""docs/compile.md is run from top to bottom, and what it says is printed is compared."""

from __future__ import annotations

from pathlib import Path

import pytest
from pages import run_from_top

from bestiary.cli.main import main


@pytest.mark.slow
def test_everything_on_the_page_runs_and_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_from_top("compile.md", capsys) > 12
    assert (tmp_path / "dft.html").stat().st_size > 10_000


def test_what_the_page_says_of_radix_and_circular_is_so(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = {}
    for option in (["--radix", "4"], ["--mode", "circular"]):
        assert main(["compile", "dft", "--n", "16", *option]) == 0
        line = next(x for x in capsys.readouterr().out.splitlines() if "compiled" in x)
        sizes[option[1]] = [int(number) for number in line.split()[1:]]
    assert (sizes["4"][0], sizes["4"][2]) == (11, 16)
    assert sizes["circular"][1] == 16
