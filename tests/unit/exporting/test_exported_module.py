"""A call as a module of its tensors, and the results of an exported program."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from onnxop_runtime.exporting.exported_module import TensorsOnly, map_items, returned


def test_items_of_nested_containers() -> None:
    value = {"a": [1, (2, 3)], "b": 4}
    assert map_items(value, lambda item: item * 10) == {"a": [10, (20, 30)], "b": 40}


class Scaled(torch.nn.Module):
    def forward(self, tensors: list[Tensor], scale: float, *, shift: Tensor) -> Tensor:
        return torch.stack(tensors).sum(0) * scale + shift


def test_other_values_are_constants() -> None:
    args: Any = ([torch.zeros(2), torch.zeros(2)], 3.0)
    module = TensorsOnly(Scaled(), args, {"shift": torch.zeros(2)})
    result = module(torch.ones(2), torch.ones(2), torch.full((2,), 0.5))
    assert result.tolist() == [6.5, 6.5]


class Counting(torch.nn.Module):
    """Returns a tensor, a number and an input, and changes a buffer."""

    calls: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x: Tensor) -> tuple[Tensor, int, Tensor]:
        self.calls.add_(1)
        return x + 1, 2, x


def test_returned_are_tensors_without_mutations() -> None:
    program = torch.export.export(Counting(), (torch.ones(2),))
    shapes = [node.meta["val"].shape for _, node in returned(program)]
    assert shapes == [(2,), (2,)]
