"""A real Chromium that has no network and notes everything a page asks for or complains of."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=120_000)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page, what it asked for and what it complained of."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def settle(self) -> None:
        """Wait until the charts are drawn as the page now stands."""
        self.page.evaluate("new Promise(done => setTimeout(done)).then(() => bestiary.settled())")

    def rows(self, chart: str) -> list[dict[str, Any]]:
        """The rows that a drawn chart has, read from its view."""
        script = "name => bestiary.views[name].data('rows').map(row => ({...row}))"
        return list(self.page.evaluate(script, chart))

    def drawn(self) -> list[str]:
        """The charts that are drawn."""
        return list(self.page.evaluate("Object.keys(bestiary.views)"))


@contextlib.contextmanager
def opened(
    browser: Browser, report: Path, width: int = 1280, *, charts: bool = True, **options: Any
) -> Iterator[Opened]:
    """Open a page from its file, without a network; where it has charts, wait for them."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, offline=True, reduced_motion="reduce", **options
    )
    # A machine that is busy with other tests takes its time.
    context.set_default_timeout(120_000)
    seen = Opened(context.new_page())
    seen.page.on("request", lambda request: seen.requests.append(request.url))
    seen.page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    seen.page.on("console", lambda message: seen.complaints.append(message.text))
    seen.page.goto(report.as_uri())
    if charts:
        seen.page.evaluate("bestiary.ready")
    yield seen
    context.close()
