"""A mapping in the form that each exporter takes: TorchScript's symbolic, and dynamo's translation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import cache, wraps
from typing import Any

import torch
from torch.onnx import errors

from .. import torch_internals as internals
from ..mapping.opsets import DYNAMO
from ..operator import registry
from ..operator.arguments import Argument
from ..operator.model import Operator, Origin
from ..operator.registry import domain_of
from ..specs.arguments import MEANINGLESS
from . import decomposed, nodes, opsets
from .exporters import OnnxscriptWriter, TorchScriptWriter
from .promotion import of_numbers, promoting
from .writer import NUMBERS, Computed, as_written


def _refusing(operator: Operator, write: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a rule: its ValueErrors name the operator, and `export` raises them without graphs."""

    @wraps(write)
    def call(*values: Any, **keywords: Any) -> Any:
        try:
            return write(*values, **keywords)
        except ValueError as error:
            # torch.onnx.export switches the log on; `export` restores it at the end.
            internals.set_onnx_log_enabled(False)
            is_named = str(operator) in str(error)
            refusal = error if is_named else ValueError(f"{operator}: {error}")
            if (export := registry.exporting()) is not None:
                export.refused.append(refusal)
            raise refusal from error.__cause__

    return call


def _arguments(operator: Operator, values: Sequence[Any]) -> dict[str, Any]:
    """Return the rule's arguments by name from the schema's values, without those held at None."""
    arguments = {a.name: a.default for a in operator.schema_arguments}
    arguments |= dict(zip(arguments, values, strict=False))
    kinds = {a.name: a.kind for a in operator.schema_arguments}
    for name, kind in kinds.items():
        if kind == "ScalarType":
            arguments[name] = _element_type(arguments[name])
    for name in operator.always_none:
        if arguments.pop(name) is not None and kinds[name] not in MEANINGLESS:
            raise ValueError(
                f"{operator.existing or operator.name} can only be exported with {name}=None"
            )
    return arguments


def _element_type(value: Any) -> int | None:
    """Return ONNX's number of a dtype. Dynamo gives PyTorch's or ONNX's dtype, TorchScript a number."""
    if value is None or isinstance(value, IntEnum):
        return None if value is None else int(value)
    exporter: Any = torch.onnx
    kinds = exporter.JitScalarType  # torchvision's import hides symbolic_helper's
    kind = kinds.from_dtype(value) if isinstance(value, torch.dtype) else kinds(value)
    return int(kind.onnx_type())


def _rule(operator: Operator, opset: int) -> Callable[..., Any]:
    rule = operator.rule_at(opset)
    if rule is None:
        at = f" at opset {opset}" * (operator.rule is not None)
        raise ValueError(f"{operator.name} has no mapping to standard nodes{at}")
    return promoting(operator, rule, opset)


# ---- TorchScript ----


@cache
def symbolic(operator: Operator) -> Callable[..., Any]:
    """Return the operator's rule for the TorchScript exporter: ``symbolic(g, *arguments)``.

    TorchScript looks rules up without overloads, so the rule of an existing operator is asked for all of
    them. It renames some operators first (``aten::det`` to ``aten::linalg_det``) and takes the rule of
    the new name.
    """
    if operator.is_decomposed:
        return _refusing(operator, decomposed.symbolic(operator))
    schema = operator.schema_arguments
    least = sum(not argument.has_default for argument in schema)

    def write(g: Any, *values: Any, _outputs: int | None = None) -> Any:
        node = g.original_node
        if not least <= len(values) <= len(schema):
            name = str(operator) if node is None else node.schema().split("(")[0] or node.kind()
            raise errors.UnsupportedOperatorError(name, g.opset, None)
        opsets.check_asked(operator)
        nodes.note(operator)
        if (export := registry.exporting()) is not None and export.call_sizes is not None:
            export.call_sizes.set_types(operator, values)
        pairs = zip(schema, values, strict=False)
        inputs = [read(argument, value, str(operator)) for argument, value in pairs]
        if node is not None:  # the exporter has rounded lists of floats to float32
            for place, (argument, original) in enumerate(zip(schema, node.inputs(), strict=False)):
                if argument.kind == "float" and argument.is_list:
                    inputs[place] = original.toIValue() or inputs[place]
        writer = TorchScriptWriter(g, g.opset)
        arguments = of_numbers(operator, writer, _arguments(operator, inputs))
        if domain := domain_of(operator):
            return nodes.torchscript(operator, g, domain, arguments)
        results = _rule(operator, g.opset)(writer, **arguments)
        if isinstance(results, list):  # TorchScript unpacks it itself for some operators
            return results if _outputs else g.op("prim::ListConstruct", *results)
        if node is not None:
            results = _as_traced(operator, writer, results, list(node.outputs()))
        _name(operator, results)
        return results

    return _refusing(operator, write)


