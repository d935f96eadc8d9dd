"""Additions to the file that the TorchScript exporter writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from torch import Tensor

from onnxop_runtime import export
from onnxop_runtime.exporting.call import torchscript_export
from onnxop_runtime.operator.export_context import ExportContext

from .graphs import Calling, registered
from .samples import asinh, existing

pytestmark = pytest.mark.filterwarnings("ignore")


def written(path: Path, function: object, *tensors: Tensor, **options: object) -> onnx.ModelProto:
    model = Calling(function).eval()  # type: ignore[arg-type]
    export(model, tensors, path, dynamo=False, opset_version=18, **options)  # type: ignore[arg-type]
    return onnx.load(path)


def test_outputs_have_the_names_of_results(tmp_path: Path) -> None:
    def twice(x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.asinh(x), torch.asinh(x + 1)

    with registered(asinh()):
        model = written(tmp_path / "m.onnx", twice, torch.ones(2))
    assert [value.name for value in model.graph.output] == ["result", "result_1"]


def test_numbers_are_no_inputs(tmp_path: Path) -> None:
    class Scaled(torch.nn.Module):
        def forward(self, x: Tensor, scale: float) -> Tensor:
            return torch.asinh(x) * scale

    with registered(asinh()):
        export(Scaled().eval(), (torch.ones(2), 3.0), tmp_path / "m.onnx", dynamo=False)
    assert [value.name for value in onnx.load(tmp_path / "m.onnx").graph.input] == ["x"]


def test_sizes_that_the_exporter_loses(tmp_path: Path) -> None:
    """The reshape loses the static size, of which the mapping needs the value."""
    operator = existing(
        "aten::asinh.default", "op.Asinh(self) if self.shape[1] == 3 else op.Neg(self)"
    )

    def reshaped(x: Tensor) -> Tensor:
        return torch.asinh(x.reshape(x.shape[0], 3))

    with registered(operator):
        model = written(
            tmp_path / "m.onnx",
            reshaped,
            torch.ones(2, 3),
            input_names=["x"],
            dynamic_axes={"x": {0: "n"}},
        )
    assert "Asinh" in [node.op_type for node in model.graph.node]


class _OfOtherCalls:
    """Sizes of other calls than those that the exporter converts."""

    def is_matched(self) -> bool:
        return False


def test_a_second_trace_records_its_calls_alone() -> None:
    context = ExportContext((), dynamo=False, opset=18)

    def trace() -> None:
        context.log.calls[asinh()] += 1

    sizes: Any = _OfOtherCalls()
    torchscript_export.with_sizes_of_calls(trace, sizes, context)
    assert context.log.calls.total() == 1
    assert context.log.call_sizes is None
