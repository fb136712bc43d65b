from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from bestiary.compile import Program, compile_program, input_array
from bestiary.errors import UserError
from bestiary.report.explain import explain_picture, sheet_of
from bestiary.report.explain.picture import MOST_STEPS, shade
from bestiary.runs.compiled_model import parse_compiled
from bestiary.runs.explained import Explained, explained_example
from bestiary.runs.named_task import read_task

EVIL = "<script>window.broken=1</script>"


@cache
def sheet():
    model = parse_compiled("compiled:all-pairs")
    return sheet_of(explained_example(model, read_task(None), "test", 3))


def texts(svg):
    drawing = ElementTree.fromstring(str(svg))
    return [part.text for part in drawing.iter() if part.tag.endswith("text")]


def test_every_layer_has_both_sides_and_the_product_under_the_tokens():
    found = texts(explain_picture(sheet()))
    for side in ("gate side", "convolution side", "product"):
        assert found.count(side) == 5
    assert {"Layer 1", "Layer 5", "Head", "match −6", "alike (58)", "q1", "k2"} <= set(found)


def test_layers_are_chosen_by_number_and_what_is_left_out_is_said():
    found = texts(explain_picture(sheet(), layers=[4]))
    assert "Layer 4" in found and "Layer 3" not in found
    assert " ".join(found).endswith("1 of 7 steps from input to head.")
    with pytest.raises(UserError, match="there is no layer 7 to draw; 0, the input, to 6"):
        explain_picture(sheet(), layers=[7])


def test_the_picture_says_what_it_is_of_what_is_asked_and_what_grey_is():
    found = " ".join(texts(explain_picture(sheet())))
    assert found.startswith("compiled:all-pairs Example 3 of test: 16 tokens. Row 8 asks for token")
    assert "Grey" not in found
    model = parse_compiled("compiled:attention")
    looks = sheet_of(explained_example(model, read_task(None), "test", 3))
    assert "Grey: nothing there." in " ".join(texts(explain_picture(looks)))


def test_of_too_many_steps_the_first_the_last_and_those_between_are_drawn():
    model = parse_compiled("compiled:sort")
    long = sheet_of(explained_example(model, read_task(None), "test", 0))
    found = texts(explain_picture(long))
    count = len(long.steps)
    assert count > 40
    drawn = [text for text in found if re.fullmatch(r"Input|Layer \d+|Head", text)]
    assert drawn[0] == "Input" and drawn[-3:] == [
        f"Layer {count - 3}",
        f"Layer {count - 2}",
        "Head",
    ]
    numbers = [0, *(int(text.split()[1]) for text in drawn[1:-1]), count - 1]
    assert len(numbers) == MOST_STEPS
    assert max(np.diff(numbers)) <= 2 * count / (MOST_STEPS - 3)
    assert f"{MOST_STEPS} of {count} steps from input to head." in " ".join(found)


def test_steps_where_the_match_lights_up_are_among_those_drawn(monkeypatch):
    for name, number in (("MOST_STEPS", 4), ("LAST_STEPS", 1), ("LIT_STEPS", 2)):
        monkeypatch.setattr(f"bestiary.report.explain.picture.{name}", number)
    found = texts(explain_picture(sheet()))
    # In layers 2 and 3 tokens so far apart are compared.
    assert [text for text in found if re.fullmatch(r"Input|Layer \d+|Head", text)] == [
        "Input", "Layer 2", "Layer 3", "Head",
    ]  # fmt: skip


def test_names_are_escaped():
    u = input_array(EVIL, 1)
    program = Program((u,), (u * u).named(EVIL), rows=3, name=EVIL)
    subject = Explained(EVIL, "", compile_program(program), np.ones((3, 1)))
    assert "<script" not in explain_picture(sheet_of(subject))


def test_colours_go_from_white_at_0_to_full_at_the_largest():
    assert shade(0.0, 2.0) == "#ffffff"
    assert shade(2.0, 2.0).upper() == "#1F6BE0"
    assert shade(-9.0, 2.0).upper() == "#F04A1C"
