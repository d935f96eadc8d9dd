"""`torch.onnx.export`, called by others' code, uses the rules of registered operators."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch

from onnxop_runtime import register, unregister
from onnxop_runtime.exporting.call import plain_export, watched
from onnxop_runtime.operator.export_context import current_export

from .graphs import Calling, op_types, registered
from .samples import asinh

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.linspace(-1, 1, 5)
stock_export: Any = torch.onnx.export  # its annotations lack files in memory
EXPORTERS = pytest.mark.parametrize("dynamo", [True, False], ids=["dynamo", "torchscript"])


@pytest.mark.slow
@EXPORTERS
@pytest.mark.parametrize("strict", ["0", "1"])
def test_nodes_of_a_domain_get_bodies(
    dynamo: bool, strict: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(plain_export.STRICT, strict)
    buffer, path = io.BytesIO(), tmp_path / "m.onnx"
    with registered(asinh(default_domain="acme")):
        for f in (buffer, str(path)):
            stock_export(Calling(torch.asinh).eval(), (X,), f, dynamo=dynamo, opset_version=18)
    for model in (onnx.load_from_string(buffer.getvalue()), onnx.load(path)):
        assert [node.domain for node in model.graph.node] == ["acme"]
        assert [function.name for function in model.functions] == ["asinh"]
        assert {entry.domain: entry.version for entry in model.opset_import}["acme"] == 1
    assert current_export() is None


def test_the_caller_s_domains_of_torchscript_stay() -> None:
    buffer = io.BytesIO()
    with registered(asinh(default_domain="acme")):
        stock_export(
            Calling(torch.asinh).eval(),
            (X,),
            buffer,
            dynamo=False,
            opset_version=18,
            custom_opsets={"acme": 4},
        )
    model = onnx.load_from_string(buffer.getvalue())
    assert {entry.domain: entry.version for entry in model.opset_import} == {"": 18, "acme": 1}


def test_scripted_models_are_exported() -> None:
    buffer = io.BytesIO()
    with registered(asinh()):
        trace: Any = torch.jit.trace
        scripted = trace(torch.asinh, X)
        stock_export(scripted, (X,), buffer, dynamo=False, opset_version=18)
    assert op_types(onnx.load_from_string(buffer.getvalue())) == ["Asinh"]


def test_what_a_stream_held_before_stays() -> None:
    buffer = io.BytesIO()
    buffer.write(b"header")
    with registered(asinh(default_domain="acme")):
        stock_export(Calling(torch.asinh).eval(), (X,), buffer, dynamo=False, opset_version=18)
    content = buffer.getvalue()
    assert content.startswith(b"header")
    model = onnx.load_from_string(content.removeprefix(b"header"))
    assert [function.name for function in model.functions] == ["asinh"]


def falling_back(model: torch.nn.Module, args: Any, f: str, **options: Any) -> onnx.ModelProto:
    """Export as PyTorch 2.10 does with ``fallback=True``, for a model that torch.export refuses."""
    stock_export(model, args, f, dynamo=False, opset_version=options["opset_version"])
    return onnx.load(f)


def test_a_fallback_is_an_export_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that the rules of the TorchScript exporter get its context, and that the file has
    bodies.
    """
    calls: list[watched.ExportCall] = []

    @contextmanager
    def watch(call: watched.ExportCall) -> Iterator[None]:
        calls.append(call)
        yield

    monkeypatch.setattr(watched, "_watchers", [watch])
    options = {"opset_version": 17, "fallback": True}
    with registered(asinh(default_domain="acme", opset=9)):
        model = plain_export._watched_by_dynamo(
            falling_back, Calling(torch.asinh).eval(), (X,), str(tmp_path / "m.onnx"), **options
        )
    (call,) = calls
    assert call.context is not None
    assert (call.context.dynamo, call.context.opset) == (False, 17)
    assert call.context.log.calls.total() == 1
    assert isinstance(model, onnx.ModelProto)
    assert [node.domain for node in model.graph.node] == ["acme"]
    assert [function.name for function in model.functions] == ["asinh"]


BESSEL = """
[op]
schema = "aten::{}(Tensor self) -> Tensor"

[onnx]
opset = 13
{}
"""


@pytest.mark.parametrize(
    "mapping", ["op.Mul(self, 2.5)", "op.Neg(self) if is_floating_point(self) else self"]
)
def test_a_dtype_after_a_node_of_a_domain(mapping: str, tmp_path: Path) -> None:
    """A model of torch.jit has no trace, and PyTorch knows no results of nodes of a domain."""
    node = BESSEL.format("special_i0e", 'domain = "bessel"\nmapping = "op.Neg(self)"')
    after = BESSEL.format("special_i1e", f'mapping = "{mapping}"')

    def call(x: torch.Tensor) -> Any:
        return torch.special.i1e(torch.special.i0e(x))

    operators = [*register(node), *register(after)]
    trace: Any = torch.jit.trace
    path, args = tmp_path / "m.onnx", (torch.rand(3),)
    model = Calling(call).eval()
    try:
        torch.onnx.export(model, args, path, dynamo=False, verbose=False)
        with pytest.raises(
            ValueError, match=r"unknown.*; if this is a model of torch\.jit, export"
        ):
            torch.onnx.export(trace(model, args), args, path, dynamo=False, verbose=False)
    finally:
        unregister(operators)
