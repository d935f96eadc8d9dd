"""The sizes of operators' tensors in a model with dynamic axes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from onnxop_runtime.exporting.call.call_sizes import CallSizes, reads_sizes, sizes_of_calls
from onnxop_runtime.exporting.call.model_arguments import Call

from .graphs import Calling
from .samples import asinh, existing

X = torch.ones(4, 3)
SIZED = existing("aten::asinh.default", "op.Expand(self, [1, self.shape[1]])")


def test_mappings_that_read_sizes() -> None:
    assert reads_sizes(SIZED)
    assert reads_sizes(existing("aten::asinh.default", "op.Asinh(self) if rank(self) else self"))
    assert not reads_sizes(asinh())
    assert not reads_sizes(existing("aten::asinh.default"))


def sizes(function: Any, dims: Any) -> CallSizes:
    return CallSizes((Calling(function).eval(), (X,), {}), ((dims,),))


def test_sizes_at_each_call() -> None:
    def twice(x: Tensor) -> Tensor:
        return torch.asinh(torch.asinh(x)[:2])

    known = sizes(twice, {0: torch.export.Dim.DYNAMIC})
    [first] = known.at(SIZED, 0)
    assert first[1] == 3
    assert not isinstance(first[0], int)
    assert known.at(SIZED, 1) == [(2, 3)]
    assert known.at(SIZED, 2) == []
    assert known.at(asinh(), 0) == []


def test_a_model_that_torch_export_does_not_take() -> None:
    def by_value(x: Tensor) -> Tensor:
        return torch.asinh(x) if x.sum() > 0 else x

    assert sizes(by_value, {0: torch.export.Dim.DYNAMIC}).at(SIZED, 0) == []


def test_calls_are_counted() -> None:
    known = sizes(torch.asinh, {0: torch.export.Dim.DYNAMIC})
    assert known.is_matched()
    assert not known.has_all_calls(SIZED, 1)
    known.set_types(SIZED, [])
    assert known.has_all_calls(SIZED, 1)


def test_static_and_dynamic_axes() -> None:
    x = torch.ones(4, 3)
    call: Call = Calling(torch.asinh).eval(), (x,), {}
    assert sizes_of_calls(call, ["x"], {}).at(SIZED, 0) == [(4, 3)]
    torch._dynamo.mark_dynamic(x, 0)  # as an export with dynamic axes leaves it
    assert sizes_of_calls(call, ["x"], {}).at(SIZED, 0) == [(4, 3)]
    [dynamic] = sizes_of_calls(call, ["tensors_0"], {"tensors_0": {0: "n"}}).at(SIZED, 0)
    assert dynamic[1] == 3
    assert not isinstance(dynamic[0], int)


def test_an_argument_without_dynamic_axes() -> None:
    class Sum(torch.nn.Module):
        def forward(self, x: Tensor, scale: Tensor, bias: Tensor | None = None) -> Tensor:
            """Return asinh(x) + scale for x of [n, m], scale of [m]."""
            return torch.asinh(x) + scale

    call: Call = Sum().eval(), (X, torch.ones(3), None), {}
    known = sizes_of_calls(call, ["x", "scale"], {"x": {0: "n"}})
    [sizes_of_x] = known.at(SIZED, 0)
    assert sizes_of_x[1] == 3
    assert not isinstance(sizes_of_x[0], int)
    assert known.is_matched()


def test_a_dynamic_size_whose_example_is_one() -> None:
    call: Call = Calling(torch.asinh).eval(), (torch.ones(1, 3),), {}
    [sizes_of_x] = sizes_of_calls(call, ["tensors_0"], {"tensors_0": {0: "n"}}).at(SIZED, 0)
    assert sizes_of_x[1] == 3
    assert not isinstance(sizes_of_x[0], int)
