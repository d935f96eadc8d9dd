"""aten::linalg_svdvals: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_svdvals.default",
    existing="aten::linalg_svdvals.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_svdvals",
    doc="The operator aten::linalg_svdvals.",
    spec="sha256:afa592af0cd904389121c8dd393a176ee7d110a3a3efae42136e7d6202af7fb1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_svdvals.default


@_onnxop.script.scripted(OP)
def linalg_svdvals(
    A: Tensor,
    *,
    driver: str | None = None,
) -> Tensor:
    """The operator aten::linalg_svdvals.

    Args:
        A: a tensor.
        driver: a string or None; None by default.

    Returns:
        What PyTorch's aten::linalg_svdvals returns.
    """
    result: Tensor = _operator(
        A,
        driver=driver,
    )
    return result


class LinalgSvdvals(torch.nn.Module):
    """`linalg_svdvals` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        driver: str | None = None,
    ) -> None:
        super().__init__()
        self.driver = driver

    def forward(
        self,
        A: Tensor,
    ) -> Tensor:
        return linalg_svdvals(
            A,
            driver=self.driver,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"driver={self.driver}",
            ]
        )
