from __future__ import annotations

from bestiary.runs.preset import FOLDER, tuning_source


def test_the_tuning_of_a_preset_is_called_by_its_preset_and_another_by_its_path():
    assert tuning_source(str(FOLDER / "quick.tuning.yaml")) == "preset quick"
    assert tuning_source("rates/tuned.yaml") == "rates/tuned.yaml"
