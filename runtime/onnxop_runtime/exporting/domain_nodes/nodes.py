"""An operator as one ONNX node of a custom domain, with the mapping as its function body."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np
import torch

from ...model_nodes import VERSION
from ...operator import registry
from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ...specs.names import problem_with_domain
from ...torch_internals import OptionalType, TensorType
from ..rules.writer import TORCH_TYPES, as_written, check_known
from .function_bodies import EXACT, input_names

# ---- Domains ----


def version_of(domain: str, context: ExportContext) -> int:
    """Return a domain's version in an export: the highest in the packages that wrote nodes."""
    packages = {operator.package.name for operator in context.written_by.values()}
    candidates = [op for op in registry.operators() if op.package.name in packages]
    versions = (op.version for op in candidates if context.domain_of(op) == domain)
    return max(versions, default=1)


def record(operator: Operator, context: ExportContext) -> None:
    """Record in the model's metadata which package and spec wrote the operator. Raise ValueError if
    another operator has written the same node; a reader could not tell them apart.
    """
    domain = context.domain_of(operator)
    node = f"{domain}::{operator.op_type}"
    first = context.written_by.setdefault(node, operator)
    if domain and str(first) != str(operator):
        is_first_own = first in context.operators
        own, other = (first, operator) if is_first_own else (operator, first)
        _refuse_same_node(node, str(other), str(own))
    package = operator.package
    entry = {
        "package": package.name,
        "version": package.version,
        "spec": operator.spec_hash,
        "domain": domain,
    }
    context.metadata[f"onnxop.{operator}"] = json.dumps(entry)


def checked_domains(
    own: Sequence[Operator], domain: str | Mapping[str, str] | None
) -> dict[Operator, str]:
    """Return the domain of each operator of a package; "" stands for standard nodes. ``domain`` is
    one for all operators, or by operator name; by default they are the specs'.

    Raises:
        TypeError: a domain is not a string.
        ValueError: a domain is not a valid name, or reserved by ONNX, ONNX Runtime or PyTorch; the package
            has no operator of that name; or two operators would be the same node.
    """
    by_name = {str(operator): operator for operator in reversed(own)}  # the first of a name
    if domain is None:
        requested: Mapping[str, str] = {}
    elif isinstance(domain, Mapping):
        requested = domain
    else:  # one name applies to the operators that can be nodes
        able = [name for name, operator in by_name.items() if operator.can_be_node]
        requested = dict.fromkeys(able if domain and able else by_name, domain)
    domains = {operator: operator.default_domain for operator in own}
    for name, label in requested.items():
        if name not in by_name:
            raise ValueError(
                f"domain names {name!r}, but the operators are {list(by_name)}{_hint(name, by_name)}"
            )
        check_domain(by_name[name], label)
        domains[by_name[name]] = label
    holders: dict[str, Operator] = {}
    for operator, label in domains.items():
        node = f"{label}::{operator.op_type}"
        other = holders.setdefault(node, operator)
        pair = {str(operator), str(other)}
        if label and other is not operator and pair & requested.keys():
            _refuse_same_node(node, str(other), str(operator))
    return domains


def _hint(name: str, own: Mapping[str, Operator]) -> str:
    """Return how to name an operator in ``domain``: another with the last part of this name, or all packages'."""
    base = name.rpartition("::")[2]
    others = {str(operator): operator for operator in reversed(registry.operators())}
    for key in (name, *own, *others):
        if key.rpartition("::")[2] != base or key not in (own.keys() | others.keys()):
            continue
        if key in own:
            return f"; did you mean {key!r}?"
        owner = others[key].package.name
        return (
            f"; {key!r} is an operator of {owner}: call onnxop_runtime.export, whose domain takes the operators "
            "of all imported packages"
        )
    return ""


def _refuse_same_node(node: str, other: str, name: str) -> NoReturn:
    raise ValueError(
        f"{other} and {name} would both be the node {node}; give each a domain of its own, as in "
        f'domain={{"{name}": "my_lib"}}'
    )


