"""A subclass of a package's Function computes with the methods that it overrides."""

from typing import Any

import sized
import torch


class Hundredfold(sized.LengthenFunction):
    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad * 100, None, None


class Deeper(Hundredfold):
    pass


class Same(sized.LengthenFunction):
    def helper(self) -> None:
        """Override nothing that computes."""


x, w = torch.ones(4, 3), torch.full((4,), 2.0)
expected = {sized.LengthenFunction: 2.0, Same: 2.0, Hundredfold: 100.0, Deeper: 100.0}
for function, gradient in expected.items():
    leaf = x.clone().requires_grad_()
    function.apply(leaf, w, 1.0).sum().backward()
    assert leaf.grad is not None and (leaf.grad == gradient).all(), (function, leaf.grad)
    transformed = torch.func.grad(lambda t, f=function: f.apply(t, w, 1.0).sum())(x)
    assert (transformed == gradient).all(), (function, transformed)
print("done")
