"""An operator's rule in the form that the dynamo exporter takes: a translation, in a table by
overload.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from typing import Any

from ...mapping.opsets import DYNAMO
from ...operator import registry
from ...operator.arguments import OperatorArgument
from ...operator.export_context import ExportContext, current_or_plain
from ...operator.model import Operator, Origin
from ...torch_internals import make_optimizer_exact
from .. import model_lines
from ..domain_nodes import domains, left_out, nodes
from . import opsets, refusals, rule_arguments
from .onnxscript_writer import OnnxscriptWriter
from .promotion import promoted_rule, with_numbers_as_tensors

Translation = Callable[..., Any]
Table = dict[Callable[..., Any], Translation]


def active_table(context: ExportContext) -> Table:
    """Return the table of an export: the rules of all registered operators, by precedence."""
    operators = registry.operators(context.operators)
    if context.is_plain:
        operators = [op for op in operators if _is_helpful(op, context.opset)]
    table = translation_table(operators, context)
    for overload in table:
        candidates = [op for op in operators if overload in op.overloads]
        if len(candidates) > 1:
            table[overload] = _checking_unique(candidates, table[overload], context)
    return table


def _is_helpful(operator: Operator, opset: int) -> bool:
    """Return whether a plain export gets a rule: not if it is the gallery's, and invalid at the
    opset, at which PyTorch's own rule may be valid.
    """
    return operator.origin is not Origin.GALLERY or opset in operator.dynamo_opsets


def _checking_unique(
    candidates: Sequence[Operator], rule: Translation, context: ExportContext
) -> Translation:
    """Wrap the first operator's rule: it refuses calls that another package has a rule for, too."""

    @wraps(rule)
    def call(*values: object, **keywords: object) -> object:
        line = partial(model_lines.of_translated_node, candidates[0])
        with refusals.recorded(candidates[0], context, line):
            registry.check_unique(candidates[0], candidates, context.operators)
        return rule(*values, **keywords)

    return call


def translation_table(operators: Sequence[Operator], context: ExportContext | None = None) -> Table:
    """Return the dynamo exporter's table: the first rule of each overload. Existing operators whose
    rules are for TorchScript only keep PyTorch's.

    Without ``context``, the rules are for the export that is under way when they are called.
    """
    make_optimizer_exact()
    rules = {
        operator: translation(operator, context)
        for operator in operators
        if _is_translated(operator, context)
    }
    table: Table = {}
    for operator, write in rules.items():
        for overload in operator.overloads:
            table.setdefault(overload, write)
    for operator, write in rules.items():  # an overload's own rule precedes that of another one
        for overload in operator.scalar_overloads:
            table.setdefault(overload, write)
    return table


def _is_translated(operator: Operator, context: ExportContext | None) -> bool:
    """Return whether the dynamo exporter gets the operator's rule, or writes its node."""
    if operator.is_decomposed:
        return False
    domain = operator.default_domain if context is None else context.domain_of(operator)
    return operator.is_used_by_dynamo or not operator.existing or bool(domain)


def translation(operator: Operator, context: ExportContext | None = None) -> Translation:
    """Return the operator's rule for the dynamo exporter: ``translation(*arguments)``.

    The exporter asks for it only if the call is still in the graph. torch.export decomposes some
    operators first (``aten::hardshrink``). It also makes tensors of numbers whose type is not the
    tensor's, which selects another overload (``aten::lerp.Scalar``).
    """

    def translate_call(*args: object, **kwargs: object) -> object:
        export = context or current_or_plain(dynamo=True, opset=_lowest_opset(operator))
        line = partial(model_lines.of_translated_node, operator)
        with refusals.recorded(operator, export, line):
            return _write_nodes(operator, args, kwargs, export)

    # The exporter reads the signature: parameters annotated with Python types are attributes.
    translate_call.__signature__ = _signature(operator)  # type: ignore[attr-defined]
    translate_call.__annotations__ = {a.name: _annotation(a) for a in operator.schema_arguments}
    return translate_call


def _write_nodes(
    operator: Operator, args: Sequence[object], kwargs: dict[str, Any], context: ExportContext
) -> Any:
    """Write the nodes of a call; return its results."""
    opsets.check_asked(operator, context)
    domains.record(operator, context)
    opset = _built_at(operator, context.opset)
    writer = OnnxscriptWriter(opset)
    values = _values(operator.schema_arguments, args, kwargs)
    arguments = with_numbers_as_tensors(operator, writer, rule_arguments.by_name(operator, values))
    if domain := context.domain_of(operator):
        return nodes.write_node_by_dynamo(operator, domain, arguments)
    results = promoted_rule(operator, opset)(writer, **arguments)
    if not isinstance(results, tuple):
        return results
    return tuple(
        left_out.placeholder(operator, name) if result is None else result
        for result, name in zip(results, operator.results, strict=True)
    )


def _values(
    parameters: Sequence[OperatorArgument], args: Sequence[object], kwargs: dict[str, Any]
) -> list[object]:
    """Return the values of all arguments of a call, with defaults for those that it leaves out."""
    by_name = dict(zip((parameter.name for parameter in parameters), args, strict=False)) | kwargs
    return [
        rule_arguments.of_dynamo(parameter, by_name.get(parameter.name, parameter.default))
        for parameter in parameters
    ]


def _lowest_opset(operator: Operator) -> int:
    """Return the lowest opset at which dynamo builds the nodes."""
    return DYNAMO.start if operator.rule is None else operator.opsets.dynamo_opset


def _built_at(operator: Operator, requested: int) -> int:
    """Return the opset at which dynamo builds the nodes: the lowest that uses the rule of the
    requested opset. Conversion would keep the nodes of another rule.
    """
    return DYNAMO.start if operator.rule is None else operator.opsets.built_at(requested)


# ---- Signatures ----

_PYTHON_TYPES: dict[str, type] = {
    "number": float,
    "float": float,
    "int": int,
    "bool": bool,
    "str": str,
    "ScalarType": int,
}


@cache
def _signature(operator: Operator) -> inspect.Signature:
    """Return the signature of an operator's rule, which the exporter reads."""
    parameter = inspect.Parameter
    return inspect.Signature(
        [
            parameter(
                argument.name,
                parameter.KEYWORD_ONLY
                if argument.keyword_only
                else parameter.POSITIONAL_OR_KEYWORD,
                default=argument.default if argument.has_default else parameter.empty,
            )
            for argument in operator.schema_arguments
        ]
    )


def _annotation(argument: OperatorArgument) -> object:
    """Return the Python type of an attribute; Any for a tensor."""
    if argument.base_type not in _PYTHON_TYPES:
        return Any
    annotation: Any = _PYTHON_TYPES[argument.base_type]
    if argument.is_list:
        annotation = Sequence[annotation]
    return annotation | None if argument.is_optional else annotation
