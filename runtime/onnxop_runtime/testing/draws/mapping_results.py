"""What ONNX Runtime computes by an operator's mapping, without an export."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...mapping.sample_model import Mapped
from ...mapping.sample_model import Tensor as SampleTensor
from ...verification.runners import as_array, runner
from ..arguments import Arguments
from ..base import OperatorTests


def by_mapping(tests: type[OperatorTests], arguments: Arguments) -> list[Tensor] | None:
    """Return what ONNX Runtime computes by the mapping; None if it cannot, or if there is no
    mapping.
    """
    if tests.operator.rule is None:
        return None
    try:
        return run_mapping(tests, arguments)
    except Exception:  # noqa: BLE001 - ONNX Runtime lacks kernels of some dtypes
        return None


def run_mapping(tests: type[OperatorTests], arguments: Arguments) -> list[Tensor]:
    """Return what ONNX Runtime computes by the mapping. Raise MappingError if the mapping refuses
    the call, and what ONNX Runtime raises if it cannot compute the nodes.
    """
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    operator = tests.operator
    kinds = {scalar.name: scalar.base_type for scalar in operator.scalars}
    mapped = Mapped(operator.rule, operator.opset, kinds, len(operator.results))
    values = tests.values(arguments)
    sample = {name: values[name] if name in kinds else _shapes(values[name]) for name in values}
    built = mapped.model(operator.opset, sample)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        built.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    inputs = {port.name for port in session.get_inputs()}
    arrays = {name: as_array(tensor) for name, tensor in _inputs_of(values) if name in inputs}
    return [as_tensor(output) for output in runner(session)(arrays)]


def as_tensor(array: Any) -> Tensor:
    """Return an array of a runtime as a tensor; numpy has no bfloat16."""
    if str(array.dtype) == "bfloat16":
        return torch.from_numpy(array.view("int16")).view(torch.bfloat16)
    return torch.from_numpy(array)


def _shapes(value: Any) -> Any:
    """Return the dtypes and sizes of a tensor, or of those of a list."""
    if isinstance(value, Tensor):
        return SampleTensor(str(value.dtype).removeprefix("torch."), (*value.shape,))
    return [_shapes(item) for item in value] if isinstance(value, list | tuple) else value


def _inputs_of(arguments: Arguments) -> list[tuple[str, Tensor]]:
    """Return the tensors of arguments by their names in the model of a call."""
    inputs: list[tuple[str, Tensor]] = []
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            inputs.append((name, value))
        elif isinstance(value, list | tuple):
            items = ((f"{name}[{place}]", item) for place, item in enumerate(value))
            inputs += [(label, item) for label, item in items if isinstance(item, Tensor)]
    return inputs
