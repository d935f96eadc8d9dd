"""Decomposed operators in the TorchScript exporter: it gets the nodes that dynamo writes for a
call.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from ...operator.arguments import OperatorArgument
from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ...specs.arguments import MEANINGLESS
from ...torch_internals import OpOverload, TensorType, schema_of, symbolic_helper
from ..exported_module import TensorsOnly, returned
from ..numbers import is_computed
from ..torchscript_graph import GraphContext, overload_of
from . import rule_arguments, translations
from .replay import Replay

_onnx: Any = torch.onnx
ScalarType = _onnx.JitScalarType  # torchvision's import hides symbolic_helper's
_DEFAULT_SIZE = 4


def write_decomposed_nodes(
    operator: Operator, context: ExportContext, g: GraphContext, values: Sequence[object]
) -> object:
    """Write a call of any overload of the operator into a TorchScript graph; return its results."""
    call = _ScriptCall.of_values(g, operator, values)
    program = call.export(g.opset, context)
    dtypes = [node.meta["val"].dtype for _, node in returned(program.exported_program)]
    inputs = [tensor.value for tensor in call.inputs]
    results = Replay(g, program.model, inputs).results(dtypes)
    returns = schema_of(call.overload).returns
    if len(returns) == 1 and isinstance(returns[0].type, torch.ListType):
        return g.op("prim::ListConstruct", *results)
    return results[0] if len(results) == 1 else tuple(results)


@dataclass(frozen=True)
class _Input:
    """A tensor argument of the call: its value, dtype and sizes; dynamic sizes are None."""

    value: torch.Value
    dtype: torch.dtype
    sizes: list[int | None]

    @classmethod
    def of_value(cls, value: torch.Value, original: torch.Value) -> _Input:
        """Return the tensor of a value. The value that it had in the trace may know more."""
        undefined = ScalarType.UNDEFINED
        dtype = ScalarType.from_value(value, ScalarType.from_value(original, undefined))
        sizes = _sizes(value)
        if sizes is None:
            sizes = _sizes(original)
        if sizes is None or dtype == undefined:
            raise ValueError(f"the rank or the element type of {value} is unknown")
        return cls(value, dtype.dtype(), sizes)

    @property
    def dynamic(self) -> dict[int, Any]:
        """The dynamic dimensions, for ``dynamic_shapes``."""
        return {d: torch.export.Dim.DYNAMIC for d, size in enumerate(self.sizes) if size is None}

    def example(self, inputs: Sequence[_Input]) -> Tensor:
        """Return an example, which broadcasts with the others of ``inputs``."""
        rank = len(self.sizes)
        sizes: list[int] = []
        for dimension, size in enumerate(self.sizes):
            sizes.append(_example_size(inputs, dimension - rank) if size is None else size)
        return torch.ones(sizes, dtype=self.dtype)


def _example_size(inputs: Sequence[_Input], dimension: int) -> int:
    """Return the size of a dimension, counted from the last, in the first tensor that does not
    broadcast.
    """
    for tensor in inputs:
        if len(tensor.sizes) >= -dimension:
            size = tensor.sizes[dimension]
            if size is not None and size > 1:
                return size
    return _DEFAULT_SIZE


def _sizes(value: torch.Value) -> list[int | None] | None:
    """Return the sizes of a value; None if it is no tensor, or its rank is unknown."""
    value_type: Any = value.type()
    return value_type.varyingSizes() if isinstance(value_type, TensorType) else None


@dataclass(frozen=True)
class _ScriptCall:
    """A call in a TorchScript graph."""

    overload: Any
    arguments: list[Any]
    """The values of all arguments; an empty tensor stands for each of ``inputs``."""
    inputs: list[_Input]

    @classmethod
    def of_values(
        cls, g: GraphContext, operator: Operator, values: Sequence[object]
    ) -> _ScriptCall:
        """Return the call of the node's overload, or of the first that takes the values."""
        assert g.original_node is not None  # only a Function's symbolic has none
        originals = list(g.original_node.inputs())
        problems: list[str] = []
        for overload in _overloads(g.original_node):
            if len(values) > len(schema_of(overload).arguments):
                continue
            try:
                return cls._of_overload(overload, values, originals)
            except torch.onnx.errors.SymbolicValueError:
                problems.append(
                    f"{overload}: an integer argument is dynamic; the TorchScript exporter needs a "
                    "constant; give a number, or export with dynamo=True"
                )
            except (ValueError, TypeError, RuntimeError) as error:
                problems.append(f"{overload}: {error}")
        raise ValueError(f"{operator} has no overload for the call: {'; '.join(problems)}")

    @classmethod
    def _of_overload(
        cls, overload: OpOverload, values: Sequence[Any], originals: Sequence[torch.Value]
    ) -> _ScriptCall:
        """Return the call of an overload; raise an error if it does not take the values."""
        taken = _Arguments()
        arguments = schema_of(overload).arguments
        for argument, value, original in zip(arguments, values, originals, strict=False):
            taken.add(OperatorArgument.of_schema(argument), value, original)
        return cls(overload, taken.values, taken.inputs)

    def export(self, opset: int, context: ExportContext) -> torch.onnx.ONNXProgram:
        """Export the call by the dynamo exporter; return its program."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for argument, value in zip(
            schema_of(self.overload).arguments, self.arguments, strict=False
        ):
            if argument.kwarg_only:
                kwargs[argument.name] = value
            else:
                args.append(value)
        module = TensorsOnly(self.overload, args, kwargs)
        shapes = tuple(tensor.dynamic or None for tensor in self.inputs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                program = torch.onnx.export(
                    module.eval(),
                    tuple(tensor.example(self.inputs) for tensor in self.inputs),
                    dynamo=True,
                    opset_version=opset,
                    dynamic_shapes=(shapes,) if any(shapes) else None,
                    custom_translation_table=translations.active_table(context),
                    verbose=False,
                )
            except torch.onnx.errors.OnnxExporterError as error:
                remedy = "register a mapping for it"
                if any(shapes):
                    remedy = f"export it without dynamic axes, or {remedy}"
                raise ValueError(
                    f"PyTorch's dynamo exporter cannot decompose it ({_reason(error)}); {remedy}"
                ) from error
        assert program is not None  # the dynamo exporter returns one
        return program


def _reason(error: BaseException) -> str:
    """Return the first line of an error's first cause, shortened."""
    first = error
    while first.__cause__ is not None:
        first = first.__cause__
    return f"{first}".strip().partition("\n")[0][:300]


