"""aten::nan_to_num: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::nan_to_num.default",
    existing="aten::nan_to_num.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="nan_to_num",
    doc="The operator aten::nan_to_num.",
    spec="sha256:2fdfda1fa48eea4fbbcce07e09a779b3be4971568980b392498d39ffbf855290",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nan_to_num.default


@_onnxop.script.scripted(OP)
def nan_to_num(
    self: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """The operator aten::nan_to_num.

    Args:
        self: a tensor.
        nan: a float or None; None by default.
        posinf: a float or None; None by default.
        neginf: a float or None; None by default.

    Returns:
        What PyTorch's aten::nan_to_num returns.
    """
    result: Tensor = _operator(
        self,
        nan,
        posinf,
        neginf,
    )
    return result


class NanToNum(torch.nn.Module):
    """`nan_to_num` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        nan: float | None = None,
        posinf: float | None = None,
        neginf: float | None = None,
    ) -> None:
        super().__init__()
        self.nan = nan
        self.posinf = posinf
        self.neginf = neginf

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return nan_to_num(
            input,
            self.nan,
            self.posinf,
            self.neginf,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"nan={self.nan}",
                f"posinf={self.posinf}",
                f"neginf={self.neginf}",
            ]
        )
