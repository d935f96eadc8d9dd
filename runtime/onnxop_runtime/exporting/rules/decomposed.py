"""Decomposed operators in the TorchScript exporter: the nodes that dynamo writes for a call."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ...mapping.calls import GRAPHS
from ...mapping.writing import Body
from ...operator.arguments import Argument
from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ...specs.arguments import MEANINGLESS
from ...torch_internals import TensorType, parse_schema, schema_of, symbolic_helper
from ..call.model_arguments import TensorsOnly, returned
from . import rule_arguments, translations
from .exporter_writers import TorchScriptWriter
from .writer import is_computed

_onnx: Any = torch.onnx
ScalarType = _onnx.JitScalarType  # torchvision's import hides symbolic_helper's


def write(operator: Operator, context: ExportContext, g: Any, values: Sequence[Any]) -> Any:
    """Write a call of any overload of the operator into a TorchScript graph; return its results."""
    call = _ScriptCall.of(g, operator, values)
    program = call.exported(g.opset, context)
    dtypes = [node.meta["val"].dtype for _, node in returned(program.exported_program)]
    results = _Replay(g, program.model, call.inputs).results(dtypes)
    returns = schema_of(call.overload).returns
    if len(returns) == 1 and isinstance(returns[0].type, torch.ListType):
        return g.op("prim::ListConstruct", *results)
    return results[0] if len(results) == 1 else tuple(results)


@dataclass(frozen=True)
class _Input:
    """A tensor argument of the call: its value, dtype and sizes; dynamic sizes are None."""

    value: Any
    dtype: torch.dtype
    sizes: list[int | None]

    @classmethod
    def of(cls, value: Any, original: Any) -> _Input:
        undefined = ScalarType.UNDEFINED
        dtype = ScalarType.from_value(value, ScalarType.from_value(original, undefined))
        sizes = next((s for s in map(_sizes, (value, original)) if s is not None), None)
        if sizes is None or dtype == undefined:
            raise ValueError(f"the rank or the element type of {value} is unknown")
        return cls(value, dtype.dtype(), sizes)

    @property
    def dynamic(self) -> dict[int, Any]:
        """The dynamic dimensions, for ``dynamic_shapes``."""
        return {d: torch.export.Dim.DYNAMIC for d, size in enumerate(self.sizes) if size is None}

    def example(self, others: Sequence[_Input]) -> Tensor:
        """Return an example, whose dynamic dimensions have sizes of tensors to broadcast with."""
        sizes = []
        for place, size in enumerate(self.sizes, -len(self.sizes)):
            near = (t.sizes[place] for t in others if len(t.sizes) >= -place)
            hint = next((other for other in near if other is not None and other > 1), 4)
            sizes.append(hint if size is None else size)
        return torch.ones(sizes, dtype=self.dtype)


def _sizes(value: Any) -> list[int | None] | None:
    kind = value.type()
    return kind.varyingSizes() if isinstance(kind, TensorType) else None


@dataclass(frozen=True)
class _ScriptCall:
    """A call in a TorchScript graph."""

    overload: Any
    arguments: list[Any]
    inputs: list[_Input]

    @classmethod
    def of(cls, g: Any, operator: Operator, values: Sequence[Any]) -> _ScriptCall:
        """Return the call of the node's overload, or of the first that takes the values."""
        originals = list(g.original_node.inputs())
        problems: list[str] = []
        for overload in _overloads(g.original_node):
            inputs: list[_Input] = []
            schema = schema_of(overload).arguments
            if len(values) > len(schema):
                continue
            try:
                arguments = [
                    _argument(Argument.of(argument), value, original, inputs)
                    for argument, value, original in zip(schema, values, originals, strict=False)
                ]
            except torch.onnx.errors.SymbolicValueError:
                problems.append(
                    f"{overload}: an integer argument is dynamic; the TorchScript exporter needs a "
                    "constant; give a number, or export with dynamo=True"
                )
            except (ValueError, TypeError, RuntimeError) as error:
                problems.append(f"{overload}: {error}")
            else:
                return cls(overload, arguments, inputs)
        raise ValueError(f"{operator} has no overload for the call: {'; '.join(problems)}")

    def exported(self, opset: int, context: ExportContext) -> Any:
        """Return the program that the dynamo exporter writes for the call."""
        pairs = list(zip(schema_of(self.overload).arguments, self.arguments, strict=False))
        args = [value for argument, value in pairs if not argument.kwarg_only]
        kwargs = {argument.name: value for argument, value in pairs if argument.kwarg_only}
        module = TensorsOnly(self.overload, args, kwargs)
        shapes = tuple(tensor.dynamic or None for tensor in self.inputs)
        options: dict[str, Any] = {"dynamic_shapes": (shapes,)} if any(shapes) else {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return torch.onnx.export(
                    module.eval(),
                    tuple(tensor.example(self.inputs) for tensor in self.inputs),
                    dynamo=True,
                    opset_version=opset,
                    custom_translation_table=translations.active_table(context),
                    verbose=False,
                    **options,
                )
            except torch.onnx.errors.OnnxExporterError as error:
                first: BaseException = error
                while first.__cause__ is not None:
                    first = first.__cause__
                reason = f"{first}".strip().partition("\n")[0][:300]
                remedy = "export it without dynamic axes, or with dynamo=True"
                raise ValueError(
                    f"PyTorch's dynamo exporter cannot decompose it ({reason}); {remedy}"
                ) from error


def overload_of(node: Any) -> str | None:
    """Return the overload that a TorchScript node calls, or None if that is unknown. Once numbers have
    become constant tensors, the node matches no overload, or only one with ``out``.
    """
    text = node.schema()
    if not text.startswith(node.kind()):
        return None
    schema = parse_schema(text)
    has_out = any(argument.is_out for argument in schema.arguments)
    return None if has_out else schema.overload_name or "default"


def _overloads(node: Any) -> Iterator[Any]:
    namespace, _, name = node.kind().partition("::")
    packet = getattr(getattr(torch.ops, namespace), name)
    name_of_overload = overload_of(node)
    if name_of_overload is not None:
        yield getattr(packet, name_of_overload)
        return
    overloads = [getattr(packet, name) for name in packet.overloads()]
    schemas = {overload: schema_of(overload).arguments for overload in overloads}
    # Overloads with numbers come first, because a constant may be a number or a tensor.
    yield from sorted(
        (overload for overload in overloads if not any(a.is_out for a in schemas[overload])),
        key=lambda overload: sum(Argument.of(a).is_tensor for a in schemas[overload]),
    )


def _argument(argument: Argument, value: Any, original: Any, inputs: list[_Input]) -> Any:
    """Return the value of an argument; add each tensor to ``inputs`` and return an empty one in its place."""
    if symbolic_helper.is_none(value) or argument.kind in (*MEANINGLESS, "Generator"):
        return None
    if argument.is_list_of_tensors:
        item = replace(argument, is_list=False)
        return [_argument(item, part, part, inputs) for part in symbolic_helper.unpack(value)]
    if argument.is_tensor:
        inputs.append(_Input.of(value, original))
        return torch.empty(0)
    plain = rule_arguments.of_torchscript(argument, value)
    if is_computed(plain):
        raise torch.onnx.errors.SymbolicValueError(argument.name, value)
    if isinstance(plain, str) != (argument.kind == "str"):
        raise ValueError(f"{argument.name} is {plain!r}, but the overload takes {argument.kind}")
    return plain


class _Replay:
    """Copies the nodes of an exported graph into a TorchScript graph."""

    def __init__(self, g: Any, model: Any, inputs: Sequence[_Input]) -> None:
        self._writer, self._graph = TorchScriptWriter(g, g.opset), model.graph
        if model.functions:
            raise ValueError("it needs ONNX functions; export with dynamo=True")
        self._values: dict[Any, Any] = {
            port: tensor.value for port, tensor in zip(self._graph.inputs, inputs, strict=True)
        }

    def results(self, dtypes: Sequence[torch.dtype]) -> list[Any]:
        """Return the graph's results, cast to PyTorch's dtypes if the exporter's rules return others."""
        write = self._writer
        pairs = zip(self._written(self._graph), dtypes, strict=True)
        return [
            value if write.dtype(value) in (to, None) else write.cast(value, to)
            for value, to in pairs
        ]

    def _written(self, graph: Any) -> list[Any]:
        """Write the nodes of a graph; return the values of its outputs."""
        for value in graph.initializers.values():
            tensor = torch.from_numpy(value.const_value.numpy().copy())
            self._values[value] = self._writer.node("Constant", value=tensor)
        for node in graph:
            self._write(node)
        return [self._values[value] for value in graph.outputs]

    def _body(self, graph: Any, inputs: Sequence[Any]) -> Body:
        def write(*values: Any) -> list[Any]:
            self._values.update(zip(graph.inputs, values, strict=True))
            return self._written(graph)

        return Body(["INT64", "BOOL", *inputs[2:]][: len(graph.inputs)], write)

    def _write(self, node: Any) -> None:
        from onnxscript import ir

        if node.domain:
            raise ValueError(f"it needs {node.domain}::{node.op_type}, not a standard node")
        inputs = [None if value is None else self._values[value] for value in node.inputs]
        count, attributes = len(node.outputs), {}
        for attribute in node.attributes.values():
            value = attribute.value
            if attribute.type == ir.AttributeType.TENSOR:
                value = torch.from_numpy(value.numpy().copy())
            elif attribute.type == ir.AttributeType.GRAPH and node.op_type in GRAPHS:
                value = self._body(value, inputs)
            elif attribute.type in (ir.AttributeType.GRAPH, ir.AttributeType.GRAPHS):
                raise ValueError(f"it needs {node.op_type}, a node with subgraphs; use dynamo=True")
            attributes[attribute.name] = list(value) if isinstance(value, tuple) else value
        outputs = self._writer.node(node.op_type, *inputs, _outputs=count, **attributes)
        self._values.update(zip(node.outputs, outputs if count > 1 else [outputs], strict=True))
