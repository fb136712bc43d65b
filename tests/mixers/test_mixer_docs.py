import inspect
import re
from pathlib import Path

import pytest

from bestiary.mixers import MIXERS, mixer_class
from bestiary.mixers.filters import random_taps
from bestiary.mixers.implicit_filter import ImplicitFilter

PAGE = (Path(__file__).parents[2] / "docs" / "mixers.md").read_text()
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
MADE = {
    **{name: mixer_class(name) for name in MIXERS},
    "Implicit filters": ImplicitFilter,
    "Explicit filters": random_taps,
}
NOT_OPTIONS = {"d_model", "channels"}


@pytest.mark.parametrize("section", MADE)
def test_the_page_lists_every_option_with_its_default_and_no_other(section):
    listed = dict(re.findall(r"^\| `(\w+)` \| `(.*?)` \|", SECTIONS[section], re.MULTILINE))
    parameters = inspect.signature(MADE[section]).parameters.values()
    actual = {
        p.name: str(p.default)
        for p in parameters
        if p.default is not inspect.Parameter.empty and p.name not in NOT_OPTIONS
    }
    assert listed == actual


def test_every_mixer_has_a_line_in_the_overview_and_a_source():
    for name in MIXERS:
        assert f"[`{name}`](#{name})" in PAGE
        assert "Source: " in SECTIONS[name]


def test_the_example_runs():
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {}
    exec(example, names)
    torch = names["torch"]
    y = names["layer"](torch.tensor([[[1.0, 2.0], [4.0, 5.0]]]))
    assert torch.allclose(y, torch.tensor([[[3.0, -4.0], [12.0, -10.0]]]))
