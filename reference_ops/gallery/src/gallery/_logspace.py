"""aten::logspace: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::logspace.Tensor_Tensor",
    existing="aten::logspace.Tensor_Tensor",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="logspace",
    doc="The operator aten::logspace.",
    spec="sha256:c7907de5bd3de05dd9001a73d327a918f00dd1e407e18121e0ab011ad096ae44",
    held=[
        "dtype",
        "layout",
        "device",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logspace.Tensor_Tensor


@_onnxop.script.scripted(OP)
def logspace(
    start: Tensor,
    end: Tensor,
    steps: int,
    base: float = 10.0,
    *,
    pin_memory: bool | None = None,
) -> Tensor:
    """The operator aten::logspace.

    Args:
        start: a tensor.
        end: a tensor.
        steps: an integer.
        base: a float; 10.0 by default.
        pin_memory: a boolean or None; None by default.

    Returns:
        What PyTorch's aten::logspace returns.
    """
    result: Tensor = _operator(
        start,
        end,
        steps,
        base,
        pin_memory=pin_memory,
    )
    return result


class Logspace(torch.nn.Module):
    """`logspace` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        steps: int,
        base: float = 10.0,
        *,
        pin_memory: bool | None = None,
    ) -> None:
        super().__init__()
        self.steps = steps
        self.base = base
        self.pin_memory = pin_memory

    def forward(
        self,
        start: Tensor,
        end: Tensor,
    ) -> Tensor:
        return logspace(
            start,
            end,
            self.steps,
            self.base,
            pin_memory=self.pin_memory,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"steps={self.steps}",
                f"base={self.base}",
                f"pin_memory={self.pin_memory}",
            ]
        )
