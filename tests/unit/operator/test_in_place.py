"""Operators that write to arguments: they call their functional form."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.operator import in_place
from tests.unit.operator.samples import PACKAGE


def bump_kernel(x: Tensor, step: float = 1.0) -> tuple[Tensor, Tensor]:
    return x.sum(), x + step


BUMP = PACKAGE.operator(
    name="unit_ops::bump_out.default",
    schema="(Tensor x, float step=1.0) -> (Tensor, Tensor)",
    results=["total", "x_out"],
    kernel=bump_kernel,
    reference=bump_kernel,
    in_place="bump(Tensor(a!) x, float step=1.0) -> Tensor",
    writes=["x"],
    domain="unit_ops",
    op_type="Bump",
)
PACKAGE.register(BUMP)
bump: Any = in_place.define(BUMP)


def test_it_writes_and_returns() -> None:
    x = torch.ones(3)
    assert bump(x) == 3.0
    assert x.tolist() == [2.0, 2.0, 2.0]
    bump(x, step=0.5)
    assert x.tolist() == [2.5, 2.5, 2.5]


def test_it_is_registered_once() -> None:
    assert in_place.define(BUMP) is bump


def test_a_leaf_has_no_gradient_afterwards() -> None:
    x = torch.ones(3, requires_grad=True)
    bump(x)
    with pytest.raises(NotImplementedError, match="has written to x, a leaf that requires"):
        x.sum().backward()  # type: ignore[no-untyped-call]


def test_a_trace_records_the_functional_form() -> None:
    class Net(torch.nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            y = x * 2
            total: Tensor = bump(y)
            return total + y

    program = torch.export.export(Net(), (torch.ones(3),)).run_decompositions({})
    targets = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert "unit_ops.bump_out.default" in targets
    assert "unit_ops.bump.default" not in targets
