import sys

import numpy as np
import onnxruntime
import pytest
import torch
from direct_sums import noise
from test_structured_parts import structured_stack

from bestiary.errors import UserError
from bestiary.mixers.base_conv_layer import BaseConvLayer
from bestiary.mixers.base_conv_stack import BaseConvStack
from bestiary.mixers.filters import ExplicitFilter
from bestiary.mixers.onnx_export import export_onnx
from bestiary.mixers.sparse_weight import SparseWeight
from bestiary.mixers.tap_filter import TapFilter


def run(path, x):
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(["y"], {"x": x.numpy()})[0]


def assert_exported(stack, x, path, tolerance):
    export_onnx(stack, path, x.shape[1], x.shape[2])
    with torch.no_grad():
        expected = stack(x).numpy()
    found = run(path, x)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    scale = np.abs(expected).max()
    assert scale > 0
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


@pytest.mark.parametrize("mode", ["causal", "circular"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
@pytest.mark.parametrize("dense", [False, True])
def test_an_exported_stack_gives_the_same_outputs(tmp_path, mode, dtype, tolerance, dense):
    stack = structured_stack(seed=3, mode=mode)
    stack = (stack.dense() if dense else stack).to(dtype)
    x = noise(4, 9, 2, seed=1).to(dtype)
    assert_exported(stack, x, tmp_path / "a.onnx", tolerance)


def test_rows_are_read_where_the_stack_reads_them(tmp_path):
    trained = BaseConvLayer(ExplicitFilter(noise(3, 4)), None, noise(4), noise(8, 4))
    stack = BaseConvStack([trained], [2, 0], inner_length=8, delay=2, read_rows=3)
    assert_exported(stack, noise(2, 5, 3), tmp_path / "a.onnx", 1e-12)


def test_a_column_of_many_entries_and_one_of_none(tmp_path):
    width = 40
    weight = SparseWeight(width, range(12), [3] * 12, torch.arange(1.0, 13).double())
    taps = TapFilter(width, [0, 2, 9], [3, 3, 5], torch.ones(3).double())
    stack = BaseConvStack([BaseConvLayer(taps, weight)], width, inner_length=4)
    assert not weight.as_dense
    assert_exported(stack, noise(2, 4, width), tmp_path / "a.onnx", 1e-12)


def test_without_the_package_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(UserError, match=r"pip install 'bestiary\[onnx\]'"):
        export_onnx(structured_stack(), tmp_path / "a.onnx", 9, 2)


def test_sizes_and_dtypes_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(UserError, match="given length 10"):
        export_onnx(structured_stack(), tmp_path / "a.onnx", 10, 2)
    with pytest.raises(UserError, match=r"torch.bfloat16 cannot be exported"):
        export_onnx(structured_stack().bfloat16(), tmp_path / "a.onnx", 9, 2)
