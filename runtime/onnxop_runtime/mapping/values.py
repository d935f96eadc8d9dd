"""What a mapping computes with: values that stand for tensors, and ``op``, which makes nodes of them."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Union

from .numbers import Sizes
from .problems import error

if TYPE_CHECKING:
    from .tracing import Node, Trace

Kind = Union["Value", str, None]
"""An element type: that of an argument, the name of one, or none that is known."""

_BINARY = {"add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "Div", "pow": "Pow"}
_BINARY |= {"matmul": "MatMul"}
_COMPARE = {"lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
_COMPARE |= {"eq": "Equal"}
_REFUSED = {
    "ne": "op.Not(op.Equal(a, b))",
    "floordiv": "op.Floor(op.Div(a, b))",
    "mod": "op.Mod(a, b), with fmod=1 for floats",
    "pos": "a alone",
}
"""Operators of which ONNX has none of that meaning, or several, and what to write."""


class Value:
    """Stands for a tensor: an argument, an input of a graph, or an output of a node.

    ``kind`` is its element type, ``raw`` the writer's handle of an argument.
    """

    def __init__(
        self,
        trace: Trace,
        kind: Kind = None,
        node: Node | None = None,
        index: int = 0,
        raw: Any = None,
        *,
        is_argument: bool = False,
    ) -> None:
        self.trace, self.node, self.index, self.raw = trace, node, index, raw
        self.kind: Kind = self if is_argument else kind
        self.is_argument = is_argument

    @property
    def key(self) -> tuple[int, int]:
        """What two values have in common that are the same tensor."""
        return (id(self), 0) if self.node is None else (id(self.node), self.index)

    @property
    def shape(self) -> Sizes:
        """The sizes of an argument. One that is dynamic raises where it is looked at."""
        writer, raw = self.trace.writer, self.of_argument()
        return Sizes(lambda: int(writer.rank(raw)), lambda place: int(writer.size(raw, place)))

    def of_argument(self) -> Any:
        """Return the writer's handle of an argument. Raises MappingError for other tensors."""
        if self.is_argument:
            return self.raw
        raise error(
            "this is no argument of the operator, whose sizes and dtype alone are known",
            "write rank(x) or x.shape[0] of an argument that is a Tensor, or op.Shape(...)",
        )

    def __iter__(self) -> Iterator[Value]:
        if self.node is None:
            fact = "this is one tensor, not a list of them"
            raise error(fact, "write op.Split or op.Gather, say")
        return iter(self.node.outputs_of(_names_here()))

    def __bool__(self) -> NoReturn:
        raise error(
            "a tensor is no condition",
            "write op.Where(condition, x, y), op.If(condition, then_branch=lambda: x, "
            "else_branch=lambda: y), or op.And, op.Or and op.Not",
        )

    def __neg__(self) -> Any:
        return self.trace.node("Neg", (self,), {})

    __hash__ = object.__hash__


def _names_here() -> int | None:
    """Return how many names the value is assigned to whose ``__iter__`` asks; None elsewhere."""
    frame = sys._getframe(2)
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at + 1] if code[at] == dis.opmap["UNPACK_SEQUENCE"] else None


def _set_operators() -> None:
    def written(op: str, *, is_reflected: bool = False) -> Callable[[Value, Any], Any]:
        def call(self: Value, other: Any) -> Any:
            return self.trace.node(op, (other, self) if is_reflected else (self, other), {})

        return call

    def refused(instead: str) -> Callable[..., NoReturn]:
        def call(*_: Any) -> NoReturn:
            raise error("this operator does not work on tensors", f"write {instead}")

        return call

    for word, op in (_BINARY | _COMPARE).items():
        setattr(Value, f"__{word}__", written(op))
    for word, op in _BINARY.items():
        setattr(Value, f"__r{word}__", written(op, is_reflected=True))
    for word, instead in _REFUSED.items():
        setattr(Value, f"__{word}__", refused(instead))
        setattr(Value, f"__r{word}__", refused(instead))


_set_operators()


class Operators:
    """``op``: ``op.ReduceSum(x, keepdims=0)`` is a node of the default ONNX domain."""

    __slots__ = ("_trace",)

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not name[:1].isupper():
            raise AttributeError(name)

        def write(*inputs: Any, **attributes: Any) -> Any:
            return self._trace.node(name, inputs, attributes)

        return write


def rank(tensor: Any) -> int:
    """Return the number of dimensions of an argument."""
    return int(_writer("rank", tensor).rank(tensor.raw))


def is_open(tensor: Any, dimension: int) -> bool:
    """Return whether a dimension of an argument is dynamic in the model."""
    return bool(_writer("is_open", tensor).is_open(tensor.raw, dimension))


def is_floating_point(tensor: Any) -> bool:
    """Return whether an argument is of floats."""
    return bool(_writer("is_floating_point", tensor).is_floating_point(tensor.raw))


def _writer(word: str, tensor: Any) -> Any:
    if not isinstance(tensor, Value):
        fact = f"{word} is asked of {'None' if tensor is None else 'what is no tensor'}"
        raise error(fact, "ask it of an argument that is a Tensor")
    tensor.of_argument()
    return tensor.trace.writer
