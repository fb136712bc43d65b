from __future__ import annotations

import pytest

from bestiary.report.task_words import counted_as, words_of
from bestiary.tasks import TASKS, task_class


@pytest.mark.parametrize("name", TASKS)
def test_a_report_counts_what_the_task_s_segments_count(name):
    assert words_of(name).thing == task_class(name).segment_kind.thing
    # An import path is the same task.
    assert words_of(TASKS[name]) is words_of(name)


def test_an_unknown_task_is_called_by_its_name():
    words = words_of("package.module:Own")
    assert words.lead == "Task package.module:Own"
    assert not words.theory


def test_a_column_of_several_tasks_names_all_that_is_counted():
    assert counted_as(map(words_of, ["mqar", "associative-recall"])) == "pairs"
    assert counted_as(map(words_of, ["induction", "selective-copy", "mqar"])) == "items or pairs"
    assert counted_as([words_of("induction")]) == ""
