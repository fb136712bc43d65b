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
        ({"name": "mqar", "length": 64}, "no option 'length'"),
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
