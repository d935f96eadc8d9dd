"""At which opsets of the default ONNX domain an operator can be exported, by either exporter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .. import registry
from ..mapping.opsets import DYNAMO, TORCHSCRIPT
from ..operator.description import Operator
from ..registry import domain_of

NAMES = {True: "the dynamo exporter", False: "the TorchScript exporter"}
NODES = {True: DYNAMO, False: TORCHSCRIPT}
"""Those at which each exporter can write one node of a domain of its own, by ``dynamo``."""

_DEFAULT = 20


def standard(operator: Operator) -> dict[bool, range]:
    """Return those at which each exporter can write standard nodes, by ``dynamo``."""
    return {True: operator.dynamo, False: operator.torchscript}


def checked(
    own: Sequence[Operator], dynamo: bool, opset: int | None, domains: Mapping[Operator, str]
) -> int:
    """Return the opset to export at: the one asked for, or by default the nearest to 20.

    Of the only operator ``own`` of a package it is known that the model calls it; which of several it
    calls shows while it is exported.

    Raises:
        ValueError: the exporter cannot write it.
        TypeError: it is no integer.
    """
    if opset is not None and (isinstance(opset, bool) or not isinstance(opset, int)):
        raise TypeError(f"opset_version must be an integer, but it is {opset!r}")
    if len(own) == 1 and (opset is None or own[0].origin is registry.Origin.PACKAGE):
        spans = _spans(own[0], domains[own[0]])
        if opset is None and spans[dynamo]:
            return _nearest(_DEFAULT, spans[dynamo])
        _check(own[0], spans, dynamo, opset)
    found = _DEFAULT if opset is None else opset
    if found not in NODES[dynamo]:
        raise ValueError(_misfit(f"{NAMES[dynamo]} writes", NODES, dynamo, found))
    return found


def check_asked(operator: Operator) -> None:
    """Raise ValueError where a rule is asked for at an opset that it cannot be exported at."""
    export = registry.exporting()
    if export is not None:  # else the user calls the exporter without `export`
        _check(operator, _spans(operator, domain_of(operator)), export.dynamo, export.opset)


def _spans(operator: Operator, domain: str) -> dict[bool, range]:
    found = standard(operator)
    # Where the mapping does not hold, the library serves the node, or, in the operator's own domain,
    # the engine that knows it.
    is_served = operator.is_native or domain == operator.domain or not any(found.values())
    return NODES if domain and is_served else found


def _check(
    operator: Operator, spans: Mapping[bool, range], dynamo: bool, opset: int | None
) -> None:
    supported, other = spans[dynamo], spans[not dynamo]
    if not supported and not other:
        raise ValueError(
            f"{operator} has no mapping to standard nodes; use "
            f"domain={{{str(operator)!r}: {operator.domain!r}}} for one node of that domain"
        )
    if not supported:
        raise ValueError(
            f"{NAMES[dynamo]} cannot write {operator}; use dynamo={not dynamo}, which writes opsets "
            f"{_span(other)}"
        )
    if opset not in supported:
        raise ValueError(_misfit(f"{NAMES[dynamo]} writes {operator} at", spans, dynamo, opset))


def _misfit(fact: str, spans: Mapping[bool, range], dynamo: bool, opset: Any) -> str:
    supported, other = spans[dynamo], spans[not dynamo]
    also = f", or dynamo={not dynamo} (opsets {_span(other)})" if other else ""
    remedy = f"use opset_version={_nearest(opset, supported)}{also}"
    return f"{fact} opsets {_span(supported)}, not {opset}; {remedy}"


def _nearest(opset: int, supported: range) -> int:
    return min(max(opset, supported.start), supported.stop - 1)


def _span(opsets: range) -> str:
    return f"{opsets.start} to {opsets.stop - 1}"


def ir_version(model: Any) -> int:
    """Return the version of ONNX's format for a model: the lowest that it needs, as old runtimes refuse a
    format that they do not know, whatever is in the model: ONNX Runtime 1.17 those above 9, which opset 20
    does with.
    """
    from onnx import helper

    imports = [entry for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    return max(helper.find_min_ir_version_for(imports), 8 if model.functions else 4)
