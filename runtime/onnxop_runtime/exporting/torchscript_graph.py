"""TorchScript's graphs: the one into which rules write nodes, and nodes of the trace."""

from __future__ import annotations

from typing import Any, Protocol

import torch

from ..torch_internals import OptionalType, parse_schema


class GraphContext(Protocol):
    """The ``g`` of a symbolic."""

    opset: int
    original_node: torch.Node | None
    """The node of the trace that is converted; None in a Function's own symbolic."""

    def op(self, name: str, *inputs: torch.Value, outputs: int = 1, **attributes: object) -> Any:
        """Write a node; return its output, or ``outputs`` of them."""


def optional_input(g: GraphContext, value: torch.Value | None) -> torch.Value:
    """Return an input for ``g.op``, with a typed constant for None: a bare None would crash the
    process.
    """
    if value is not None:
        return value
    nothing: torch.Value = g.op("prim::Constant")
    nothing.setType(OptionalType.ofTensor())
    return nothing


def overload_of(node: torch.Node) -> str | None:
    """Return the overload that a TorchScript node calls, or None if that is unknown. Once numbers
    have become constant tensors, the node matches no overload, or only one with ``out``.
    """
    text = node.schema()
    if not text.startswith(node.kind()):
        return None
    schema = parse_schema(text)
    has_out = any(argument.is_out for argument in schema.arguments)
    return None if has_out else schema.overload_name or "default"
