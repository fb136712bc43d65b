import json
import os
import struct
import subprocess
import sys

import pytest
import torch
from direct_sums import noise
from safetensors import safe_open
from safetensors.torch import save_file
from test_structured_parts import structured_stack

from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filters import ExplicitFilter
from bestiary.mixers.implicit_filter import ImplicitFilter
from bestiary.mixers.stack_file import (
    ChannelName,
    StackFile,
    load_stack,
    read_stack_file,
    save_stack,
)
from bestiary.mixers.tensor_file import Document


@pytest.fixture
def path(tmp_path):
    return tmp_path / "made.safetensors"


@pytest.mark.parametrize("mode", ["causal", "circular"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_stack_comes_back_to_the_bit(path, mode, dtype):
    stack = structured_stack(mode=mode).to(dtype)
    save_stack(path, stack)
    again = load_stack(path)
    x = noise(2, 9, 2, seed=1).to(dtype)
    assert torch.equal(again(x), stack(x))
    assert {n: p.dtype for n, p in again.named_parameters()} == {
        n: p.dtype for n, p in stack.named_parameters()
    }
    assert list(again.state_dict()) == list(stack.state_dict())


def test_trained_layers_and_their_dense_forms_are_kept_too(path):
    trained = BaseConvLayer(ExplicitFilter(noise(3, 4)), None, noise(4), noise(6, 4))
    stack = BaseConvStack([trained], [2, 0], inner_length=6, delay=1, read_rows=4)
    for one in (stack, stack.dense()):
        save_stack(path, one)
        again = load_stack(path)
        x = noise(2, 5, 4, seed=2)
        assert torch.equal(again(x), one(x))
        assert (again.channels, again.delay, again.read_rows) == ((2, 0), 1, 4)


def test_what_is_known_of_a_stack_goes_along(path):
    names = ((ChannelName(0, "u.0"), ChannelName(1, "u.1")), (ChannelName(3, "née", 2),))
    extra = Document({"format": "something", "n": 1}, {"array": torch.arange(3)})
    save_stack(path, StackFile(structured_stack(), 9, 2, names, {"is": "dct"}, {"extra": extra}))
    file = read_stack_file(path)
    assert file.size == (9, 3, 2, 9, 5)
    assert (file.names, file.about) == (names, {"is": "dct"})
    assert file.documents["extra"].header == extra.header
    assert torch.equal(file.documents["extra"].arrays["array"], torch.arange(3))


def test_loading_imports_nothing_of_the_compiler(path):
    save_stack(path, structured_stack())
    code = (
        "import sys, torch; from bestiary.mixers.stack_file import load_stack; "
        "y = load_stack(sys.argv[1])(torch.ones(1, 9, 2, dtype=torch.float64)); "
        "print([m for m in sys.modules if m.startswith('bestiary.compile')], tuple(y.shape))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[] (1, 9, 3)"


def with_header(path, change):
    """The file with its header changed as a newer program, or a hand, might."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    head = json.loads(data[8 : 8 + size])
    told = json.loads(head["__metadata__"]["bestiary"])
    change(told)
    head["__metadata__"]["bestiary"] = json.dumps(told)
    text = json.dumps(head).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data[8 + size :])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda told: told.update(version=2), "format version 2; this program reads versions 1 to"),
        (lambda told: told.update(format="bestiary program"), "is not a BaseConv stack file"),
        (lambda told: told.pop("layers"), "'layers' is missing"),
        (lambda told: told["layers"][0]["filter"].update(kind="x"), "damaged"),
        (lambda told: told["layers"].append(told["layers"][0]), r"layers\.3\..* is missing"),
        (lambda told: told.update(channels=[99]), "channel 99"),
        (lambda told: told.update(width=4), "width is 4, its layers have 5"),
        (lambda told: told["layers"][1].update(mode="loop"), "unknown BaseConv mode 'loop'"),
    ],
)
def test_a_header_that_does_not_fit_is_one_sentence(path, change, words):
    save_stack(path, structured_stack())
    with_header(path, change)
    with pytest.raises(UserError, match=words) as caught:
        load_stack(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("kept", [0, 5, 60, 0.5, 0.99])
def test_a_file_that_is_cut_off_is_refused(path, kept):
    save_stack(path, structured_stack())
    data = path.read_bytes()
    path.write_bytes(data[: int(kept * len(data)) if isinstance(kept, float) else kept])
    with pytest.raises(UserError, match="is cut off or damaged"):
        load_stack(path)


def test_other_files_are_refused(path, tmp_path):
    with pytest.raises(UserError, match=r"nothing cannot be read: No such file or directory$"):
        load_stack(tmp_path / "nothing")
    with pytest.raises(UserError, match="cannot be read"):
        load_stack(tmp_path)
    save_file({"a": torch.ones(2)}, path)
    with pytest.raises(UserError, match="not a BaseConv stack file: it has arrays, but no"):
        load_stack(path)
    torch.save({"a": torch.ones(2)}, path)
    with pytest.raises(UserError, match="is not a BaseConv stack file"):
        load_stack(path)


def test_a_filter_that_is_a_network_is_refused_with_what_to_do(path):
    stack = BaseConvStack([BaseConvLayer(ImplicitFilter(2, max_length=8))], 2, inner_length=8)
    with pytest.raises(UserError, match=r"layer 1 is a ImplicitFilter.*dense\(\)"):
        save_stack(path, stack)
    save_stack(path, stack.dense())
    x = noise(1, 8, 2).float()
    torch.testing.assert_close(load_stack(path)(x), stack(x), rtol=0, atol=1e-5)


def test_a_place_that_cannot_be_written_to_is_one_sentence(tmp_path):
    with pytest.raises(UserError, match="cannot be written"):
        save_stack(tmp_path / "no" / "such" / "folder", structured_stack())
    assert list(tmp_path.iterdir()) == []


def test_a_pipe_is_not_replaced_by_a_file(path):
    os.mkfifo(path)
    with pytest.raises(UserError, match="no ordinary file"):
        save_stack(path, structured_stack())
    assert path.is_fifo()
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("name", ["", ".", "made", "missing/made.safetensors"])
def test_a_folder_is_refused_as_the_place_of_a_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made").mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        save_stack(name, structured_stack())
    assert [p.name for p in tmp_path.iterdir()] == ["made"]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("rows", 0),
        ("rows", "9"),
        ("rows", 10**12),
        ("inputs", -1),
        ("inputs", 10**12),
        ("inner_length", -3),
        ("read_rows", 10**12),
        ("width", 10**12),
        ("delay", 1.5),
        ("delay", -1),
        ("channels", []),
        ("channels", 10**12),
        ("layers", [{"filter": {"kind": "taps", "channels": 10**30}}]),
        ("about", []),
    ],
)
def test_sizes_that_no_stack_has_are_refused_before_anything_is_made(path, name, value):
    save_stack(path, StackFile(structured_stack(), 9, 2))
    with_header(path, lambda header: header.__setitem__(name, value))
    with pytest.raises(UserError, match="damaged"):
        read_stack_file(path)


def test_a_file_can_be_read_by_others_as_the_umask_says(path):
    before = os.umask(0o022)
    try:
        save_stack(path, structured_stack())
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("damage", [lambda a: a[..., None], lambda a: a.bool(), lambda a: a[:-1]])
def test_arrays_of_another_shape_or_type_are_damaged(path, damage):
    save_stack(path, structured_stack())
    with safe_open(path, framework="pt") as file:
        header = file.metadata()
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    for name, array in arrays.items():
        if not len(array) or array.ndim > 1:
            continue
        save_file({**arrays, name: damage(array).contiguous()}, path, metadata=header)
        with pytest.raises(UserError, match="damaged"):
            read_stack_file(path)