def _name(operator: Operator, results: Any) -> None:
    """Name the results after the schema, with a unique number. The exporter would else fold constant
    results in the dtype of another operand that is a number.
    """
    values = results if isinstance(results, tuple) else [results]
    for name, value in zip(operator.results, values, strict=False):
        # An input that is returned unchanged keeps its name.
        if isinstance(value, internals.Value) and value.node().kind() != "prim::Param":
            value.setDebugName(f"{name}.{value.unique()}")


def _as_traced(operator: Operator, writer: Any, results: Any, outputs: Sequence[Any]) -> Any:
    """Cast results to the dtypes that PyTorch's have in the trace, where both are known. Raise ValueError for
    integers in place of floats, and if the model uses a result that the mapping leaves out.
    """
    cast = [*results] if isinstance(results, tuple) else [results]
    for place, (result, output) in enumerate(zip(cast, outputs, strict=False)):
        if result is None and output.uses():
            name = operator.results[place]
            raise ValueError(nodes.LEFT_OUT.format(operator=operator, name=name))
        is_tensor = isinstance(output.type(), internals.TensorType)
        to: Any = output.type().dtype() if is_tensor else None
        dtype = None if result is None else writer.dtype(result)
        if to in NUMBERS and dtype not in (to, None):
            nodes.check_dtype(str(operator), dtype, to)
            cast[place] = writer.cast(result, to)
    return tuple(cast) if isinstance(results, tuple) else cast[0]


def read(argument: Argument, value: Any, operator: str = "") -> Any:
    """Return a TorchScript value as an argument of a rule."""
    if internals.symbolic_helper.is_none(value):
        return None
    if argument.is_list_of_tensors:
        if not internals.symbolic_helper.is_packed_list(value):
            raise ValueError(
                "the model computes a list of tensors, whose length the exporter needs to know; "
                "give a list of known length"
            )
        parts = internals.symbolic_helper.unpack(value)
        return [None if internals.symbolic_helper.is_none(item) else item for item in parts]
    if argument.kind == "int":
        value = _integers(argument, value)
    elif argument.kind in _KINDS:
        kind = _KINDS[argument.kind][argument.is_list]
        value = internals.symbolic_helper.parse(value, kind, argument.name, operator)
    if isinstance(value, list | tuple) and any(isinstance(item, float) for item in value):
        return as_written(value)
    return value.item() if isinstance(value, torch.Tensor) else value  # a Scalar is a tensor


def _integers(argument: Argument, value: Any) -> Any:
    """Return an integer argument; integers that the model computes become `Computed`."""
    if not isinstance(value, internals.Value):
        return value
    try:
        return internals.symbolic_helper.parse(value, "is" if argument.is_list else "i")
    except errors.SymbolicValueError:
        if not argument.is_list:
            return Computed(argument.name, value)
    if not internals.symbolic_helper.is_packed_list(value):
        Computed(argument.name, value).refuse()
    item = replace(argument, is_list=False)
    return [_integers(item, part) for part in internals.symbolic_helper.unpack(value)]


# ---- Dynamo ----


