"""aten::feature_dropout: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::feature_dropout.default",
    existing="aten::feature_dropout.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="feature_dropout",
    doc="The operator aten::feature_dropout.",
    spec="sha256:a89739b516e2bba35929dc9f1a6cfdbfea37949336b42070a5a96e6cd2851530",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.feature_dropout.default


@_onnxop.script.scripted(OP)
def feature_dropout(
    input: Tensor,
    p: float,
    train: bool,
) -> Tensor:
    """The operator aten::feature_dropout.

    Args:
        input: a tensor.
        p: a float.
        train: a boolean.

    Returns:
        What PyTorch's aten::feature_dropout returns.
    """
    result: Tensor = _operator(
        input,
        p,
        train,
    )
    return result


class FeatureDropout(torch.nn.Module):
    """`feature_dropout` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float,
        train: bool,
    ) -> None:
        super().__init__()
        self.p = p
        self.train_ = train

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return feature_dropout(
            input,
            self.p,
            self.train_,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
                f"train={self.train_}",
            ]
        )