def check_domain(operator: Operator, domain: str) -> None:
    """Raise TypeError or ValueError if the operator's node cannot be of this domain."""
    if domain and not operator.can_be_node:
        raise ValueError(f'{operator} cannot be exported as one node; use domain=""')
    if not isinstance(domain, str):
        raise TypeError(f'domain must be a string ("" for standard nodes), but it is {domain!r}')
    if domain and (why := problem_with_domain(domain)):
        raise ValueError(f"the domain {domain!r} {why}; use a name such as my_lib")


def all_native(domains: Mapping[Operator, str]) -> str:
    """Return the call of `export` with which all nodes run native; nothing if no operator has a kernel."""
    argument = json.dumps({str(op): domain * op.is_native for op, domain in domains.items()})
    call = f", or call export(..., domain={argument}, function_bodies=False)"
    return call * any(op.is_native for op in domains)


def check_dtype(name: str, dtype: torch.dtype, to: torch.dtype) -> None:
    """Raise ValueError if a result is computed in integers, and by PyTorch in floats: the values differ, too."""
    if to.is_floating_point and not (dtype.is_floating_point or dtype == torch.bool):
        raise ValueError(
            f"{name}: PyTorch returns {to}, but the model {dtype}; give it float tensors, or cast in the mapping"
        )


# ---- Nodes ----


def torchscript(operator: Operator, g: Any, domain: str, arguments: Mapping[str, Any]) -> Any:
    """Write the node with the TorchScript exporter."""
    values = operator.spread([arguments[tensor.name] for tensor in operator.tensors])
    while values and values[-1] is None:
        values.pop()
    named: dict[str, Any] = {
        f"{scalar.name}_{scalar.attribute(value)[0].lower()}": value
        for scalar in operator.scalars
        if (value := _plain(arguments[scalar.name])) is not None
    }
    if operator.version > 1:
        named[f"{VERSION}_i"] = operator.version
    types = (value.type() for value in values if value is not None)
    kinds = [kind.dtype() for kind in types if isinstance(kind, TensorType)]
    named |= {f"{name}_s": text for name, text in _exact(operator, arguments, kinds).items()}
    count = len(operator.results)
    inputs = (optional_input(g, value) for value in values)
    nodes = g.op(f"{domain}::{operator.op_type}", *inputs, **named, outputs=count)
    if g.original_node is None:  # in a Function's symbolic, torch sets the types itself
        return nodes
    pairs = zip([nodes] if count == 1 else nodes, g.original_node.outputs(), strict=True)
    for node, original in pairs:
        kind = original.type()
        if isinstance(kind, TensorType) and kind.dim() is not None:
            node.setType(kind.with_sizes([None] * kind.dim()))
    return nodes


def optional_input(g: Any, value: Any) -> Any:
    """Return an input for ``g.op``, with a typed constant for None: a bare None would crash the process."""
    if value is not None:
        return value
    nothing = g.op("prim::Constant")
    nothing.setType(OptionalType.ofTensor())
    return nothing


def _plain(value: Any) -> Any:
    """Return a value as an attribute: ONNX has integers for booleans."""
    check_known([value])
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, bool) else value


def _exact(
    operator: Operator, arguments: Mapping[str, Any], dtypes: Iterable[torch.dtype | None]
) -> dict[str, str]:
    """Return attributes that hold floats as text, if the float32 attribute of the node rounds them. Not
    needed if the tensors are float32 or less, for which PyTorch rounds in the same way.
    """
    floats = {dtype for dtype in dtypes if dtype is None or dtype.is_floating_point}
    if floats and floats <= {torch.float32, torch.float16, torch.bfloat16}:
        return {}
    attributes = {}
    for scalar in operator.scalars:
        value = arguments[scalar.name]
        if value is not None and scalar.attribute(value).startswith("FLOAT"):
            items = np.atleast_1d(np.asarray(value, np.float64))
            with np.errstate(over="ignore"):
                rounded = (
                    items.astype(np.float32),
                    as_written(items.tolist()),
                )  # kernel's, function's
            if not all(np.array_equal(floats, items, equal_nan=True) for floats in rounded):
                attributes[EXACT + scalar.name] = " ".join(map(repr, items.tolist()))
    return attributes


