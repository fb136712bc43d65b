import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from browser import Opened, chromium, opened
from made_runs import write_experiment, write_run
from playwright.sync_api import Browser

from bestiary.report import load_study
from bestiary.report.charts import draw
from bestiary.report.charts.style import BACKGROUND
from bestiary.report.page import page

pytestmark = pytest.mark.browser

EVIL = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>"


def write_page(folder: Path) -> Path:
    """The page without the pictures, which take most of the time."""
    study = load_study(folder)
    path = folder / "page.html"
    path.write_text(page(study, draw(study)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def report(trained: Path) -> Path:
    return write_page(trained)


@pytest.fixture(scope="module")
def page_of_all(browser: Browser, report: Path) -> Iterator[Opened]:
    with opened(browser, report) as seen:
        yield seen


@pytest.fixture
def seen(page_of_all: Opened) -> Iterator[Opened]:
    """One page for all tests that leave it as a reset of its filters does."""
    yield page_of_all
    page_of_all.page.emulate_media(media="screen")
    page_of_all.page.evaluate("document.getElementById('filters').reset()")
    page_of_all.settle()


@pytest.fixture(scope="module")
def troubled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of every status, one mixer with a name that wants to break the page."""
    folder = tmp_path_factory.mktemp("troubled")
    write_experiment(folder, name=EVIL)
    for seed in range(3):
        write_run(folder, label=EVIL, seed=seed, test=0.97)
        write_run(folder, mixers="hyena", seed=seed, test=0.3, width=32)
    write_run(folder, mixers="hyena", seed=3, status="diverged", reason="loss was not finite")
    write_run(folder, mixers="h3", status="failed", reason=EVIL)
    return write_page(folder)


def test_it_opens_from_a_file_without_complaint_and_asks_for_nothing(seen: Opened) -> None:
    assert seen.complaints == []
    assert seen.requests == [seen.page.url]
    assert seen.page.title() == "trained <small> – what sequence mixers recall"


def test_every_chart_is_drawn_with_the_numbers_of_the_parquet_files(
    seen: Opened, trained: Path
) -> None:
    assert len(seen.drawn()) == 7
    stored = pl.concat(
        pl.read_parquet(path).with_columns(run=pl.lit(path.parent.name))
        for path in trained.glob("runs/*/results.parquet")
    )
    segments = stored.filter(split="test", slice="segment")
    seeds = [row for row in seen.rows("recall") if row["kind"] == "seed"]
    assert len(seeds) == 24
    assert {row["accuracy"] for row in seeds} <= set(segments["accuracy"])
    for row in seen.rows("recall"):
        if row["kind"] == "mean":
            own = [s["accuracy"] for s in seeds
                   if all(s[k] == row[k] for k in ("name", "length", "pairs"))]  # fmt: skip
            assert row["accuracy"] == pytest.approx(sum(own) / 3)


def test_marks_stand_where_their_values_belong(seen: Opened) -> None:
    """The axis of accuracy goes from 0 to 1 over the width of a panel."""
    marks = seen.page.locator("#chart-recall svg .mark-symbol path[aria-label*='mean accuracy']")
    assert marks.count() == 8
    width = seen.page.evaluate("bestiary.views.recall.signal('child_width')")
    for number in range(8):
        label = marks.nth(number).get_attribute("aria-label") or ""
        place = re.match(
            r"translate\(([\d.]+),", marks.nth(number).get_attribute("transform") or ""
        )
        value = re.search(r"mean accuracy: ([\d.]+)", label)
        assert place and value
        assert float(place[1]) / width == pytest.approx(float(value[1]), abs=1e-3)


def test_a_mixer_that_is_unchecked_leaves_table_charts_and_runs(seen: Opened) -> None:
    seen.page.get_by_role("checkbox", name="base_conv").uncheck()
    seen.settle()
    assert seen.page.locator("#results tbody tr:visible").count() == 4
    assert {row["mixer"] for row in seen.rows("width")} == {"attention"}
    assert {row["mixer"] for row in seen.rows("training-loss")} == {"attention"}
    assert seen.page.locator("#shown").inner_text() == "4 of 8 rows, 12 of 18 runs shown"


def test_segment_and_width_filter_together(seen: Opened) -> None:
    seen.page.get_by_role("combobox", name="Test segment").select_option("length 16, 2 pairs")
    seen.page.get_by_role("combobox", name="Width").select_option("8")
    seen.settle()
    assert seen.page.locator("#results tbody tr:visible").count() == 2
    rows = seen.rows("state")
    assert {row["length"] for row in rows} == {16}
    assert {row["d_model"] for row in rows if row["kind"] == "mean"} == {8}
    seen.page.get_by_role("button", name="Show all").click()
    seen.settle()
    assert seen.page.locator("#results tbody tr:visible").count() == 8
    assert len({row["length"] for row in seen.rows("state")}) == 2


def test_charts_say_so_when_nothing_is_left(seen: Opened) -> None:
    for name in ("attention", "base_conv"):
        seen.page.get_by_role("checkbox", name=name).uncheck()
    seen.settle()
    assert seen.drawn() == []
    assert seen.page.locator(".chart", has_text="Nothing matches the filters.").count() == 7
    assert seen.page.locator("#no-rows").is_visible()
    seen.page.get_by_role("checkbox", name="attention").check()
    seen.settle()
    assert len(seen.drawn()) == 7
    assert seen.complaints == []


def test_runs_are_filtered_by_their_status(browser: Browser, troubled: Path) -> None:
    with opened(browser, troubled) as seen:
        seen.page.get_by_role("combobox", name="Run status").select_option("diverged")
        seen.settle()
        assert seen.page.locator(".runs > li:visible").count() == 1
        assert seen.page.locator(".lost > li:visible").count() == 1
        (row,) = seen.page.locator("#results tbody tr:visible").all()
        assert "hyena" in row.inner_text()


def test_a_column_sorts_up_and_down_and_tells_screen_readers(seen: Opened) -> None:
    def column() -> list[float]:
        cells = seen.page.locator("#results tbody tr td:nth-child(5)").all()
        return [float(cell.get_attribute("data-value") or "nan") for cell in cells]

    header = seen.page.locator("#results thead th").nth(4)
    assert header.get_attribute("aria-sort") == "none"
    button = seen.page.get_by_role("button", name="accuracy", exact=True)
    button.click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert column() == sorted(column()) and len(column()) == 8
    button.press("Enter")
    assert header.get_attribute("aria-sort") == "descending"
    assert column() == sorted(column(), reverse=True)
    seen.page.get_by_role("button", name="width", exact=True).click()
    assert header.get_attribute("aria-sort") == "none"


def test_rows_without_a_number_stay_last_in_both_directions(
    browser: Browser, troubled: Path
) -> None:
    with opened(browser, troubled) as seen:
        button = seen.page.get_by_role("button", name="accuracy", exact=True)
        for _ in range(2):
            button.click()
            last = seen.page.locator("#results tbody tr").last
            assert "–" in last.locator("td").nth(3).inner_text()


def test_the_theme_follows_the_system_and_the_button_turns_it(
    browser: Browser, report: Path
) -> None:
    with opened(browser, report, color_scheme="dark") as seen:
        button = seen.page.get_by_role("button", name="Dark theme")
        background = "getComputedStyle(document.body).backgroundColor"
        assert seen.page.evaluate(background) == rgb(BACKGROUND["dark"])
        assert button.get_attribute("aria-pressed") == "true"
        assert chart_background(seen) == BACKGROUND["dark"]
        button.click()
        seen.settle()
        assert seen.page.evaluate(background) == rgb(BACKGROUND["light"])
        assert button.get_attribute("aria-pressed") == "false"
        assert chart_background(seen) == BACKGROUND["light"]
        seen.page.reload()
        seen.page.evaluate("bestiary.ready")
        assert seen.page.evaluate(background) == rgb(BACKGROUND["light"])


def rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


def chart_background(seen: Opened) -> str | None:
    return seen.page.locator("#chart-recall svg .background").first.get_attribute("fill") or (
        seen.page.evaluate("bestiary.views.recall.background()")
    )


def test_tab_reaches_every_control_and_the_focus_can_be_seen(seen: Opened) -> None:
    wanted = seen.page.locator(
        "button:visible, select:visible, input:visible, summary:visible, a[href]:visible"
    ).count()
    reached = set()
    for _ in range(wanted + 30):
        seen.page.keyboard.press("Tab")
        reached.add(
            seen.page.evaluate(
                """() => {
                  const e = document.activeElement, chip = e.closest(".chip");
                  const outlined = x => x && getComputedStyle(x).outlineStyle !== "none";
                  const name = `${e.tagName} ${e.textContent} ${e.value} ${e.dataset.save ?? ""}`;
                  return [name + (e.closest("figure")?.id ?? ""), outlined(e) || outlined(chip)];
                }"""
            ).__str__()
        )
    controls = {entry for entry in reached if not entry.startswith("['BODY")}
    assert not any(entry.endswith("False]") for entry in controls)
    tags = [entry[2:].split(" ")[0] for entry in controls]
    assert tags.count("INPUT") == 2 and tags.count("SELECT") == 3
    assert tags.count("SUMMARY") >= 3 and tags.count("BUTTON") >= 11 + 14 + 2


def test_the_keyboard_alone_can_filter(seen: Opened) -> None:
    seen.page.get_by_role("checkbox", name="attention").focus()
    seen.page.keyboard.press("Space")
    seen.settle()
    assert {row["mixer"] for row in seen.rows("width")} == {"base_conv"}


def test_a_click_on_the_legend_highlights_the_mixer_in_every_chart(seen: Opened) -> None:
    def faded(chart: str) -> int:
        return seen.page.locator(f"#chart-{chart} svg path[opacity='0.12']").count()

    entry = seen.page.locator("#chart-width svg .role-legend-entry text", has_text="attention")
    assert faded("width") == faded("gap") == 0
    entry.click()
    last = seen.page.locator("#chart-training-loss svg path[opacity='0.12']").last
    last.wait_for(state="attached")
    assert faded("width") >= 4 and faded("gap") >= 4
    entry.click()
    last.wait_for(state="detached")
    assert faded("width") == faded("gap") == 0


def test_a_mark_tells_its_numbers_when_pointed_at(seen: Opened) -> None:
    marks = seen.page.locator("#chart-recall svg .mark-symbol path[aria-label*='mean accuracy']")
    marks.first.hover()
    tooltip = seen.page.locator("#vg-tooltip-element")
    tooltip.wait_for(state="visible")
    assert "guessing" in tooltip.inner_text() and "mean accuracy" in tooltip.inner_text()


@pytest.mark.parametrize("width", [320, 375, 768, 1280])
def test_it_fits_the_screen_without_scrolling_sideways(
    browser: Browser, report: Path, width: int
) -> None:
    with opened(browser, report, width=width) as seen:
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        for chart in seen.page.locator(".chart svg").all():
            box = chart.bounding_box()
            assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= width + 1
            drawn = float(chart.get_attribute("width") or 0)
            assert box["width"] == pytest.approx(drawn, abs=1), "drawn larger and shrunk"


def test_the_table_shows_every_column_at_1200_pixels(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Also where none says the same in every row, and the numbers are large."""
    folder = tmp_path_factory.mktemp("wide")
    sizes = {"state_size": 262_144, "vocab_size": 8192, "summary": {"parameters": 12_345_678}}
    for width, seeds in ((128, 3), (512, 2)):
        for seed in range(seeds):
            for mixer, rate in ((("short_conv", "attention"), 3e-3), ("hyena", 1e-2)):
                tests = {(256, 16): 0.97 + seed / 100, (1024, 64): 0.4}
                write_run(
                    folder, mixers=mixer, width=width, rate=rate, seed=seed, test=tests, **sizes
                )
    write_run(folder, mixers="hyena", width=512, rate=1e-2, seed=2, test=tests, status="diverged",
              **sizes)  # fmt: skip
    with opened(browser, write_page(folder), width=1200, charts=False) as seen:
        assert seen.page.locator("#results thead th").count() == 13
        table = seen.page.locator(".scroll", has=seen.page.locator("#results"))
        wide, there = table.evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert wide <= there


def test_what_every_row_has_is_said_under_the_table_and_is_no_column(seen: Opened) -> None:
    said = seen.page.get_by_text("In every row: seeds 3, lost runs 0.")
    assert said.is_visible()
    heads = seen.page.locator("#results thead th").all_inner_texts()
    assert "accuracy" in heads and "seeds" not in heads and "lost runs" not in heads


def test_a_window_that_narrows_is_drawn_anew(browser: Browser, report: Path) -> None:
    with opened(browser, report) as seen:
        before = seen.page.locator("#chart-width svg").element_handle()
        seen.page.set_viewport_size({"width": 400, "height": 800})
        before.wait_for_element_state("hidden")
        seen.settle()
        assert float(seen.page.locator("#chart-width svg").get_attribute("width") or 0) < 400
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 400


def test_a_name_made_of_script_does_nothing(browser: Browser, troubled: Path) -> None:
    with opened(browser, troubled) as seen:
        assert seen.page.evaluate("window.broken") is None
        assert seen.complaints == [] and seen.requests == [seen.page.url]
        assert seen.page.locator("h1").inner_text() == EVIL
        assert EVIL in {row["mixer"] for row in seen.rows("recall")}
        assert seen.page.get_by_role("checkbox", name=EVIL).is_checked()


def test_a_config_can_be_unfolded(seen: Opened) -> None:
    seen.page.get_by_text("each with its config").click()
    first = seen.page.locator(".runs > li").first
    first.locator("summary").click()
    assert "learning_rate" in first.locator("pre").inner_text()


def test_a_chart_can_be_saved(seen: Opened, tmp_path: Path) -> None:
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with seen.page.expect_download() as download:
            seen.page.locator(f"#chart-recall [data-save={kind}]").click()
        assert download.value.suggested_filename == f"recall.{kind}"
        download.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(start)
    assert seen.complaints == []


def test_print_leaves_the_controls_out(seen: Opened) -> None:
    seen.page.emulate_media(media="print")
    assert not seen.page.locator("#filters").is_visible()
    assert seen.page.locator("#results").is_visible()