@cache
def translation(operator: Operator) -> Callable[..., Any]:
    """Return the operator's rule for the dynamo exporter: ``translation(*arguments)``.

    The exporter asks for it only if the call is still in the graph. torch.export decomposes some operators
    first (``aten::hardshrink``). It also makes tensors of numbers whose type is not the tensor's, which
    selects another overload (``aten::lerp.Scalar``).
    """
    parameters = operator.schema_arguments

    def write(*args: Any, **kwargs: Any) -> Any:
        named = dict(zip((a.name for a in parameters), args, strict=False)) | kwargs
        values = [named.get(a.name, a.default) for a in parameters]
        opsets.check_asked(operator)
        nodes.note(operator)
        opset = _dynamo_opset(operator)
        writer = OnnxscriptWriter(opset)
        pairs = zip(parameters, values, strict=True)
        marked = [_marked(a.name, v) if a.kind == "int" else v for a, v in pairs]
        arguments = of_numbers(operator, writer, _arguments(operator, marked))
        if domain := domain_of(operator):
            return nodes.dynamo(operator, domain, arguments)
        results = _rule(operator, opset)(writer, **arguments)
        if not isinstance(results, tuple):
            return results
        named_results = zip(results, operator.results, strict=True)
        return tuple(nodes.left_out(operator, n) if r is None else r for r, n in named_results)

    # The exporter reads the signature: parameters annotated with Python types are attributes.
    kinds = inspect.Parameter
    write.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            kinds(
                argument.name,
                kinds.KEYWORD_ONLY if argument.keyword_only else kinds.POSITIONAL_OR_KEYWORD,
                default=argument.default if argument.has_default else kinds.empty,
            )
            for argument in parameters
        ]
    )
    write.__annotations__ = {argument.name: _annotation(argument) for argument in parameters}
    return _refusing(operator, write)


def translation_table(operators: Sequence[Operator]) -> dict[Any, Callable[..., Any]]:
    """Return the dynamo exporter's table: the first rule of each overload. Existing operators whose
    rules are for TorchScript only keep PyTorch's.
    """
    internals.make_optimizer_exact()
    ruled = [operator for operator in operators if not operator.is_decomposed]
    exported = [op for op in ruled if op.is_for_dynamo or not op.existing or domain_of(op)]
    table: dict[Any, Callable[..., Any]] = {}
    for operator in exported:
        for overload in operator.overloads:
            table.setdefault(overload, translation(operator))
    for operator in exported:  # an overload's own rule precedes that of another one
        for overload in operator.scalar_overloads:
            table.setdefault(overload, translation(operator))
    return table


def active_table() -> dict[Any, Callable[..., Any]]:
    """Return the table of the current export: the rules of all registered operators, by precedence."""
    operators = registry.operators()
    export = registry.exporting()
    if export is not None and export.is_plain:
        operators = [op for op in operators if _is_helpful(op, export.opset)]
    table = translation_table(operators)
    for overload in table:
        candidates = [op for op in operators if overload in op.overloads]
        if len(candidates) > 1:
            table[overload] = _checking_unique(candidates, table[overload])
    return table


def _is_helpful(operator: Operator, opset: int) -> bool:
    """Return whether a plain export gets a rule: not if it is the gallery's, and invalid at the opset, at which
    PyTorch's own rule may be valid.
    """
    return operator.origin is not Origin.GALLERY or opset in operator.dynamo


def _checking_unique(
    candidates: Sequence[Operator], write: Callable[..., Any]
) -> Callable[..., Any]:
    """Wrap the first operator's rule: it refuses calls that another package has a rule for, too."""

    @wraps(write)
    def call(*values: Any, **keywords: Any) -> Any:
        registry.check_unique(candidates[0], candidates)
        return write(*values, **keywords)

    return _refusing(candidates[0], call)


def _marked(name: str, value: Any) -> Any:
    """Return an integer argument; integers that the model computes become `Computed`."""
    if isinstance(value, list | tuple):
        return [_marked(name, item) for item in value]
    return value if value is None or isinstance(value, int) else Computed(name, value)


def _dynamo_opset(operator: Operator) -> int:
    """Return the opset at which dynamo builds the nodes: the lowest that uses the rule of the requested
    opset. Conversion would keep the nodes of another rule.
    """
    export = registry.exporting()
    if operator.rule is None:
        return DYNAMO.start
    requested = operator.opsets.dynamo_opset if export is None else export.opset
    return operator.opsets.built_at(requested)


_KINDS: dict[str, tuple[str, str, Any]] = {
    "number": ("t", "fs", float),
    "float": ("f", "fs", float),
    "int": ("v", "v", int),
    "bool": ("b", "is", bool),
    "str": ("s", "is", str),
    "ScalarType": ("i", "is", int),
}
"""For each kind of argument: its name in ``parse_args``, that of a list of it, and its Python type."""


def _annotation(argument: Argument) -> Any:
    if argument.kind not in _KINDS:
        return Any
    kind = _KINDS[argument.kind][2]
    kind = Sequence[kind] if argument.is_list else kind  # type: ignore[valid-type]
    return kind | None if argument.is_optional else kind
