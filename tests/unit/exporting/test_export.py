"""`export`: the checks of its arguments, both exporters, and the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch

from onnxop_runtime import export
from onnxop_runtime.operator.export_context import current_export

from .graphs import Calling, op_types, registered
from .samples import asinh

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.linspace(-1, 1, 6).reshape(2, 3)
EXPORTERS = pytest.mark.parametrize("dynamo", [True, False], ids=["dynamo", "torchscript"])


@pytest.fixture(autouse=True)
def rule() -> Iterator[None]:
    with registered(asinh()):
        yield


def model() -> torch.nn.Module:
    return Calling(torch.asinh).eval()


@EXPORTERS
def test_export_writes_the_file(dynamo: bool, tmp_path: Path) -> None:
    program = export(model(), X, tmp_path / "m.onnx", dynamo=dynamo, input_names=["x"])
    written = onnx.load(tmp_path / "m.onnx")
    assert (program is not None) is dynamo
    assert op_types(written) == ["Asinh"]
    assert [value.name for value in written.graph.input] == ["x"]
    assert [entry.key for entry in written.metadata_props if "onnxop" in entry.key]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


@EXPORTERS
def test_a_node_of_a_domain(dynamo: bool, tmp_path: Path) -> None:
    export(model(), X, tmp_path / "m.onnx", dynamo=dynamo, domain={"aten::asinh": "acme"})
    written = onnx.load(tmp_path / "m.onnx")
    assert [(node.domain, node.op_type) for node in written.graph.node] == [("acme", "asinh")]
    assert [function.name for function in written.functions] == ["asinh"]


@EXPORTERS
def test_dynamic_axes(dynamo: bool, tmp_path: Path) -> None:
    axes = {"x": {0: "batch"}}
    path = tmp_path / "m.onnx"
    export(model(), X, path, dynamo=dynamo, input_names=["x"], dynamic_axes=axes)
    [value] = onnx.load(path).graph.input
    assert value.type.tensor_type.shape.dim[0].dim_param


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"dynamo": False}, ValueError, "f is missing: the TorchScript exporter only writes files"),
        ({"f": "no/such/m.onnx"}, ValueError, "the folder .* does not exist"),
        ({"f": "."}, ValueError, "it is not a file; give the path of a file"),
        ({"verify": True}, ValueError, "export takes no verify=True; call verify"),
        ({"f": "m.onnx", "dynamo": False, "dynamic_shapes": ({0: "n"},)}, ValueError, "is for the"),
        (
            {"function_bodies": False},
            ValueError,
            "needs nodes of a custom domain; also give domain",
        ),
        (
            {"domain": {"my::op": "acme"}},
            ValueError,
            "domain names 'my::op', but the operators are",
        ),
        ({"opset_version": 17}, ValueError, "opsets 18 to 25, not 17"),
        ({"input_names": ["x", "y"]}, ValueError, "input_names has further names, y: the inputs"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused(
    options: dict[str, Any],
    error: type[Exception],
    match: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=match):
        export(model(), X, **options)
    assert not [*tmp_path.iterdir()]
    assert current_export() is None


def test_what_is_no_module_is_refused() -> None:
    trace: Any = torch.jit.trace
    with pytest.raises(TypeError, match="export takes no ScriptModule|TopLevelTracedModule"):
        export(trace(model(), X), X)
    with pytest.raises(TypeError, match="model must be a torch.nn.Module, but it is a int"):
        export(3, X)  # type: ignore[arg-type]


@EXPORTERS
def test_a_refusal_leaves_no_file(dynamo: bool, tmp_path: Path) -> None:
    refusing = asinh(opset=21)
    with (
        registered(refusing),
        pytest.raises(ValueError, match=r"aten::asinh at opsets 21 to \d+, not 20"),
    ):
        export(model(), X, tmp_path / "m.onnx", dynamo=dynamo, opset_version=20)
    assert not [*tmp_path.iterdir()]
