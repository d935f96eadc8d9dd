"""2a + b in C++, with its gradients."""

import torch
from torch import Tensor

from . import _C  # noqa: F401


def _backward(ctx, grad):
    return 2 * grad, grad


@torch.library.register_fake("official_add::my_add")
def _(a, b):
    return torch.empty_like(a)


torch.library.register_autograd("official_add::my_add", _backward)


def my_add(a: Tensor, b: Tensor) -> Tensor:
    return torch.ops.official_add.my_add.default(a, b)
