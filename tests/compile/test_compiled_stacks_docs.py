"""docs/compiled-stacks.md is run, and prints what it shows."""

from pages import examples_tried


def test_the_examples_print_what_the_page_shows():
    attempted, failed = examples_tried("compiled-stacks.md")
    assert attempted > 15
    assert failed == 0
