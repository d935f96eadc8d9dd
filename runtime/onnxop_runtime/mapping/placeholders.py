"""The values that a mapping computes with: placeholders of tensors."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol, Union

from .definitions import FLOATS
from .known import KnownTensor
from .problems import error
from .writer import Writer

ElementType = Union["Value", str, None]
"""An element type: that of an argument, a name, or None if it is unknown."""

REMEDY_FOR_DTYPES = "if this is a model of torch.jit, export the module that it was made of"
"""The remedy for dtypes that are unknown: a graph without a trace has none after a node of a
domain.
"""

_OPERATORS = {"add": "Add", "sub": "Sub", "mul": "Mul", "truediv": "Div", "pow": "Pow"}
_OPERATORS |= {"lt": "Less", "le": "LessOrEqual", "gt": "Greater", "ge": "GreaterOrEqual"}
_OPERATORS |= {"eq": "Equal", "matmul": "MatMul", "neg": "Neg"}
# ONNX has no op, or several, for these; the value is the message's remedy.
_OPERATORS |= {"ne": "op.Not(op.Equal(a, b))", "floordiv": "op.Floor(op.Div(a, b))"}
_OPERATORS |= {"mod": "op.Mod(a, b), with fmod=1 for floats", "pos": "a alone"}


class Producer(Protocol):
    """The node that has a value among its outputs."""

    @property
    def graph(self) -> object:
        """The graph that the node belongs to."""

    def outputs_of(self, count: int | None) -> list[Value]:
        """Return so many outputs; None: those that the node always has."""

    def unpacking_remedy(self) -> str:
        """Return the remedy for a mapping that takes the outputs for a list; "" for a single
        output.
        """


class NodeRecorder(Protocol):
    """The record of a mapping's nodes, to which operators such as ``+`` add theirs."""

    reads_sizes: bool
    """Whether the mapping has read sizes of arguments."""

    @property
    def writer(self) -> Writer:
        """The writer of an exporter, which knows the sizes and dtypes of arguments."""

    def node(self, op: str, inputs: Sequence[object], keywords: Mapping[str, object]) -> Value:
        """Record a node; return its first output."""


@dataclass(eq=False, repr=False)
class Value:
    """A placeholder of a tensor: an argument, an input of a subgraph, an output of a node, or a
    number.

    ``element_type`` is that of an argument, a name, or None; an argument is its own, and has a
    ``name``. ``raw`` is the tensor of the writer.
    """

    trace: NodeRecorder
    element_type: ElementType = None
    node: Producer | None = None
    raw: Any = None
    number: Any = None
    name: str = ""
    known: KnownTensor | None = None
    """What is known of the output of a node."""

    @property
    def shape(self) -> Sizes:
        """The sizes of an argument; a dynamic size is a `DynamicSize`."""
        return Sizes(_asked(self, "shape"))

    def __iter__(self) -> Iterator[Value]:
        if self.node is None:
            fact = "this is one tensor, not a list of them"
            raise error(fact, "write op.Split or op.Gather, for example")
        frame = sys._getframe(1)
        code, at = frame.f_code.co_code, frame.f_lasti
        is_unpacked = code[at] == dis.opmap["UNPACK_SEQUENCE"]  # into that many names
        return iter(self.node.outputs_of(code[at + 1] if is_unpacked else None))

    def __getitem__(self, index: object) -> NoReturn:
        fact = "a tensor is not subscriptable"
        raise error(
            fact,
            unpacking_remedy(self) or "write op.Gather(x, 0, axis=0), for example, or op.Slice",
        )

    def __bool__(self) -> NoReturn:
        raise error(
            "a tensor is not a condition",
            "write op.Where(condition, x, y), op.If(condition, then_branch=lambda: x, "
            "else_branch=lambda: y), or op.And, op.Or and op.Not",
        )

    __hash__ = object.__hash__


def unpacking_remedy(value: object) -> str:
    """Return the remedy for a node whose several outputs are taken for a list; "" for other
    values.
    """
    node = value.node if isinstance(value, Value) else None
    return "" if node is None else node.unpacking_remedy()


