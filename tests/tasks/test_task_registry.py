import json

import pytest

from bestiary.errors import UserError
from bestiary.tasks import TASKS, build_task, task_class
from bestiary.tasks.mqar import MQAR
from bestiary.tasks.protocol import Task
from bestiary.tasks.registry import task_spec


@pytest.mark.parametrize("name", TASKS)
def test_a_registered_task_is_a_task_with_defaults(name):
    assert isinstance(build_task({"name": name}), Task)


def test_an_import_path_works_in_a_names_place():
    assert task_class("bestiary.tasks.mqar:MQAR") is MQAR


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ({"name": "mqra"}, "'mqra'; did you mean 'mqar'"),
        ({"name": "mqar", "lengths": 64}, "no option 'lengths'; did you mean 'length'"),
        ({"vocab_size": 8}, "needs a name"),
        ({"name": 3}, "needs a name, not 3"),
    ],
)
def test_a_mistake_in_a_spec_is_named(spec, part):
    with pytest.raises(UserError, match=part):
        build_task(spec)


def test_a_spec_builds_the_task_it_was_made_from():
    task = MQAR(256, [{"length": 32, "pairs": 3, "test": 5}], filler="none", cache_bytes=5)
    spec = json.loads(json.dumps(task_spec(task)))
    assert spec["name"] == "mqar"
    assert "cache_bytes" not in spec
    assert build_task(spec) == task


def test_what_a_segment_has_may_stand_beside_the_options_where_there_is_one():
    small = build_task({"name": "mqar", "length": 16, "pairs": 2})
    assert small == build_task({"name": "mqar", "segments": [{"length": 16, "pairs": 2}]})
    # The rest of the segment that is there stays.
    given = {"name": "mqar", "segments": [{"length": 32, "pairs": 4, "test": 7}], "length": 16}
    (segment,) = build_task(given).segments
    assert (segment.length, segment.pairs, segment.test) == (16, 4, 7)
    assert build_task({"name": "selective-copy", "items": 2}).segments[0].items == 2
    assert build_task({"name": "associative-recall", "pairs": 3}).segments[0].pairs == 3


def test_a_length_for_several_segments_is_refused():
    two = [{"length": 16, "pairs": 2}, {"length": 32, "pairs": 2}]
    said = "^length is set for one segment, but there are 2 .accepted: segments alone"
    with pytest.raises(UserError, match=said):
        build_task({"name": "mqar", "segments": two, "length": 8})
