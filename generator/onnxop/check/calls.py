"""A spec's samples → the calls of the operator on which its mapping and its kernel are compared."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from onnx import TensorProto

from onnxop_runtime.mapping.definitions import element_type
from onnxop_runtime.mapping.sample_model import Tensor
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.tensors import Literal, RandomTensor, SampleValue, TensorList

from ..spec.draft import Draft

Sample = Mapping[str, SampleValue]
_DEFAULT = "the default sample, float32[1, 3, 10, 10] each"


@dataclass(frozen=True)
class ComparedCall:
    """A call: its name in messages, the index of its sample among the spec's, and its arguments.

    ``may_raise``: PyTorch may reject it, as the spec's writer did not write it.
    """

    name: str
    index: int
    sample: Sample
    may_raise: bool = False


def sample_calls(draft: Draft) -> list[ComparedCall]:
    """Return a call for each sample, or one for the default sample."""
    if not draft.document.samples:
        return [ComparedCall(_DEFAULT, index, sample) for index, sample in enumerate(draft.samples)]
    return [
        ComparedCall(f"sample {index + 1}", index, sample)
        for index, sample in enumerate(draft.samples)
    ]


def enlarged_calls(calls: Sequence[ComparedCall]) -> list[ComparedCall]:
    """Return the calls with named sizes, at the larger sizes that test dynamic dimensions."""
    enlarged = []
    for call in calls:
        sample = {name: _enlarged(value) for name, value in call.sample.items()}
        if sample != call.sample:
            name = f"{call.name} with every named size one larger"
            enlarged.append(replace(call, name=name, sample=sample))
    return enlarged


def _enlarged(value: SampleValue) -> SampleValue:
    match value:
        case TensorList(items=items):
            return replace(value, items=tuple(map(_enlarged, items)))  # type: ignore[arg-type]
        case RandomTensor(sizes=sizes, larger=larger) if not all(map(str.isdecimal, sizes)):
            return replace(value, shape=larger, sizes=())
    return value


def calls_with_none(call: ComparedCall, names: Collection[str]) -> list[ComparedCall]:
    """Return variants of a call, each with None for one of the arguments."""
    return [_variant(call, f"{name} None", name, "None") for name in names]


def changed_calls(calls: Sequence[ComparedCall], schema: OpSchema) -> Iterator[ComparedCall]:
    """Yield variants of the first call: each changes one bool or float that no call sets."""
    for argument in schema.caller_arguments:
        name, default = argument.name, argument.default
        is_set = any(call.sample.get(name) for call in calls)
        if is_set or argument.is_list or not isinstance(default, bool | float):
            continue
        other = not default if isinstance(default, bool) else default * 1.25 + 0.5
        if math.isfinite(other):
            change = f"{name} = {str(other).lower()}"
            yield _variant(calls[0], change, name, repr(other))


def _variant(call: ComparedCall, change: str, name: str, value: str) -> ComparedCall:
    """Return the call with another value for an argument."""
    sample = {**call.sample, name: Literal(value)}
    return replace(call, name=f"{call.name} with {change}", sample=sample, may_raise=True)


def values_of(sample: Sample, schema: OpSchema) -> dict[str, object]:
    """Return the arguments of a sample as the runtime takes them."""
    return {
        argument.name: _value(sample[argument.name], argument)
        if argument.name in sample
        else _default(argument)
        for argument in schema.caller_arguments
    }


def _default(argument: Argument) -> object:
    default = argument.default if argument.has_default else None
    return [*default] if isinstance(default, tuple) else default


def _value(value: SampleValue | None, argument: Argument) -> object:
    """Return an argument of a sample as the mapping takes it."""
    match value:
        case TensorList(items=items):
            return [_value(item, argument) for item in items]
        case RandomTensor(dtype=dtype, shape=shape, sizes=sizes):
            names = tuple(size if size.isidentifier() else "" for size in sizes)
            return Tensor(dtype, tuple(shape), names)
        case Literal(dtype=dtype, shape=shape) if dtype:
            return Tensor(dtype, tuple(shape))
        case Literal(expression=text) if text.startswith("torch."):
            return elem_type(text.removeprefix("torch."))
        case Literal(expression=text):
            return _constant(text, argument)
    return None


def _constant(text: str, argument: Argument) -> object:
    """Return the value of an expression that was made from TOML values."""
    value: object = eval(text, {"__builtins__": {}, "float": float})
    if argument.is_list and argument.length and isinstance(value, int | float):
        return [value for _ in range(argument.length)]  # one number for a list of a fixed length
    return value


def elem_type(dtype: str) -> int:
    """Return ONNX's number of a PyTorch dtype, as in ``op.Cast(x, to=1)``."""
    return int(TensorProto.DataType.Value(element_type(dtype)))
