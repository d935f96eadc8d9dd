"""The domains of operators that are exported as nodes of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NoReturn

from ...operator import registry
from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ...specs.names import problem_with_domain


def version_of(domain: str, context: ExportContext) -> int:
    """Return a domain's version in an export: the highest in the packages that wrote nodes."""
    packages = {operator.package.name for operator in context.log.written_by.values()}
    candidates = [op for op in registry.operators() if op.package.name in packages]
    versions = (op.version for op in candidates if context.domain_of(op) == domain)
    return max(versions, default=1)


def record(operator: Operator, context: ExportContext) -> None:
    """Record in the model's metadata which package and spec wrote the operator. Raise ValueError if
    another operator has written the same node; a reader could not tell them apart.
    """
    context.log.calls[operator] += 1
    domain = context.domain_of(operator)
    node = f"{domain}::{operator.op_type}"
    first = context.log.written_by.setdefault(node, operator)
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
    context.log.metadata[f"onnxop.{operator}"] = json.dumps(entry)


def checked_domains(
    operators: Sequence[Operator], domain: str | Mapping[str, str] | None
) -> dict[Operator, str]:
    """Return the domain of each operator of a package; "" stands for standard nodes. ``domain`` is
    one for all operators, or by operator name; by default they are the specs'.

    Raises:
        TypeError: a domain is not a string.
        ValueError: a domain is not a valid name, or reserved by ONNX, ONNX Runtime or PyTorch; the
            package has no operator of that name; or two operators would be the same node.
    """
    by_name = {str(operator): operator for operator in reversed(operators)}  # the first of a name
    requested = _requested_domains(by_name, domain)
    domains = {operator: operator.default_domain for operator in operators}
    for name, requested_domain in requested.items():
        if name not in by_name:
            hint = _hint(name, by_name)
            raise ValueError(f"domain names {name!r}, but the operators are {list(by_name)}{hint}")
        check_domain(by_name[name], requested_domain)
        domains[by_name[name]] = requested_domain
    _check_nodes_differ(domains, requested)
    return domains


def _requested_domains(
    by_name: Mapping[str, Operator], domain: str | Mapping[str, str] | None
) -> Mapping[str, str]:
    """Return the requested domains by operator name."""
    if domain is None:
        return {}
    if isinstance(domain, Mapping):
        return domain
    can_be_nodes = [name for name, operator in by_name.items() if operator.can_be_node]
    if domain and can_be_nodes:
        return dict.fromkeys(can_be_nodes, domain)
    return dict.fromkeys(by_name, domain)


def _check_nodes_differ(domains: Mapping[Operator, str], requested: Mapping[str, str]) -> None:
    """Raise ValueError if two operators would be the same node because of a request."""
    operator_by_node: dict[str, Operator] = {}
    for operator, domain in domains.items():
        node = f"{domain}::{operator.op_type}"
        first = operator_by_node.setdefault(node, operator)
        names = {str(operator), str(first)}
        if domain and first is not operator and names & requested.keys():
            _refuse_same_node(node, str(first), str(operator))


def _hint(name: str, by_name: Mapping[str, Operator]) -> str:
    """Return how to name an operator in ``domain``: another with the last part of this name, or all
    packages'.
    """
    base = name.rpartition("::")[2]
    registered = {str(operator): operator for operator in reversed(registry.operators())}
    for candidate in (name, *by_name, *registered):
        if candidate.rpartition("::")[2] != base:
            continue
        if candidate in by_name:
            return f"; did you mean {candidate!r}?"
        if candidate in registered:
            owner = registered[candidate].package.name
            return (
                f"; {candidate!r} is an operator of {owner}: call onnxop_runtime.export, whose "
                "domain takes the operators of all imported packages"
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
    """Return the call of `export` with which all nodes run native; nothing if no operator has a
    kernel.
    """
    if not any(operator.is_native for operator in domains):
        return ""
    native = {str(op): domain if op.is_native else "" for op, domain in domains.items()}
    return f", or call export(..., domain={json.dumps(native)}, function_bodies=False)"
