"""The TorchScript exporter's rule for ``x.copy_(y)`` of a model's input, which has none in
PyTorch.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from ...mapping.opsets import TORCHSCRIPT
from ...torch_internals import Symbolics
from ..element_types import NUMBERS
from ..torchscript_graph import GraphContext
from .symbolic_registry import register_symbolic

_COPY = "aten::copy"


@cache
def register_copies() -> None:
    """Register the rule at the opsets that have none."""
    symbolics = Symbolics()
    for opset in TORCHSCRIPT:
        if symbolics.stock(_COPY, opset) is None and symbolics.overriding(_COPY, opset) is None:
            register_symbolic(_COPY, _copied, opset)


def _copied(g: GraphContext, target: Any, value: Any, non_blocking: Any = None) -> Any:
    if value.type().dtype() != target.type().dtype():
        value = g.op("Cast", value, to_i=NUMBERS[target.type().dtype()])
    return g.op("Expand", value, g.op("Shape", target))
