"""Models in OpenVINO: functions are inlined, except for nodes that a library serves."""

from __future__ import annotations

from pathlib import Path

import ml_dtypes
import numpy as np
import onnx
import pytest

pytest.importorskip("openvino")

from onnxop_runtime.verification import openvino

MODEL = """
<ir_version: 8, opset_import: ["": 18, "acme": 1]>
graph ({type}[2] x, {type}[2] unused) => ({type}[2] y) {{ y = acme.doubled (x) }}
<domain: "acme", opset_import: ["": 18]> doubled (a) => (b) {{ b = Add (a, a) }}
"""


def saved(folder: Path, text: str) -> tuple[Path, onnx.ModelProto]:
    model = onnx.parser.parse_model(text)
    path = folder / "m.onnx"
    onnx.save(model, path)
    return path, model


def test_functions_are_inlined(tmp_path: Path) -> None:
    path, model = saved(tmp_path, MODEL.format(type="float"))
    run, inlined = openvino.load([], path, model, served=[])
    assert inlined == ["acme::doubled"]
    x = np.array([0.1, 2.0], np.float32)
    (result,) = run({"x": x, "unused": x})
    np.testing.assert_array_equal(result, x + x)


def test_bfloat16(tmp_path: Path) -> None:
    path, model = saved(tmp_path, MODEL.format(type="bfloat16"))
    run, _ = openvino.load([], path, model, served=[])
    x = np.array([0.5, -3.0], ml_dtypes.bfloat16)
    (result,) = run({"x": x, "unused": x})
    assert result.dtype == ml_dtypes.bfloat16
    assert result.tolist() == [1.0, -6.0]


def test_numbers_are_not_rounded_to_bfloat16(tmp_path: Path) -> None:
    path, model = saved(tmp_path, MODEL.format(type="float"))
    run, _ = openvino.load([], path, model, served=[])
    x = np.array([1 + 2**-20, 1 / 3], np.float32)
    np.testing.assert_array_equal(run({"x": x, "unused": x})[0], x + x)


def test_a_node_without_a_library_is_refused(tmp_path: Path) -> None:
    path, model = saved(tmp_path, MODEL.format(type="float"))
    with pytest.raises(RuntimeError, match="doubled"):
        openvino.load([], path, model, served=[("acme", "doubled")])