def dynamo(operator: Operator, domain: str, arguments: Mapping[str, Any]) -> Any:
    """Write the node with the dynamo exporter."""
    inputs = operator.spread([arguments[tensor.name] for tensor in operator.tensors])
    attributes = {scalar.name: _plain(arguments[scalar.name]) for scalar in operator.scalars}
    attributes[VERSION] = operator.version if operator.version > 1 else None
    dtypes = [value.dtype for value in inputs if value is not None]
    known = [None if dtype is None else TORCH_TYPES.get(dtype.name) for dtype in dtypes]
    attributes |= _exact(operator, arguments, known)
    kinds = tuple(scalar.attribute(arguments[scalar.name]) for scalar in operator.scalars)
    op = _dynamo_op(operator, domain, kinds, len(inputs))
    # By position: an input named self cannot be a keyword.
    return op(*inputs, *(attributes.get(name) for name in op.op_schema.attributes))


@cache
def _dynamo_op(operator: Operator, domain: str, kinds: tuple[str, ...], count: int) -> Any:
    """Return the op, its inputs not variadic: onnxscript repeats those before a variadic one."""
    needed = {tensor.name for tensor in operator.tensors if not tensor.is_optional}
    inputs = [(name, name in needed) for name in input_names(operator, count)]
    names = [scalar.name for scalar in operator.scalars]
    attributes = [*zip(names, kinds, strict=True), (VERSION, "INT")]
    attributes += [(EXACT + name, "STRING") for name in names]
    version = operator.version
    return _op(domain, operator.op_type, version, inputs, operator.results, attributes)


def _op(
    domain: str,
    op_type: str,
    version: int,
    inputs: Sequence[tuple[str, bool]],
    outputs: Sequence[str],
    attributes: Sequence[tuple[str, str]],
) -> Any:
    """Return an onnxscript op. Inputs come with whether they are required, attributes with their types."""
    from onnx.defs import OpSchema
    from onnxscript import values

    parameter, options = OpSchema.FormalParameter, OpSchema.FormalParameterOption
    ports = [
        parameter(name, f"T{place}", param_option=options.Single if is_needed else options.Optional)
        for place, (name, is_needed) in enumerate(inputs)
    ]
    results = [parameter(name, f"R{place}") for place, name in enumerate(outputs)]
    types = [f"tensor({name.lower()})" for name in TORCH_TYPES]
    schema = OpSchema(
        op_type,
        domain,
        version,
        inputs=ports,
        outputs=results,
        type_constraints=[(port.type_str, types, "") for port in (*ports, *results)],
        attributes=[
            OpSchema.Attribute(name, getattr(OpSchema.AttrType, kind), "", required=False)
            for name, kind in attributes
        ],
    )
    return values.Op(values.Opset(domain, version), op_type, schema)


# ---- Results that a mapping leaves out ----

LEFT_OUT = (
    "the model uses result {name} of {operator}, but the mapping leaves it out; use only the other "
    "results, or return {name} from the spec's mapping, too"
)
_LEFT_OUT_DOMAIN = "onnxop.left_out"


def left_out(operator: Operator, name: str) -> Any:
    """Return a placeholder for a result that the mapping leaves out: a node that `check_left_out` removes."""
    return _op(_LEFT_OUT_DOMAIN, f"{operator.short_name}__{name}", 1, [], [name], [])()


def check_left_out(model: Any) -> None:
    """Remove the placeholders of `left_out` from a model; raise ValueError if it uses one."""
    used = {value for node in model.graph.all_nodes() for value in node.inputs}
    used |= set(model.graph.outputs)
    for node in [n for n in model.graph.all_nodes() if n.domain == _LEFT_OUT_DOMAIN]:
        if any(output in used for output in node.outputs):
            operator, _, name = node.op_type.partition("__")
            raise ValueError(LEFT_OUT.format(operator=operator, name=name))
        model.graph.remove(node)
    model.graph.opset_imports.pop(_LEFT_OUT_DOMAIN, None)
