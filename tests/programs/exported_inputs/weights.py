"""An op that reads a tensor's sizes gets a Parameter, a buffer, a constant or the op's own result."""

import sys
import warnings
from typing import Any

import sized
import torch

warnings.simplefilter("ignore")


class Parameter(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(4))
        self.large = torch.nn.Parameter(torch.rand(4, 100))
        self.register_buffer("buffer", torch.rand(4))

    def forward(self, x: torch.Tensor) -> Any:
        return sized.lengthen(x, self.weight)


class Buffer(Parameter):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.lengthen(x, self.buffer)


class Constant(Parameter):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.lengthen(x, torch.tensor([1.0, 2.0, 3.0, 4.0]))


class First(Parameter):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.lengthen(self.large, x[:, 0])


class All(Parameter):
    def forward(self, x: torch.Tensor) -> Any:
        return x + sized.lengthen(self.large, self.weight)[:, :3]


class Reshaped(Parameter):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.lengthen(x, self.weight.reshape(2, 2).reshape(-1))


class OwnResult(Parameter):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.lengthen(sized.lengthen(x, self.weight), self.buffer, scale=2.0)


x = torch.rand(4, 3)
for kind in (Parameter, Buffer, Constant, First, All, Reshaped, OwnResult):
    for dynamo in (True, False):
        for domain in ("", "my_lib"):
            sized.verify(kind().eval(), (x,), dynamo=dynamo, domain=domain, verbose=False)


class Refused(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return sized.lengthen(x, x.reshape(-1)[:4].reshape(4, 1, 1))


for dynamo in (True, False):
    for domain in ("", "my_lib"):
        try:
            sized.export(Refused(), (x,), "m.onnx", dynamo=dynamo, domain=domain, verbose=False)
        except ValueError as error:
            assert str(error).startswith("sized::lengthen: "), error
        else:
            sys.exit(f"dynamo={dynamo}, domain={domain} is not refused")
print("done")
