"""At which opsets of the default ONNX domain an operator can be exported, by either exporter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
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
    """Those at which each exporter can write standard nodes, by ``dynamo``."""
    return {True: operator.dynamo, False: operator.torchscript}


def checked(
    own: Sequence[Operator], dynamo: bool, opset: int | None, domains: Mapping[Operator, str]
) -> int:
    """The opset to export at: the one asked for, or by default the nearest to 20.

    Of the only operator ``own`` of a package it is known that the model calls it; which of several it calls shows
    while it is exported.

    Raises:
        ValueError: the exporter cannot write it.
        TypeError: it is no integer.
    """
    if opset is not None and (isinstance(opset, bool) or not isinstance(opset, int)):
        raise TypeError(f"opset_version must be an integer, but it is {opset!r}")
    if len(own) == 1 and (opset is None or own[0].origin is registry.Origin.PACKAGE):
        return _checked(own[0], _spans(own[0], domains[own[0]]), dynamo, opset)
    if opset is None:
        return _DEFAULT
    if opset not in NODES[dynamo]:
        fact = f"{NAMES[dynamo]} writes opsets {_span(NODES[dynamo])}, not {opset}"
        each = [_spans(operator, domains[operator]) for operator in own]
        spans = {exporter: _union(span[exporter] for span in each) for exporter in NODES}
        raise ValueError(f"{fact}; use {_other(spans, dynamo, opset)}")
    return opset


def _spans(operator: Operator, domain: str) -> dict[bool, range]:
    found = standard(operator)
    # Where the mapping does not hold, the library serves the node, or, in the operator's own domain,
    # the engine that knows it.
    is_served = operator.is_native or domain == operator.domain or not any(found.values())
    return NODES if domain and is_served else found


def _checked(
    operator: Operator, spans: Mapping[bool, range], dynamo: bool, opset: int | None
) -> int:
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
    if opset is None:
        return min(max(_DEFAULT, supported.start), supported.stop - 1)
    if opset in supported:
        return opset
    fact = f"{NAMES[dynamo]} writes {operator} at opsets {_span(supported)}, not {opset}"
    raise ValueError(f"{fact}; use {_other(spans, dynamo, opset)}")


def _union(spans: Iterable[range]) -> range:
    """The opsets at which any of the operators can be written, without gaps."""
    found = [span for span in spans if span] or [range(0)]
    return range(min(span.start for span in found), max(span.stop for span in found))


def _other(spans: Mapping[bool, range], dynamo: bool, opset: int) -> str:
    """What to ask for in place of an opset that the exporter cannot write."""
    supported, other = spans[dynamo], spans[not dynamo]
    if opset in other or not supported:
        return f"dynamo={not dynamo}, which writes {_span(other)}"
    nearest = supported.start if opset < supported.start else supported.stop - 1
    also = f", or dynamo={not dynamo} (opsets {_span(other)})" if other else ""
    return f"opset_version={nearest}{also}"


def _span(opsets: range) -> str:
    return f"{opsets.start} to {opsets.stop - 1}"


def ir_version(model: Any, wanted: int | None) -> int:
    """The version of ONNX's format for a model: the lowest that it needs, or a higher one.

    Old runtimes refuse a format that they do not know, whatever is in the model: ONNX Runtime 1.17
    those above 9, which opset 20 does with.

    Raises:
        ValueError: the model needs a higher one, or onnx knows none so high.
        TypeError: it is no integer.
    """
    from onnx import IR_VERSION, TensorProto, helper

    if wanted is not None and (isinstance(wanted, bool) or not isinstance(wanted, int)):
        raise TypeError(f"ir_version must be an integer, but it is {wanted!r}")
    imports = [entry for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    lowest = max(helper.find_min_ir_version_for(imports), 8 if model.functions else 4)
    ports = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    types = {port.type.tensor_type.elem_type for port in ports}
    types |= {tensor.data_type for tensor in model.graph.initializer}
    for first, since in ((TensorProto.FLOAT8E4M3FN, 9), (TensorProto.UINT4, 10)):
        lowest = max(lowest, since if max(types, default=0) >= first else 0)
    if max(types, default=0) > TensorProto.INT4:  # types of after IR 10
        lowest = max(lowest, model.ir_version)
    if wanted is None:
        return lowest
    if wanted < lowest:
        fact = f"ir_version={wanted} is too low for the model"
        raise ValueError(f"{fact}, which needs {lowest}; a lower opset_version may need less")
    if wanted > IR_VERSION:
        raise ValueError(f"ir_version={wanted} is unknown to onnx; use {IR_VERSION} or less")
    return wanted


def check_asked(operator: Operator) -> None:
    """Raises ValueError where a rule is asked for at an opset that it cannot be exported at."""
    export = registry.exporting()
    if export is None:  # the user calls the exporter without `export`
        return
    _checked(operator, _spans(operator, domain_of(operator)), export.dynamo, export.opset)
