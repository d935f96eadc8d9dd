"""What ONNX Runtime computes by an operator's mapping, without an export."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ...mapping.sample_model import Mapped
from ...mapping.sample_model import Tensor as SampleTensor
from ...verification.runners import as_array
from ..arguments import Arguments
from ..base import OperatorTests


def by_mapping(tests: type[OperatorTests], arguments: Arguments) -> list[Tensor] | None:
    """Return what ONNX Runtime computes by the mapping; None if it cannot, or if there is no
    mapping.
    """
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    operator = tests.operator
    if operator.rule is None or any(tensor.is_list for tensor in operator.tensors):
        return None
    kinds = {scalar.name: scalar.base_type for scalar in operator.scalars}
    mapped = Mapped(operator.rule, operator.opset, kinds, len(operator.results))
    tensors = {n: v for n, v in tests.values(arguments).items() if isinstance(v, Tensor)}
    shapes = {
        n: SampleTensor(str(t.dtype).removeprefix("torch."), (*t.shape,))
        for n, t in tensors.items()
    }
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        built = mapped.model(operator.opset, {**tests.values(arguments), **shapes})
        session = onnxruntime.InferenceSession(
            built.model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        outputs: Any = session.run(None, {name: as_array(t) for name, t in tensors.items()})
        return [torch.from_numpy(output) for output in outputs]
    except Exception:  # noqa: BLE001 - ONNX Runtime lacks kernels of some dtypes
        return None
