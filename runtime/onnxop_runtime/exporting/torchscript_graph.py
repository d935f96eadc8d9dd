"""The graph into which the TorchScript exporter's rules write nodes."""

from __future__ import annotations

from typing import Any, Protocol

import torch

from ..torch_internals import OptionalType


class GraphContext(Protocol):
    """The ``g`` of a symbolic."""

    opset: int
    original_node: torch.Node | None
    """The node of the trace that is converted; None in a Function's own symbolic."""

    def op(self, name: str, *inputs: torch.Value, outputs: int = 1, **attributes: Any) -> Any:
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
