from __future__ import annotations

from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from bestiary.compile import Program, compile_program, input_array
from bestiary.errors import UserError
from bestiary.report.explain import explain_picture, sheet_of
from bestiary.report.explain.picture import shade
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
    assert found[-1].endswith("1 of 7 steps from input to head.")
    with pytest.raises(UserError, match="there is no layer 7 to draw; 0, the input, to 6"):
        explain_picture(sheet(), layers=[7])


def test_names_are_escaped():
    u = input_array(EVIL, 1)
    program = Program((u,), (u * u).named(EVIL), rows=3, name=EVIL)
    subject = Explained(EVIL, "", compile_program(program), np.ones((3, 1)))
    assert "<script" not in explain_picture(sheet_of(subject))


def test_colours_go_from_white_at_0_to_full_at_the_largest():
    assert shade(0.0, 2.0) == "#ffffff"
    assert shade(2.0, 2.0).upper() == "#1F6BE0"
    assert shade(-9.0, 2.0).upper() == "#F04A1C"
