"""What a page needs to stand alone: code and data put into it so that they stay harmless.

Three kinds of text meet in a template, each with its own way of staying harmless. Data that are
shown go through Jinja's autoescaping. Data for the script are JSON in a block that is never
executed, with ``<`` written as an escape so that no tag can end it. Only code of Bestiary and of
the chart libraries is put in as it is, and the page's content security policy names its hashes,
so that a script which got in by any other way would not run.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
from importlib import resources
from typing import Any

import vl_convert
from markupsafe import Markup


def asset(name: str) -> str:
    """The text of a file beside this module."""
    return (resources.files("bestiary.report") / name).read_text(encoding="utf-8")


@functools.cache
def libraries() -> str:
    """Vega, Vega-Lite and vega-embed as one script, from the package that draws the pictures."""
    return str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))


def inline(code: str, tag: str) -> Markup:
    """Code of ours or of a library, for between its tags; raises where it would end them."""
    if f"</{tag}" in code.lower() or "<!--" in code:
        raise ValueError(f"a {tag} may not hold its own end tag or a comment of HTML")
    return Markup(code)


def source_hash(code: str) -> str:
    """What a content security policy calls an inline script."""
    digest = hashlib.sha256(code.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def script_data(data: Any) -> Markup:
    """JSON for a block that is not executed; no ``<`` in it, so nothing in it is a tag."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.replace("<", "\\u003c"))
