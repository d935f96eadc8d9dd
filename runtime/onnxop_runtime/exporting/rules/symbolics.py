"""An operator's rule in the form that the TorchScript exporter takes: a symbolic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from torch.onnx import errors

from ... import torch_internals as internals
from ...operator.export_context import ExportContext, current_or_plain
from ...operator.model import Operator
from .. import model_lines
from ..domain_nodes import domains, left_out, nodes
from ..element_types import NUMBERS, check_not_integer
from ..torchscript_graph import GraphContext
from . import decomposed, opsets, refusals, rule_arguments
from .promotion import promoted_rule, with_numbers_as_tensors
from .torchscript_writer import TorchScriptWriter


@cache
def symbolic(operator: Operator) -> Callable[..., Any]:
    """Return the operator's rule for the TorchScript exporter: ``symbolic(g, *arguments)``.

    TorchScript looks rules up without overloads, so the rule of an existing operator is asked for
    all of them. It renames some operators first (``aten::det`` to ``aten::linalg_det``) and takes
    the rule of the new name.
    """

    def write_nodes(g: GraphContext, *values: object, _outputs: int | None = None) -> object:
        context = current_or_plain(dynamo=False, opset=g.opset)
        return write_nodes_of_call(operator, context, g, values, _outputs=_outputs)

    return write_nodes


def write_nodes_of_call(
    operator: Operator,
    context: ExportContext,
    g: GraphContext,
    values: Sequence[object],
    *,
    _outputs: int | None = None,
) -> object:
    """Write the nodes of a call by the operator's rule; return its results. ``_outputs``: the
    length of a list of results, if TorchScript unpacks it itself, as it does for some operators.
    """
    line = partial(model_lines.of_script_node, operator, g.original_node)
    with refusals.recorded(operator, context, line):
        if not operator.is_decomposed:
            _check_count(operator, g, values)
        opsets.check_asked(operator, context)
        domains.record(operator, context)
        if operator.is_decomposed:
            return decomposed.write_decomposed_nodes(operator, context, g, values)
        return _write_nodes(operator, context, g, values, is_unpacked=bool(_outputs))


def _write_nodes(
    operator: Operator,
    context: ExportContext,
    g: GraphContext,
    values: Sequence[object],
    *,
    is_unpacked: bool,
) -> Any:
    """Write the node of a domain, or the nodes of the rule, for a call in the trace."""
    node = g.original_node
    inputs = _inputs(operator, context, node, values)
    writer = TorchScriptWriter(
        g, g.opset, context.log.call_sizes, can_be_dynamo=_can_be_dynamo(operator, context, inputs)
    )
    arguments = with_numbers_as_tensors(operator, writer, rule_arguments.by_name(operator, inputs))
    if domain := context.domain_of(operator):
        line = model_lines.of_script_node(operator, node)
        context.log.model_lines.setdefault(operator, []).append(line)
        return nodes.write_node_by_torchscript(operator, g, domain, arguments)
    results = promoted_rule(operator, g.opset)(writer, **arguments)
    if isinstance(results, list):
        return results if is_unpacked else g.op("prim::ListConstruct", *results)
    if node is not None:
        results = _as_traced(operator, writer, results, list(node.outputs()))
    _name(operator, results)
    return results


def _can_be_dynamo(operator: Operator, context: ExportContext, inputs: Sequence[object]) -> bool:
    """Return whether an export by dynamo may know sizes that this one does not. If torch.export has
    given the sizes of the call, it knows no more.
    """
    sizes = context.log.call_sizes
    tensors = [value for value in inputs if isinstance(value, internals.Value)]
    is_asked = sizes is not None and any(sizes.sizes_of(tensor) is not None for tensor in tensors)
    return operator.allows_dynamo and not is_asked


def _check_count(operator: Operator, g: GraphContext, values: Sequence[object]) -> None:
    """Raise UnsupportedOperatorError if the operator does not take this many values."""
    parameters = operator.schema_arguments
    least = sum(not parameter.has_default for parameter in parameters)
    if least <= len(values) <= len(parameters):
        return
    node = g.original_node
    name = str(operator) if node is None else node.schema().split("(")[0] or node.kind()
    raise errors.UnsupportedOperatorError(name, g.opset, None)


def _inputs(
    operator: Operator, context: ExportContext, node: Any, values: Sequence[Any]
) -> list[object]:
    """Return the arguments of the rule for the values of a call."""
    parameters = operator.schema_arguments
    pairs = [*zip(parameters, values, strict=False)]
    if context.log.call_sizes is not None:
        # Numbers of a node are constants here, tensors without sizes.
        tensors = [value for parameter, value in pairs if parameter.is_tensor]
        context.log.call_sizes.set_types(operator, tensors)
    inputs = [rule_arguments.of_torchscript(p, value, str(operator)) for p, value in pairs]
    if node is None:
        return inputs
    # The exporter has rounded lists of floats to float32.
    for index, (parameter, original) in enumerate(zip(parameters, node.inputs(), strict=False)):
        if parameter.base_type == "float" and parameter.is_list:
            inputs[index] = original.toIValue() or inputs[index]
    return inputs


def _name(operator: Operator, results: object) -> None:
    """Name the results after the schema, with a unique number. The exporter would else fold
    constant results in the dtype of another operand that is a number.
    """
    values = results if isinstance(results, tuple) else [results]
    for name, value in zip(operator.results, values, strict=False):
        # An input that is returned unchanged keeps its name.
        if isinstance(value, internals.Value) and value.node().kind() != "prim::Param":
            value.setDebugName(f"{name}.{value.unique()}")


def _as_traced(
    operator: Operator, writer: TorchScriptWriter, results: Any, outputs: Sequence[Any]
) -> object:
    """Cast results to the dtypes that PyTorch's have in the trace, where both are known. Raise
    ValueError for integers in place of floats, and if the model uses a result that the mapping
    leaves out.
    """
    cast = [*results] if isinstance(results, tuple) else [results]
    for index, (result, output) in enumerate(zip(cast, outputs, strict=False)):
        if result is None and output.uses():
            name = operator.results[index]
            raise left_out.error(operator, name)
        is_tensor = isinstance(output.type(), internals.TensorType)
        traced: Any = output.type().dtype() if is_tensor else None
        dtype = None if result is None else writer.dtype(result)
        if traced in NUMBERS and dtype not in (traced, None):
            check_not_integer(str(operator), dtype, traced)
            cast[index] = writer.cast(result, traced)
    return tuple(cast) if isinstance(results, tuple) else cast[0]