def _operator(op: str, *, is_reflected: bool) -> Callable[..., Any]:
    def call(self: Value, *others: object) -> Any:
        if not op.isalpha():
            raise error("this operator does not work on tensors", f"write {op}")
        return self.trace.node(op, (*others, self) if is_reflected else (self, *others), {})

    return call


for _name, _op in _OPERATORS.items():
    setattr(Value, f"__{_name}__", _operator(_op, is_reflected=False))
    setattr(Value, f"__r{_name}__", _operator(_op, is_reflected=True))


class Sizes(Sequence[Any]):
    """The sizes of an argument, ``x.shape``: integers, and `DynamicSize` where the exporter knows
    no integer.
    """

    def __init__(self, tensor: Value) -> None:
        writer = tensor.trace.writer
        tensor.trace.reads_sizes = True
        sizes = writer.known_sizes(tensor.raw)
        if sizes is None:
            message = (
                f"the mapping needs the rank of {tensor.name}, which {writer.exporter} does not "
                "know"
            )
            raise error(message, writer.remedy_for_sizes)
        self.raw, self._tensor = [*sizes], tensor

    def __len__(self) -> int:
        return len(self.raw)

    def at(self, dimension: int) -> Any:
        """Return a size: an integer if it is known."""
        if not -len(self) <= dimension < len(self):
            raise ValueError(f"the dimension is out of range for a tensor of rank {len(self)}")
        return self.raw[dimension]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[d] for d in range(len(self))[index]]
        size = self.at(index)
        if isinstance(size, int):
            return size
        return DynamicSize(self._tensor, index % len(self), size)

    def __iter__(self) -> Iterator[Any]:
        return iter(self[:])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    __hash__ = None  # type: ignore[assignment]


class DynamicSize:
    """A size of an argument that only the model knows. As an input of a node, or an item of one, it
    is a tensor that the model computes; its use as a number raises MappingError.

    ``symbol`` is what the exporter calls it; None if the exporter does not know whether it is
    dynamic.
    """

    def __init__(self, tensor: Value, dimension: int, symbol: object) -> None:
        self.tensor, self.dimension, self._symbol = tensor, dimension, symbol

    def refuse(self, *_: object) -> NoReturn:
        size = f"the size of dimension {self.dimension} of {self.tensor.name}"
        subject = f"the mapping computes with {size}, which"
        if self._symbol is None:
            writer = self.tensor.trace.writer
            raise error(f"{subject} {writer.exporter} does not know", writer.remedy_for_sizes)
        raise error(f"{subject} is dynamic in the model", "export it without that dynamic axis")

    def _combine(self, other: object) -> Any:
        """Leave arithmetic with a tensor to the tensor."""
        return NotImplemented if isinstance(other, Value) else self.refuse()

    __bool__ = __int__ = __index__ = __float__ = __len__ = __neg__ = __abs__ = __iter__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __pow__ = __rpow__ = _combine
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = _combine
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _combine
    __hash__ = None  # type: ignore[assignment]


def rank(tensor: object) -> int:
    """Return the number of dimensions of an argument."""
    return len(Sizes(_asked(tensor, "rank")))


def is_dynamic(tensor: object, dimension: int) -> bool:
    """Return whether a dimension of an argument is dynamic in the model."""
    return not isinstance(Sizes(_asked(tensor, "is_dynamic")).at(dimension), int)


def is_floating_point(tensor: Any) -> bool:
    """Return whether an argument has floats."""
    writer = _asked(tensor, "is_floating_point").trace.writer
    element_type = writer.element_type(tensor.raw)
    if element_type is None:
        raise ValueError(
            f"the mapping needs the dtype of a tensor, which is unknown; {REMEDY_FOR_DTYPES}"
        )
    return element_type in FLOATS


def _asked(tensor: object, query: str) -> Value:
    """Return an argument: only its sizes and dtype are known. Raise MappingError for other
    values.
    """
    if not isinstance(tensor, Value):
        fact = f"{query} needs a tensor, not {'None' if tensor is None else 'another value'}"
        raise error(fact, "use it on an argument that is a Tensor")
    if tensor.element_type is not tensor:
        fact = "sizes and dtypes are known of the operator's arguments only"
        remedy = "write rank(x) or x.shape[0] of an argument that is a Tensor, or op.Shape(...)"
        raise error(fact, remedy)
    return tensor
