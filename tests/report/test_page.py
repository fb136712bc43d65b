import base64
import hashlib
import itertools
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from made_runs import write_experiment, write_run

from bestiary.report import load_study
from bestiary.report.charts import draw
from bestiary.report.page import page
from bestiary.report.self_contained import asset, inline, script_data
from bestiary.report.study import Study

EVIL = "<script>alert(1)</script>\"'&</style>]]><!--"
VOID = {"meta", "link", "input", "path", "br"}


class Elements(HTMLParser):
    """Every element with its attributes, and the text of scripts; fails on a stray end tag."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == [], f"never closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        else:
            self.text.append(data)

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def rendered(study: Study) -> str:
    return page(study, draw(study))


@pytest.fixture(scope="module")
def html(study: Study) -> str:
    return rendered(study)


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("evil")
    write_experiment(folder, name=EVIL)
    write_run(folder, label=EVIL, test=0.4)
    write_run(folder, label=EVIL, seed=1, status="failed", reason=EVIL)
    return rendered(load_study(folder))


def test_elements_are_closed_in_the_order_they_were_opened(html: str, evil: str) -> None:
    assert len(Elements(html).found) > 300
    assert len(Elements(evil).found) > 100


def test_a_name_made_of_tags_stays_text(evil: str) -> None:
    elements = Elements(evil)
    # Four of the page's own: theme, data, libraries, behaviour.
    assert len(elements.named("script")) == 4 and len(elements.named("style")) == 1
    assert not any("alert(1)" in code for code in (elements.scripts[0], *elements.scripts[2:]))
    assert "".join(elements.text).count("<script>alert(1)</script>") >= 5
    data = json.loads(elements.scripts[1])
    chart = data["charts"][0]
    assert chart["values"][0][chart["fields"].index("mixer")] == EVIL


def test_the_policy_allows_no_network_and_only_scripts_of_the_page(html: str) -> None:
    elements = Elements(html)
    (policy,) = [m["content"] for m in elements.named("meta") if "http-equiv" in m]
    assert policy is not None and policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.split("style-src")[0]
    for code in (elements.scripts[0], *elements.scripts[2:]):
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_nothing_is_referred_to_outside_of_the_file(html: str) -> None:
    elements = Elements(html)
    for tag, attributes in elements.found:
        for name in ("src", "href", "action", "srcset", "poster"):
            value = attributes.get(name)
            assert value is None or value.startswith(("data:", "#")), (tag, name, value)
    assert not re.search(r"@import|url\(", elements.text[0] + asset("page.css"))


def test_the_page_is_small_enough_to_send(html: str) -> None:
    assert len(html.encode()) < 3_000_000


def test_structure_is_what_a_screen_reader_needs(html: str) -> None:
    elements = Elements(html)
    assert elements.named("html") == [{"lang": "en"}]
    assert len(elements.named("h1")) == len(elements.named("main")) == 1
    levels = [int(tag[1]) for tag, _ in elements.found if re.fullmatch("h[1-6]", tag)]
    steps = itertools.pairwise(levels)
    assert levels[0] == 1 and all(after <= before + 1 for before, after in steps)
    ids = [a["id"] for _, a in elements.found if "id" in a]
    assert len(ids) == len(set(ids))
    for _, attributes in elements.found:
        label = attributes.get("aria-labelledby")
        assert label is None or label in ids
    assert all("scope" in attributes for attributes in elements.named("th"))


def test_verdict_comes_before_table_and_table_before_charts(html: str) -> None:
    places = [html.index(f'id="{name}-title"') for name in ("verdict", "table", "charts", "runs")]
    assert places == sorted(places)


def test_the_page_says_how_it_was_measured(html: str) -> None:
    """B03: the exact mix of lengths; the rest of what makes a comparison fair beside it."""
    text = " ".join(" ".join(Elements(html).text).split())
    for said in (
        "standard deviation of 0.3 (model.embedding_std)",
        "any token but the keys of the same example",
        "For attention: the best mean validation accuracy over seeds among 1e-3 and 1e-2",
        "Not tuned: base_conv 1e-3.",
        "95% Student t interval",
        "Guessing among the K pairs drawn scores 1/K",
        "train 8 1 128",
        "train 16 2 128",
        "test 16 2 64",
        "torch",
    ):
        assert said in text, said


def test_examples_that_are_both_trained_and_tested_on_are_counted(tmp_path: Path) -> None:
    """D5: the leakage that a small vocabulary makes certain."""
    write_run(tmp_path, duplicates=30)
    text = " ".join(" ".join(Elements(rendered(load_study(tmp_path))).text).split())
    assert "test 32 4 200 0.250 30 in train" in text
    assert "15.0% of the test examples" in text


def test_every_run_stands_there_with_its_config(html: str, study: Study) -> None:
    text = "".join(Elements(html).text)
    for run in study.runs:
        assert run["run_id"] in text
        assert (Path(run["path"]) / "config.yaml").read_text() in text


def test_lost_runs_are_named_with_their_reason(tmp_path: Path) -> None:
    write_run(tmp_path)
    write_run(tmp_path, seed=1, status="diverged", reason="loss was not finite at step 7")
    write_run(tmp_path, seed=2, status="failed", reason="out of memory")
    html = rendered(load_study(tmp_path))
    lost = html[html.index("Without a result") : html.index("each with its config")]
    assert "loss was not finite at step 7" in lost and "out of memory" in lost
    assert "seed 1" in lost and "seed 2" in lost and "seed 0" not in lost


def test_a_page_of_failures_alone_can_be_made(tmp_path: Path) -> None:
    write_run(tmp_path, status="failed", reason="out of memory")
    text = " ".join(Elements(rendered(load_study(tmp_path))).text)
    assert "No run has finished yet" in text and "Charts left out" in text


def test_charts_that_are_left_out_are_named_with_the_reason(tmp_path: Path) -> None:
    write_run(tmp_path)
    text = " ".join(" ".join(Elements(rendered(load_study(tmp_path))).text).split())
    assert "Accuracy against model width : every trained run that finished has width 16" in text


def test_code_that_would_end_its_tag_is_refused() -> None:
    with pytest.raises(ValueError, match="end tag"):
        inline("a = '</SCRIPT>'", "script")


def test_data_hold_no_tag_and_read_back_the_same() -> None:
    data = {"</script>": ["<!--", "]]>", "\u2028"]}
    text = str(script_data(data))
    assert "<" not in text and json.loads(text) == data
