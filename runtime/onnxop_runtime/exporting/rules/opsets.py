"""The opset versions of the default ONNX domain at which each exporter can write an operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...mapping.opsets import DYNAMO, TORCHSCRIPT
from ...operator.export_context import ExportContext
from ...operator.model import Operator, Origin

NAMES = {True: "the dynamo exporter", False: "the TorchScript exporter"}
UNKNOWN_SIZES = {
    True: "compute with op.Shape(...) in the mapping",
    False: "export with dynamo=True, or compute with op.Shape(...) in the mapping",
}
"""By ``dynamo``: the remedy for a mapping that computes with sizes which the exporter does not know."""
NODES = {True: DYNAMO, False: TORCHSCRIPT}
"""By ``dynamo``: the opset versions at which each exporter can write one node of a custom domain."""

_DEFAULT = 20


def standard(operator: Operator) -> dict[bool, range]:
    """Return, by ``dynamo``, the opset versions at which each exporter can write standard nodes."""
    return {True: operator.dynamo, False: operator.torchscript}


def checked(
    own: Sequence[Operator], dynamo: bool, opset: int | None, domains: Mapping[Operator, str]
) -> int:
    """Return the opset version to export at: the requested one, or by default the nearest to 20.

    If the package has one operator, the model is taken to call it, so its opsets are checked. Operators of
    larger packages are checked when the exporter meets their calls.

    Raises:
        ValueError: the exporter cannot write this opset version.
        TypeError: it is not an integer.
    """
    if opset is not None and (isinstance(opset, bool) or not isinstance(opset, int)):
        raise TypeError(f"opset_version must be an integer, but it is {opset!r}")
    if len(own) == 1 and (opset is None or own[0].origin is Origin.PACKAGE):
        spans = _spans(own[0], domains[own[0]])
        if opset is None and spans[dynamo]:
            return _nearest(_DEFAULT, spans[dynamo])
        _check(own[0], spans, dynamo, opset)
    version = _DEFAULT if opset is None else opset
    if version not in NODES[dynamo]:
        raise ValueError(_misfit(f"{NAMES[dynamo]} writes", NODES, dynamo, version))
    return version


def check_asked(operator: Operator, context: ExportContext) -> None:
    """Raise ValueError if the operator cannot be exported at the export's opset version."""
    spans = _spans(operator, context.domain_of(operator))
    _check(operator, spans, context.dynamo, context.opset)


def _spans(operator: Operator, domain: str) -> dict[bool, range]:
    spans = standard(operator)
    # Without a mapping at an opset, the library computes the node, or an engine that knows the domain.
    is_served = operator.is_native or domain == operator.domain or not any(spans.values())
    return NODES if domain and is_served else spans


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
    """Return the lowest IR version that a model needs: old runtimes refuse newer ones. ONNX Runtime 1.17
    refuses those above 9, and opset 20 needs 9.
    """
    from onnx import helper

    imports = [entry for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    return max(helper.find_min_ir_version_for(imports), 8 if model.functions else 4)
