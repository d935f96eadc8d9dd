"""A library for CUDA in sessions of ONNX Runtime, whose CPU provider runs it: attributes, outputs,
errors and counts.
"""

from __future__ import annotations

import ctypes
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest

from tests.conftest import Shared
from tests.emulated.emulation import ROOT, library
from tests.rendering import generate

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]


@pytest.fixture(scope="session")
def path(shared: Shared) -> Path:
    sources = [ROOT / "reference_ops" / "my_add" / "csrc" / "my_add.cpp"]
    name = "libmy_add_cuda.so"
    return shared.once("emulated_library", lambda folder: library(sources, folder / name)) / name


def session(path: Path, model: str) -> Any:
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(str(path))
    options.log_severity_level = 4
    text = f'<ir_version: 8, opset_import: ["": 18, "my_lib": 1]> {model}'
    serialized = onnx.parser.parse_model(text).SerializeToString()
    return onnxruntime.InferenceSession(serialized, options, providers=["CPUExecutionProvider"])


def served(path: Path) -> Any:
    function = ctypes.CDLL(str(path)).onnxop_served
    function.restype = ctypes.c_char_p
    return json.loads(function(None))


@pytest.mark.parametrize("kind", ["float", "double", "float16", "int8", "int64"])
def test_values(path: Path, kind: str) -> None:
    body = "t = my_lib.my_add (a, b) c = my_lib.my_add (t, b)"
    model = f"g ({kind}[n, 3] a, {kind}[3] b) => ({kind}[n, 3] c) {{ {body} }}"
    made = session(path, model)
    assert served(path) == {"my_lib::my_add": {"cuda": 2}}
    dtype = {"float": "float32", "double": "float64"}.get(kind, kind)
    for rows in (0, 1, 5):
        a = np.arange(rows * 3).reshape(rows, 3).astype(dtype)
        b = np.array([1, 2, 3], dtype)
        (c,) = made.run(None, {"a": a, "b": b})
        assert c.dtype == a.dtype
        np.testing.assert_array_equal(c, 4 * a + 3 * b)


def test_errors(path: Path) -> None:
    made = session(path, "g (float[n] a, float[m] b) => (float[k] c) { c = my_lib.my_add (a, b) }")
    with pytest.raises(Exception, match="cannot be broadcast together"):
        made.run(None, {"a": np.ones(2, np.float32), "b": np.ones(3, np.float32)})
    mixed = "g (float[n] a, double[n] b) => (float[n] c) { c = my_lib.my_add (a, b) }"
    with pytest.raises(Exception, match="must have the same dtype"):
        session(path, mixed)


@pytest.fixture(scope="session")
def first_rows(shared: Shared) -> Path:
    def make(folder: Path) -> None:
        generate(Path(__file__).with_name("first_rows.toml"), folder / "package")
        source = folder / "package" / "csrc" / "first_rows.cpp"
        library([source], folder / "libfirst_rows_cuda.so")

    return shared.once("emulated_first_rows", make) / "libfirst_rows_cuda.so"


def test_input_in_host_memory(first_rows: Path) -> None:
    """Let infer() read an input; the runtime keeps it in the CPU's memory."""
    body = "y = my_lib.first_rows (x, count)"
    made = session(first_rows, f"g (float[n, 3] x, int64[1] count) => (float[m, 3] y) {{ {body} }}")
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    for rows in (0, 2, 4):
        (y,) = made.run(None, {"x": x, "count": np.array([rows])})
        np.testing.assert_array_equal(y, x[:rows])
    with pytest.raises(Exception, match="count is 5, but x has 4 rows"):
        made.run(None, {"x": x, "count": np.array([5])})
    assert served(first_rows) == {"my_lib::first_rows": {"cuda": 1}}
