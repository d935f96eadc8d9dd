# Run by test_scripted of test_torch.py.
# ruff: noqa: F401
import sys

import many_ops as many
import my_add
import torch

x = torch.linspace(-1, 1, 20)


def add(x):
    return my_add.my_add(x, b=x)


def scalars(x):
    return many.axps(x, 3), many.axps(x, 2.5, c=2), many.axps((x * 9).long(), 3, c=2)


def lists(x):
    return many.keep_above(x, [1, 2], limit=0.5, side="below"), many.keep_above(x)


def composed(x):
    return many.quick_gelu(x, 1.5), many.quick_gelu(x)


class Activated(torch.nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.activation = activation

    def forward(self, x):
        return self.activation(x)


CALLS = [
    (add, (x,), {}),
    (scalars, (x,), {}),
    (lists, (x,), {}),
    (composed, (x,), {}),
    (my_add.MyAdd(), (x, x), {}),
    (many.Axps(3, c=2.5), (x,), {}),
    (many.KeepAbove((2, 1), 0.5), (x,), {}),
    (many.QuickGelu(1.5), (x,), {}),
    (Activated(many.quick_gelu), (x,), {}),
    (Activated(many.keep_above), (x,), {}),
    (my_add.my_add, (x, x), {}),
    (many.quick_gelu, (x,), {"scale": 1.5}),
    (many.axps, (x, 3), {"c": 2.5}),
    (many.axps, (x, 2.5), {"c": 2}),
    (many.axps, ((x * 9).long(), 3), {"c": 2}),
    (many.keep_above, (x, [1, 2], 0.5), {"side": "below"}),
    (many.keep_above, (x, [2, 0], None, "above"), {}),
    (many.mean_and_spread, (x, x, 0.5), {}),
    (many.topk, (x, 3, -1, True, True), {}),
]
