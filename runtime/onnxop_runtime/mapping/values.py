"""What a mapping computes with: values that stand for tensors, and ``op``, which makes nodes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .numbers import Sizes, known, names_here
from .problems import error
from .tracing import Kind, Trace, Traced, Written

_BINARY = {
    "add": "Add",
    "sub": "Sub",
    "mul": "Mul",
    "truediv": "Div",
    "pow": "Pow",
    "matmul": "MatMul",
}
_COMPARE = {
    "lt": "Less",
    "le": "LessOrEqual",
    "gt": "Greater",
    "ge": "GreaterOrEqual",
    "eq": "Equal",
}
INSTEAD = {
    "ne": "op.Not(op.Equal({}))",
    "floordiv": "op.Floor(op.Div({}))",
    "mod": "op.Mod({}), with fmod=1 for floats",
    "lshift": 'op.BitShift({}, direction="LEFT")',
    "rshift": 'op.BitShift({}, direction="RIGHT")',
    "and": "op.And({}), or op.BitwiseAnd of integers",
    "or": "op.Or({}), or op.BitwiseOr of integers",
    "xor": "op.Xor({}), or op.BitwiseXor of integers",
    "invert": "op.Not({}), or op.BitwiseNot of integers",
    "pos": "{} alone",
}
"""What to write for operators of which ONNX has none of that meaning, or several."""
NO_OPERATOR = "this operator does not work on tensors"
NO_CONDITION = "the condition must be on non-tensor arguments"


class Value(Traced):
    """Stands for a tensor: an argument, an input of a graph, or an output of a node.

    Args:
        trace: what writes its nodes.
        kind: its element type: that of an argument, which is another value, or the name of one; None
            where it is not known.
        node: the node whose output it is.
        index: which of its outputs.
        raw: the writer's handle of an argument.
    """

    def __init__(
        self,
        trace: Trace,
        kind: Kind = None,
        node: Written | None = None,
        index: int = 0,
        raw: Any = None,
        *,
        is_argument: bool = False,
    ) -> None:
        self.trace, self.node, self.index, self.raw = trace, node, index, raw
        self.kind: Kind = self if is_argument else kind
        self.is_argument = is_argument

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
            "this is no tensor that the operator is given, whose sizes and dtype alone are known",
            "write rank(x) or x.shape[0] of an argument that is a Tensor, or op.Shape(...)",
        )

    def __iter__(self) -> Iterator[Value]:
        if self.node is None:
            raise error(
                "this is one tensor, not a list of them", "write op.Split or op.Gather, say"
            )
        return iter(self.node.outputs_of(names_here()))

    def __bool__(self) -> NoReturn:
        raise error(
            NO_CONDITION,
            "for tensors write op.Where(condition, x, y), or op.If(condition, then_branch=lambda: x, "
            "else_branch=lambda: y)",
        )

    def __getitem__(self, place: object) -> NoReturn:
        raise error("a tensor is not indexed here", "write op.Gather(a, 0, axis=0), say")

    def _no_number(self) -> NoReturn:
        raise error("this is a tensor, not a number", "for tensors write op.<Name>(...)")

    __len__ = __int__ = __index__ = __float__ = __abs__ = _no_number

    def __neg__(self) -> Any:
        return self.trace.node("Neg", (self,), {})

    __hash__ = object.__hash__


def _set_operators() -> None:
    def written(op: str, *, is_reflected: bool = False) -> Callable[[Value, Any], Any]:
        def call(self: Value, other: Any) -> Any:
            return self.trace.node(op, (other, self) if is_reflected else (self, other), {})

        return call

    def refused(word: str) -> Callable[..., NoReturn]:
        def call(*values: Any) -> NoReturn:
            raise error(
                NO_OPERATOR,
                f"write {INSTEAD[word].format('a' if len(values) == 1 else 'a, b')}",
            )

        return call

    for word, op in (*_BINARY.items(), *_COMPARE.items()):
        setattr(Value, f"__{word}__", written(op))
    for word, op in _BINARY.items():
        setattr(Value, f"__r{word}__", written(op, is_reflected=True))
    for word in INSTEAD:
        setattr(Value, f"__{word}__", refused(word))
        if word not in ("ne", "invert", "pos"):
            setattr(Value, f"__r{word}__", refused(word))


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


def rank(tensor: Any) -> Any:
    """Return the number of dimensions of an argument."""
    value = _argument("rank", tensor)
    return known(lambda: value.trace.writer.rank(value.raw))


def is_open(tensor: Any, dimension: int) -> Any:
    """Return whether a dimension of an argument is dynamic in the model."""
    value = _argument("is_open", tensor)
    return known(lambda: value.trace.writer.is_open(value.raw, dimension))


def is_floating_point(tensor: Any) -> Any:
    """Return whether an argument is of floats."""
    value = _argument("is_floating_point", tensor)
    return known(lambda: value.trace.writer.is_floating_point(value.raw))


def _argument(word: str, tensor: Any) -> Value:
    if isinstance(tensor, Value):
        tensor.of_argument()
        return tensor
    what = "None" if tensor is None else "no tensor"
    raise error(f"{word} is asked of what is {what}", "ask it of an argument that is a Tensor")
