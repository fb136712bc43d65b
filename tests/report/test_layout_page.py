from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browser import chromium, opened
from playwright.sync_api import Browser, expect

from bestiary.compile.layout import Layout, Place
from bestiary.report.layout_page import layout_page
from bestiary.report.layout_picture import (
    LETTERS,
    MOST_CHANNELS,
    described,
    picture,
    short_names,
)

EVIL = "<script>window.broken=1</script>"


def small() -> Layout:
    given = (Place(0, 0, "u", "input", 0), Place(0, 1, EVIL, "input", 0))
    first = (
        Place(1, 0, "kept", "carried", 0, convolved=0, filter="X^0"),
        Place(1, 1, "product", "product", 2, (0, 1), 1, "X^0 + X^2", masked=True, read=True),
    )
    return Layout("two channels", 2, 5, (given, first))


def test_a_place_is_described_in_words() -> None:
    assert described(small().layers[1][1]) == (
        "product: product of both sides; gate side reads channels 0, 1; convolution side X^0 + X^2 "
        "on channel 1; differs from row to row (layer 1, channel 1, 2 rows late)"
    )


def test_names_are_escaped_in_picture_and_page() -> None:
    assert EVIL not in picture(small()).svg
    assert EVIL not in layout_page(small())


def test_what_is_not_drawn_is_said() -> None:
    wide = tuple(Place(0, c, f"u{c}", "input", 0) for c in range(MOST_CHANNELS + 3))
    drawn = picture(Layout("wide", len(wide), 1, (wide,)))
    assert f"channels {MOST_CHANNELS} to {MOST_CHANNELS + 2}" in drawn.left_out
    assert drawn.svg.count('class="box') == MOST_CHANNELS
    assert picture(small()).left_out == ""


def alike() -> Layout:
    """Names that differ in their ends, in their middles, and not at all."""
    ends = [f"level 4 to {t}, 0 moved.{c}" for t in (0, 4) for c in (0, 1)]
    names = [*ends, "·", "·", "short", "the same long name", "the same long name"]
    places = tuple(Place(1, c, name, "sum", 0, (0,)) for c, name in enumerate(names))
    later = tuple(Place(2, c, name, "carried", 0, convolved=c) for c, name in enumerate(names))
    return Layout("alike", len(names), 4, ((Place(0, 0, "x", "input", 0),), places, later))


def test_no_two_boxes_of_a_layer_have_the_same_words() -> None:
    _, places, _ = alike().layers
    written = short_names(places)
    assert len(set(written)) == len(written)
    assert all(len(name) <= LETTERS for name in written)
    assert "short" in written
    assert {"4: ·", "5: ·"} <= set(written)
    assert short_names(places[1:3]) == ["…0…moved.1", "…4…moved.0"]


def test_what_tells_long_names_of_a_layer_apart_stays_in_them() -> None:
    names = ["i · level 5 to 0, 0 moved.0", "level 5 to 0, 0 moved.0", "level 5 to 12, 0 moved.0"]
    written = short_names([Place(1, c, name, "sum", 0) for c, name in enumerate(names)])
    assert written == ["i ·…0…", "…0…", "…12…"]


def test_many_gate_lines_are_fainter_than_few() -> None:
    given = tuple(Place(0, c, f"u{c}", "input", 0) for c in range(16))
    mixed = tuple(Place(1, c, f"v{c}", "sum", 0, tuple(range(16))) for c in range(16))
    few = tuple(Place(2, c, f"w{c}", "sum", 0, (c,)) for c in range(16))
    drawn = str(picture(Layout("mixed", 16, 4, (given, mixed, few))).svg)
    assert drawn.count('class="gate many"') == 256 and drawn.count('class="gate"') == 16


def test_the_legend_has_the_kinds_that_are_drawn_and_no_two_alike() -> None:
    page = layout_page(small(), title="two: 5 × 2")
    assert "<h1>two: 5 × 2</h1>" in page
    key = page[page.index('class="key"') : page.index("</ul>")]
    assert key.count("<li>") == 3 and "carried" in key and "copied" not in key
    style = str(picture(small()).svg)
    assert ".layout .copied rect{fill:" in style and ".layout .carried rect{fill:" not in style


def long() -> Layout:
    """30 channels and 20 layers, each channel carried along."""
    given = tuple(Place(0, c, f"u{c}", "input", 0) for c in range(30))
    layers = [
        tuple(Place(n, c, f"u{c}", "carried", 0, convolved=c, filter="X^0") for c in range(30))
        for n in range(1, 21)
    ]
    return Layout("long", 30, 4, (given, *layers))


def test_every_box_that_can_be_focused_has_a_name_of_its_own() -> None:
    drawing = ElementTree.fromstring(str(picture(alike()).svg))
    boxes = [part for part in drawing.iter() if part.get("tabindex") is not None]
    names = [box.get("aria-label") for box in boxes]
    assert len(boxes) == 19
    assert None not in names and len(set(names)) == len(names)
    assert {box.get("role") for box in boxes} == {"img"}
    # An image has no parts to a screen reader, so the whole must not be one.
    assert drawing.get("role") == "group"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.mark.browser
def test_pointing_at_a_box_lights_up_what_it_reads(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(layout_page(small(), [("layers", "1")]), encoding="utf-8")
    with opened(browser, path, charts=False) as seen:
        seen.page.locator('[data-at="1-1"]').hover()
        lit = seen.page.locator(".box.lit").evaluate_all("all => all.map(b => b.dataset.at)")
        assert sorted(lit) == ["0-0", "0-1", "1-1"]
        assert "product of both sides" in seen.page.locator("#told").inner_text()
        seen.page.locator('[data-at="1-0"]').focus()
        lit = seen.page.locator(".box.lit").evaluate_all("all => all.map(b => b.dataset.at)")
        assert sorted(lit) == ["0-0", "1-0"]
        named = seen.page.get_by_role("img", name=described(small().layers[1][0]), exact=True)
        assert named.get_attribute("data-at") == "1-0"
        assert seen.page.evaluate("window.broken") is None
        assert seen.complaints == []
        assert [url for url in seen.requests if not url.startswith("file:")] == []


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 400])
def test_a_box_far_down_is_described_in_view_and_a_layer_far_right_is_reached(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "page.html"
    path.write_text(layout_page(long()), encoding="utf-8")
    with opened(browser, path, width, charts=False) as seen:
        before, drawing = (seen.page.locator(part).bounding_box() for part in ("#told", ".drawing"))
        assert before is not None and drawing is not None
        assert before["y"] + before["height"] <= drawing["y"]
        seen.page.locator('[data-at="0-29"]').hover()
        place = seen.page.locator("#told").bounding_box()
        assert place is not None and place["y"] >= 0 and place["y"] + place["height"] <= 900
        assert "u29: given" in seen.page.locator("#told").inner_text()
        shown = seen.page.locator(".ruler .shown")
        assert "20" not in shown.all_inner_texts()
        seen.page.get_by_role("button", name="20", exact=True).click()
        last = seen.page.locator(".ruler button").last
        expect(last).to_contain_class("shown")
        assert "input" not in shown.all_inner_texts()
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.complaints == []
