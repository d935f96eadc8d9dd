"""TorchScript's graphs: which overload a node of the trace calls, and inputs that are None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from onnxop_runtime.exporting.torchscript_graph import optional_input, overload_of

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:FutureWarning")


trace: Any = torch.jit.trace  # untyped in torch


def node_of(function: Callable[..., Any], name: str) -> torch.Node:
    """Return the only node of that name in the trace of a function of one tensor."""
    nodes: list[torch.Node] = trace(function, (torch.ones(2, 3),)).graph.findAllNodes(name)
    (node,) = nodes
    return node


@pytest.mark.parametrize(
    ("function", "name", "overload"),
    [
        (lambda x: torch.asinh(x), "aten::asinh", "default"),
        (lambda x: x + x, "aten::add", "Tensor"),
        (lambda x: torch.max(x, 1)[0], "aten::max", "dim"),
        (lambda x: torch.max(x), "aten::max", "default"),
    ],
)
def test_overloads(function: Callable[..., Any], name: str, overload: str) -> None:
    assert overload_of(node_of(function, name)) == overload


@pytest.mark.parametrize(
    "call", ["aten::add(%a)", "aten::add(%a, %a, %one, %a)", "my_lib::unknown(%a)"]
)
def test_nodes_whose_overload_is_unknown(call: str) -> None:
    """Check a node that matches no overload, one that matches only the overload with ``out``, and
    one of an operator that is not registered.
    """
    text = (
        f"graph(%a : Tensor):\n  %one : int = prim::Constant[value=1]()\n  %b : Tensor = {call}\n"
    )
    graph: Any = torch._C.parse_ir(f"{text}  return (%b)")  # which owns its nodes
    assert overload_of(graph.findNode(call.partition("(")[0])) is None


def test_optional_inputs() -> None:
    class Written:
        """Records the nodes that `optional_input` writes."""

        def __init__(self) -> None:
            self.graph: Any = torch._C.Graph()
            self.op_types: list[str] = []

        def op(self, name: str) -> torch.Value:
            self.op_types.append(name)
            node = self.graph.insertNode(self.graph.create(name, 1))
            output: torch.Value = node.output()
            return output

    written: Any = Written()
    value = torch._C.Graph().addInput()
    assert optional_input(written, value) is value
    assert written.op_types == []
    nothing = optional_input(written, None)
    assert written.op_types == ["prim::Constant"]
    assert str(nothing.type()) == "Optional[Tensor]"
