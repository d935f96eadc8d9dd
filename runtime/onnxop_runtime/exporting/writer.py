"""What a rule writes its nodes with.

A mapping is one function, ``rule(op, *arguments)``. Three writers stand behind ``op``: one writes
TorchScript's nodes and one onnxscript's (`exporters`), one records the body of an ONNX function
(`functions`). ``op.Mul(a, b)`` is a node, ``op.TopK(x, k, _outputs=2)`` one of which two outputs are
used, None an optional input or attribute that is left out. ``op.If`` and ``op.Loop`` call functions of the
rule, whose nodes become graphs within theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from .computed import Computed, items

Body = Callable[..., Any]
"""A function of a rule, which gives a tensor or a tuple of them."""


class Writer:
    """Writes the nodes of the default ONNX domain: ``op.ReduceSum(x, keepdims=0)``."""

    def __getattr__(self, op_type: str) -> Callable[..., Any]:
        if not op_type[:1].isupper():
            raise AttributeError(op_type)
        return partial(self.node, op_type)

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """A node; its output, or as many as are asked for."""
        raise NotImplementedError

    def If(self, condition: Any, *, then_branch: Body, else_branch: Body, _outputs: int = 1) -> Any:
        """What one function gives or the other; neither takes anything."""
        bodies = {"then_branch": then_branch, "else_branch": else_branch}
        return self.nesting("If", [condition], bodies, [], _outputs)

    def Loop(self, count: Any, condition: Any, *initial: Any, body: Body, _outputs: int = 1) -> Any:
        """What a function gives last, of its own results or of the initial values, and then what it
        gives each time. It takes the number of the round, whether it takes place, and the values.
        """
        inputs, parameters = [count, condition, *initial], ["INT64", "BOOL", *initial]
        return self.nesting("Loop", inputs, {"body": body}, parameters, _outputs)

    def nesting(
        self,
        op_type: str,
        inputs: Sequence[Any],
        bodies: Mapping[str, Body],
        parameters: Sequence[Any],
        outputs: int,
    ) -> Any:
        """A node with graphs in it, by their attributes. Their inputs are ``parameters``: scalars of
        an element type that is named, or tensors of the type of another one.
        """
        raise NotImplementedError

    def rank(self, tensor: Any) -> int:
        """The number of a tensor's dimensions."""
        return len(self.sizes(tensor))

    def size(self, tensor: Any, dimension: int) -> int:
        """A size of a tensor.

        Raises:
            ValueError: it is open in the model.
        """
        if self.is_open(tensor, dimension):
            raise ValueError(
                f"the mapping asks for the size of dimension {dimension}, which is open in the model; "
                "export it without that dynamic axis"
            )
        size: int = self.sizes(tensor)[dimension]
        return size

    def is_open(self, tensor: Any, dimension: int) -> bool:
        """Whether a size of a tensor is open in the model."""
        sizes = self.sizes(tensor)
        if not -len(sizes) <= dimension < len(sizes):
            raise ValueError(f"the mapping asks for dimension {dimension} of {len(sizes)}")
        return not isinstance(sizes[dimension], int)

    def shape(self, tensor: Any) -> list[int]:
        """All sizes of a tensor. Raises ValueError where one is open in the model."""
        return [self.size(tensor, dimension) for dimension in range(self.rank(tensor))]

    def sizes(self, tensor: Any) -> Sequence[Any]:
        """The sizes of a tensor, integers where they are known.

        Raises:
            ValueError: not even how many there are is known.
        """
        raise NotImplementedError

    def is_floating_point(self, tensor: Any) -> bool:
        """Whether a tensor is of floats.

        Raises:
            ValueError: its dtype is not known.
        """
        dtype = self.dtype(tensor)
        if dtype is None:
            raise ValueError(UNKNOWN_DTYPE)
        return dtype.is_floating_point

    def dtype(self, tensor: Any) -> torch.dtype | None:
        """That of a tensor, or None where the exporter does not know it."""
        raise NotImplementedError

    def cast(self, value: Any, to: torch.dtype) -> Any:
        """A tensor as one of another dtype, of the same sizes."""
        raise NotImplementedError

    def number(self, value: Any) -> int | float | None:
        """The number that a value is; None of a tensor."""
        return value if isinstance(value, int | float) else None

    def computed(self, value: Any, to: int) -> Any:
        """A number that the model computes, or a list with such, as a tensor of ONNX's element type."""
        is_list = isinstance(value, list | tuple)
        shape = self.constant([1] if is_list else [], like="INT64")
        parts = [
            self.Reshape(
                item.value if isinstance(item, Computed) else self.constant(item, like="INT64"),
                shape,
            )
            for item in items(value)
        ]
        found = self.Concat(*parts, axis=0) if is_list else parts[0]
        return self.Cast(found, to=to)

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """A number, or a list of them, as a tensor of the element type of another one, or of the one
        named: ``like="INT64"``.

        ``is_number``: the value may be an integer or a float, and PyTorch looks at which.
        """
        raise NotImplementedError


def results_of(body: Body, *values: Any) -> list[Any]:
    """What a function of a rule gives."""
    results = body(*values)
    return list(results) if isinstance(results, tuple) else [results]


def first(like: Any) -> Any:
    """The tensor itself; of a list, the first that is given."""
    return next(t for t in like if t is not None) if isinstance(like, list | tuple) else like


UNKNOWN_DTYPE = "the mapping asks whether a tensor is of floats, which is not known"
UNKNOWN_RANK = (
    "the mapping asks for sizes of a tensor of which the exporter does not know how many it has"
)


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


def as_written(values: Sequence[Any]) -> list[Any]:
    """Numbers, of which ONNX's attributes, and TorchScript's exporter of a list, keep floats as float32:
    the shortest that round to these, as 1.7 does to 1.70000005. What is computed with them is then
    what PyTorch computes.
    """
    return [_shortest(value) if isinstance(value, float) else value for value in values]


def _shortest(value: float) -> float:
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return float(str(single)) if single == value else value