def _overloads(node: torch.Node) -> Iterator[OpOverload]:
    """Yield the overload that a node calls; if that is unknown, all that it may call."""
    namespace, _, name = node.kind().partition("::")
    packet = getattr(getattr(torch.ops, namespace), name)
    name_of_overload = overload_of(node)
    if name_of_overload is not None:
        yield getattr(packet, name_of_overload)
        return
    overloads = [getattr(packet, name) for name in packet.overloads()]
    without_out = [overload for overload in overloads if not _has_out(overload)]
    # Overloads with numbers come first, because a constant may be a number or a tensor.
    yield from sorted(without_out, key=_count_tensors)


def _has_out(overload: OpOverload) -> bool:
    return any(argument.is_out for argument in schema_of(overload).arguments)


def _count_tensors(overload: OpOverload) -> int:
    return sum(
        OperatorArgument.of_schema(argument).is_tensor for argument in schema_of(overload).arguments
    )


@dataclass
class _Arguments:
    """The values of a call's arguments; an empty tensor stands for each of ``inputs``."""

    values: list[Any] = field(default_factory=list)
    inputs: list[_Input] = field(default_factory=list)

    def add(self, argument: OperatorArgument, value: torch.Value, original: torch.Value) -> None:
        """Add an argument; raise an error if the overload does not take the value."""
        self.values.append(self._value(argument, value, original))

    def _value(
        self, argument: OperatorArgument, value: torch.Value, original: torch.Value
    ) -> object:
        """Return the value of an argument, of a tensor an empty one; add the tensors to the
        inputs.
        """
        if symbolic_helper.is_none(value) or argument.base_type in (*MEANINGLESS, "Generator"):
            return None
        if argument.is_list_of_tensors:
            item = replace(argument, is_list=False)
            return [self._value(item, part, part) for part in symbolic_helper.unpack(value)]
        if argument.is_tensor:
            self.inputs.append(_Input.of_value(value, original))
            return torch.empty(0)
        return _number_or_text(argument, value)


def _number_or_text(argument: OperatorArgument, value: torch.Value) -> object:
    """Return the constant of an argument that is no tensor."""
    plain = rule_arguments.of_torchscript(argument, value)
    if is_computed(plain):
        raise torch.onnx.errors.SymbolicValueError(argument.name, value)
    if isinstance(plain, str) != (argument.base_type == "str"):
        raise ValueError(
            f"{argument.name} is {plain!r}, but the overload takes {argument.base_type}"
        )
    return plain
