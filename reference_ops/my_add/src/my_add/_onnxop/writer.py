"""What a rule writes its nodes with.

A mapping is one function, ``rule(op, *arguments)``. Three writers stand behind ``op``: one writes
TorchScript's nodes and one onnxscript's (`rules`), one records the body of an ONNX function
(`functions`). ``op.Mul(a, b)`` is a node, ``op.TopK(x, k, _outputs=2)`` one of which two outputs are
used, None an optional input or attribute that is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any


class Writer:
    """Writes the nodes of the default ONNX domain: ``op.ReduceSum(x, keepdims=0)``."""

    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        if not op_type[:1].isupper():
            raise AttributeError(op_type)
        return partial(self.node, op_type)

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """A node; its output, or as many as are asked for."""
        raise NotImplementedError

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """A number, or a list of them, as a tensor of the element type of another one, or of the one
        named: ``like="INT64"``.

        ``is_number``: the value may be an integer or a float, and PyTorch looks at which.
        """
        raise NotImplementedError


def check_integer(value: Any, kind: str, *, is_number: bool = False) -> None:
    """Refuses a number that a tensor of integers cannot hold; and any float where PyTorch's result
    depends on whether the number is one.

    Raises:
        ValueError: it is refused.
    """
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, float) and (is_number or not item.is_integer()):
            raise ValueError(
                f"the number {float(item)!r} stands beside integers ({kind}), where PyTorch computes "
                "in another dtype; convert the tensor before the call, or give an integer"
            )
