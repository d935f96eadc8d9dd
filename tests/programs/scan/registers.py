import torch

import onnxop_runtime

onnxop_runtime.register(
    """
    [op]
    schema = "aten::erfinv"

    [onnx]
    opset = 13
    mapping = "return self * 2"
    """
)


class Normal(torch.nn.Module):
    """Calls an operator for which this module registers a rule, which is wrong but for 0."""

    def forward(self, x):
        return torch.erfinv(x) * 3


def build():
    return Normal().eval(), (torch.zeros(3),)
