"""What a mapping computes with: values that stand for tensors."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, Union

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

    ``kind`` is its element type, which an argument is itself; ``raw`` is what the writer knows it by.
    """

    def __init__(
        self, trace: Trace, kind: Kind = None, *, node: Node | None = None, raw: Any = None
    ) -> None:
        self.trace, self.kind, self.node, self.raw = trace, kind, node, raw

    @classmethod
    def argument(cls, trace: Trace, raw: Any) -> Value:
        """Return an argument."""
        value = cls(trace, raw=raw)
        value.kind = value
        return value

    @property
    def shape(self) -> Sizes:
        """The sizes of an argument. One that is dynamic raises where it is looked at."""
        return Sizes(asked(self), self.raw)

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


class Sizes(Sequence[Any]):
    """``x.shape``: the sizes of an argument, each asked for where it is looked at."""

    def __init__(self, writer: Any, raw: Any) -> None:
        self._writer, self._raw = writer, raw

    def __len__(self) -> int:
        return int(self._writer.rank(self._raw))

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[each] for each in range(len(self))[place]]
        return int(self._writer.size(self._raw, place))

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]


def rank(tensor: Any) -> int:
    """Return the number of dimensions of an argument."""
    return int(asked(tensor, "rank").rank(tensor.raw))


def is_open(tensor: Any, dimension: int) -> bool:
    """Return whether a dimension of an argument is dynamic in the model."""
    return bool(asked(tensor, "is_open").is_open(tensor.raw, dimension))


def is_floating_point(tensor: Any) -> bool:
    """Return whether an argument is of floats."""
    return bool(asked(tensor, "is_floating_point").is_floating_point(tensor.raw))


def asked(tensor: Any, word: str = "shape") -> Any:
    """Return the writer, of which sizes and the dtype of an argument are asked; MappingError of others."""
    if not isinstance(tensor, Value):
        fact = f"{word} is asked of {'None' if tensor is None else 'what is no tensor'}"
        raise error(fact, "ask it of an argument that is a Tensor")
    if tensor.kind is not tensor:
        raise error(
            "this is no argument of the operator, whose sizes and dtype alone are known",
            "write rank(x) or x.shape[0] of an argument that is a Tensor, or op.Shape(...)",
        )
    return tensor.trace.writer
