"""The page in Chromium: numbers under pointer and keys, widths, themes, names that mean harm."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from browser import Opened, chromium, opened
from playwright.sync_api import Browser, expect

from bestiary.compile import Program, compile_program, input_array
from bestiary.compile.compiled_file import save_compiled
from bestiary.report.explain import Sheet, explain_page, sheet_of
from bestiary.runs.circuit_compilation import CircuitHow, of_circuit
from bestiary.runs.circuit_source import named_circuit
from bestiary.runs.compiled_model import parse_compiled
from bestiary.runs.explained import Explained, explained_example
from bestiary.runs.explained_file import explained_file
from bestiary.runs.named_task import read_task

pytestmark = pytest.mark.browser

EVIL = "</script><script>window.broken=1</script>"


@cache
def all_pairs() -> Sheet:
    model = parse_compiled("compiled:all-pairs")
    return sheet_of(explained_example(model, read_task(None), "test", 3))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explain") / "page.html"
    path.write_text(explain_page(all_pairs()), encoding="utf-8")
    return path


def drawn(seen: Opened, step: int) -> None:
    """Wait until a layer is drawn."""
    expect(seen.page.locator("#board")).to_have_attribute("data-drawn", str(step))


def told(seen: Opened) -> str:
    return seen.page.locator("#told").inner_text()


def test_keys_go_through_layers_channels_and_rows_and_say_what_is_there(
    browser: Browser, path: Path
) -> None:
    query = all_pairs().subject.queries[0]
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        board = seen.page.get_by_role("application", name="Heat map of the layer")
        board.focus()
        for step in (2, 3, 4):
            seen.page.keyboard.press("ArrowRight")
            drawn(seen, step)
        expect(seen.page.locator("#title")).to_have_text("layer 4 of 5")
        seen.page.keyboard.press("ArrowUp")
        for _ in range(9):
            seen.page.keyboard.press("ArrowUp")
        assert told(seen).startswith(f"match, largest in size of 14 channels in row {query.row} ")
        seen.page.keyboard.press("ArrowDown")
        name = f"match −{query.distance}"
        assert told(seen).startswith(f"{name}, row {query.row} (q2, token 7): gate 1 × convolu")
        assert "= 1. " in told(seen)
        seen.page.keyboard.press("Shift+ArrowLeft")
        assert told(seen).startswith(f"{name}, row {query.row - 1} ")
        seen.page.keyboard.press("End")
        drawn(seen, 6)
        expect(seen.page.locator("#title")).to_have_text("head")
        seen.page.keyboard.press("Home")
        drawn(seen, 0)
        expect(seen.page.locator("#slider")).to_have_value("0")
        assert seen.complaints == []
        assert [url for url in seen.requests if not url.startswith("file:")] == []


def test_pointing_says_the_two_sides_and_their_product(browser: Browser, path: Path) -> None:
    sheet = all_pairs()
    step = sheet.steps[1]
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        canvas = seen.page.locator('figure[data-side="product"] canvas')
        box = canvas.bounding_box()
        assert box is not None
        cell = box["width"] / 16
        lines = seen.page.locator("#names > :not(:first-child)")
        below = box["height"] - 18 * lines.count()
        for line, row in ((0, 8), (3, 15)):
            canvas.hover(position={"x": cell * (row + 0.5), "y": below + 18 * line + 9})
            numbers = re.search(r"gate (\S+) × convolution (\S+) = (\S+)\. ", told(seen))
            assert numbers is not None
            found = [float(number.replace("−", "-")) for number in numbers.groups()]
            made = [line for line in range(len(step.lines)) if not step.lines[line].kept]
            gate, convolution = step.gate, step.convolution
            assert gate is not None and convolution is not None
            at = (made[line], row)
            assert found == [gate[at], convolution[at], step.product[at]]
            assert told(seen).startswith(f"{step.lines[made[line]].name}, row {row} ")


def test_a_question_is_chosen_and_its_match_is_what_is_shown(browser: Browser, path: Path) -> None:
    query = all_pairs().subject.queries[3]
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        seen.page.get_by_role("button", name=f"row {query.row}: asks for token").click()
        expect(seen.page.locator("#asked")).to_contain_text(
            f"it stands in row {query.key}, {query.distance} rows above"
        )
        assert seen.page.locator(".tokens .asks").get_attribute("data-row") == str(query.row)
        assert seen.page.locator(".tokens .key").get_attribute("data-row") == str(query.key)
        assert seen.page.locator(".tokens .value").get_attribute("data-row") == str(query.value)
        seen.page.get_by_role("slider", name="Layer").fill("4")
        drawn(seen, 4)
        expect(seen.page.locator("#names .match")).to_have_text([f"match −{query.distance}"])


def test_a_group_opens_to_all_of_its_channels(browser: Browser, path: Path) -> None:
    with opened(browser, path, charts=False) as seen:
        seen.page.get_by_role("slider", name="Layer").fill("4")
        drawn(seen, 4)
        group = seen.page.get_by_role("button", name="match (14)")
        expect(group).to_have_attribute("aria-expanded", "false")
        group.click()
        expect(group).to_have_attribute("aria-expanded", "true")
        names = seen.page.locator("#names span").all_inner_texts()
        assert {f"match −{s}" for s in range(2, 16)} <= set(names)
        before = len(names)
        seen.page.get_by_text("kept from before").click()
        expect(seen.page.locator("#names")).to_contain_text("code.3")
        assert len(seen.page.locator("#names span").all_inner_texts()) > before


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_and_is_drawn_in_its_theme(
    browser: Browser, path: Path, width: int, scheme: str
) -> None:
    with opened(browser, path, width, charts=False, color_scheme=scheme) as seen:
        drawn(seen, 1)
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.page.locator("canvas").count() == (3 if width == 1280 else 1)
        # A number of 0, in the first row of the product, has the colour of the page.
        canvas = seen.page.locator('figure[data-side="product"] canvas')
        corner = canvas.evaluate(
            "c => { const dots = c.width / c.clientWidth, lines = "
            "document.querySelectorAll('#names > :not(:first-child)').length;"
            "const y = (c.clientHeight - 18 * lines + 6) * dots;"
            "return [...c.getContext('2d').getImageData(4 * dots, y, 1, 1).data] }"
        )
        ground = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert corner[:3] == [int(n) for n in re.findall(r"\d+", ground)[:3]]
        if width == 400:
            seen.page.get_by_text("gate side", exact=True).last.click()
            expect(seen.page.locator("figure")).to_have_attribute("data-side", "gate")
        assert seen.complaints == []


@pytest.mark.parametrize(("width", "above"), [(1280, 900), (390, None)])
def test_what_is_told_covers_nothing_and_the_map_begins_in_the_first_window(
    browser: Browser, path: Path, width: int, above: int | None
) -> None:
    with opened(browser, path, width, charts=False) as seen:
        seen.page.set_viewport_size({"width": width, "height": 900})
        drawn(seen, 1)
        options, box, board = (
            seen.page.locator(part).bounding_box() for part in ("#options", "#told", "#board")
        )
        assert options is not None and box is not None and board is not None
        assert options["y"] + options["height"] <= box["y"]
        assert box["y"] + box["height"] <= board["y"]
        if above is not None:
            assert board["y"] + board["height"] <= above
        # However long the text is, the map stays where it is.
        seen.page.locator("#told").evaluate("told => { told.textContent = 'long '.repeat(200) }")
        after = seen.page.locator("#board").bounding_box()
        assert after is not None and after["y"] == board["y"]


def test_the_number_of_a_narrow_circuit_is_told_by_its_name(
    browser: Browser, tmp_path: Path
) -> None:
    work = of_circuit(named_circuit("determinant", 2), CircuitHow(layout="narrow"))
    save_compiled(tmp_path / "c", work.compiled, {"origin": work.origin.to_dict()})
    np.save(tmp_path / "x.npy", np.array([2.0, 1, 3, 5]))
    sheet = sheet_of(explained_file(tmp_path / "c", tmp_path / "x.npy"))
    path = tmp_path / "page.html"
    path.write_text(explain_page(sheet), encoding="utf-8")
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        board = seen.page.get_by_role("application", name="Heat map of the layer")
        board.focus()
        seen.page.keyboard.press("Home")
        drawn(seen, 0)
        assert told(seen).startswith("x.0, row 0, which is a[0,0]: 2. ")
        seen.page.keyboard.press("Shift+ArrowRight")
        assert told(seen).startswith("x.0, row 1, which is a[0,1]: 1. ")
        seen.page.keyboard.press("End")
        drawn(seen, len(sheet.steps) - 1)
        seen.page.keyboard.press("Shift+ArrowLeft")
        assert told(seen).startswith("output, row 0, which is out: 7. ")
        assert seen.complaints == []


def test_numbers_beyond_float32_are_told_and_those_beyond_float64_are_infinite(
    browser: Browser, tmp_path: Path
) -> None:
    u = input_array("u", 1)
    program = Program((u,), (u * u) * (u * u), rows=1, name="power")
    subject = Explained("power", "", compile_program(program), np.array([[-1e100]]))
    path = tmp_path / "page.html"
    path.write_text(explain_page(sheet_of(subject)), encoding="utf-8")
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        assert "gate −1e+100 × convolution −1e+100 = 1e+200" in told(seen)
        expect(seen.page.locator(".caution")).to_contain_text("too large for float64 from layer 2")
        seen.page.get_by_role("slider", name="Layer").fill("2")
        drawn(seen, 2)
        assert "gate 1e+200 × convolution 1e+200 = ∞" in told(seen)
        assert seen.complaints == []


def test_names_that_mean_harm_are_text(browser: Browser, tmp_path: Path) -> None:
    u = input_array(EVIL, 1)
    program = Program((u,), (u * u).named(EVIL), rows=3, name=EVIL)
    subject = Explained(EVIL, EVIL, compile_program(program), np.array([[1.0], [-2], [3]]))
    path = tmp_path / "page.html"
    path.write_text(explain_page(sheet_of(subject)), encoding="utf-8")
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        assert seen.page.evaluate("window.broken") is None
        assert told(seen).startswith(f"{EVIL}, row 0: gate 1 × convolution 1 = 1. ")
        assert seen.page.locator(".tokens").count() == 0
        assert seen.complaints == []


def test_a_marker_points_at_the_item_that_it_asks_for(browser: Browser, tmp_path: Path) -> None:
    model, task = parse_compiled("compiled:selective-copy"), read_task("selective-copy")
    sheet = sheet_of(explained_example(model, task, "test", 0))
    items = [row for row, token in enumerate(sheet.subject.tokens) if token > 1]
    path = tmp_path / "page.html"
    path.write_text(explain_page(sheet, 2), encoding="utf-8")
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        expect(seen.page.locator("#asked")).to_contain_text(
            f"asks for what stands in row {items[2]}, {14 - items[2]} rows above"
        )
        expect(seen.page.locator(".tokens .value")).to_have_attribute("data-row", str(items[2]))
        expect(seen.page.locator(".tokens .key")).to_have_count(0)
        expect(seen.page.locator("main")).to_contain_text("the question what it asks for.")
        other = seen.page.get_by_role("button", name=f"m2, row 13: asks for row {items[1]}, answer")
        other.click()
        expect(seen.page.locator(".tokens .value")).to_have_attribute("data-row", str(items[1]))
        assert seen.complaints == []


def test_a_head_of_attention_is_seen_to_look_after_the_key(
    browser: Browser, tmp_path: Path
) -> None:
    model = parse_compiled("compiled:attention")
    sheet = sheet_of(explained_example(model, read_task(None), "test", 3))
    query = sheet.subject.queries[0]
    path = tmp_path / "page.html"
    path.write_text(explain_page(sheet), encoding="utf-8")
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        expect(seen.page.locator("#title")).to_have_text("layer 1, where it looks")
        expect(seen.page.locator("#names > span:not(:first-child)")).to_have_text(
            ["back −0", "back −1"]
        )
        expect(seen.page.locator("canvas")).to_have_count(1)
        seen.page.get_by_role("slider", name="Layer").fill("3")
        drawn(seen, 3)
        expect(seen.page.locator("#names .match")).to_have_text([f"match −{query.distance}"])
        expect(seen.page.locator("#lit")).to_have_text(
            f"For this question, in row {query.row}: match −{query.distance} = 1."
        )
        board = seen.page.get_by_role("application", name="Heat map of the layer")
        board.focus()
        seen.page.keyboard.press("ArrowDown")
        assert told(seen).startswith(f"match −{query.distance}, row {query.row} (q2, token 7): 1. ")
        expect(seen.page.locator("#meanings")).to_contain_text("match: the weight on the row")
        assert seen.complaints == []


def test_a_table_is_read_row_by_row(browser: Browser, tmp_path: Path) -> None:
    model = parse_compiled("compiled:lookup")
    sheet = sheet_of(explained_example(model, read_task(None), "test", 3))
    query, tokens = sheet.subject.queries[0], sheet.subject.tokens
    path = tmp_path / "page.html"
    path.write_text(explain_page(sheet), encoding="utf-8")
    with opened(browser, path, charts=False) as seen:
        drawn(seen, 1)
        seen.page.get_by_role("application", name="Heat map of the layer").focus()
        # Four pairs come first, the newest in slot 0.
        for slot, row in enumerate((6, 4, 2, 0)):
            assert told(seen).startswith(
                f"key.{slot}, row {query.row} (q2, token {tokens[query.row]}): {tokens[row]}. "
            )
            seen.page.keyboard.press("ArrowDown")
        assert f"(q2, token {tokens[query.row]}): nothing. key.4 = stored" in told(seen)
        assert seen.complaints == []
