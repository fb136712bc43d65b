"""docs/compiled-stacks.md is run, and prints what it shows."""

import doctest
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "compiled-stacks.md").read_text(encoding="utf-8")


def test_the_examples_print_what_the_page_shows():
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE, re.DOTALL))
    example = doctest.DocTestParser().get_doctest(text, {}, "docs/compiled-stacks.md", None, 0)
    result = doctest.DocTestRunner().run(example)
    assert result.attempted > 15
    assert result.failed == 0
