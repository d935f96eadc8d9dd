"""Sessions for models of all packages: what computes their nodes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from onnxop_runtime.verification import serving
from tests.unit.exporting.samples import asinh

MODEL = """
<ir_version: 8, opset_import: ["": 18, "acme": 1]>
graph (float[2] x) => (float[2] y) { y = acme.asinh (x) }
<domain: "acme", opset_import: ["": 18]> asinh (a) => (b) { b = Asinh (a) }
"""


class Everyone:
    """All packages: one, with an operator without a kernel."""

    def __init__(self) -> None:
        self.operators = [asinh(default_domain="acme")]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "m.onnx"
    onnx.save(onnx.parser.parse_model(MODEL), path)
    return path


def test_function_bodies_compute_what_no_library_does(file: Path) -> None:
    session = serving.session_of_all(Everyone(), file)
    assert session.served == {"my_lib": {"aten::asinh": {"cpu": 0}}}
    (result,) = session.run(None, {"x": np.ones(2, np.float32)})
    assert np.allclose(result, np.arcsinh(1.0))


def test_native_nodes_may_be_required(file: Path) -> None:
    with pytest.raises(RuntimeError, match="of 1 node no library computes 0, and no acme::asinh"):
        serving.session_of_all(Everyone(), file, require_native=True)
