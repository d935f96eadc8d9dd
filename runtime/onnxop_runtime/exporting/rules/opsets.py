"""The opset versions of the default ONNX domain at which each exporter can write an operator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...mapping.opsets import DYNAMO, TORCHSCRIPT
from ...operator.export_context import ExportContext
from ...operator.model import Operator, Origin
from ..exporter_names import NAMES

if TYPE_CHECKING:
    import onnx

NODES = {True: DYNAMO, False: TORCHSCRIPT}
"""By ``dynamo``: the opset versions at which each exporter can write one node of a custom
domain.
"""

_DEFAULT = 20


def standard(operator: Operator) -> dict[bool, range]:
    """Return, by ``dynamo``, the opset versions at which each exporter can write standard nodes."""
    return {True: operator.dynamo_opsets, False: operator.torchscript_opsets}


def checked(
    operators: Sequence[Operator],
    dynamo: bool,
    opset: int | None,
    domains: Mapping[Operator, str],
) -> int:
    """Return the opset version to export at: the requested one, or by default the nearest to 20.

    If the package has one operator, the model is taken to call it, so its opsets are checked.
    Operators of larger packages are checked when the exporter meets their calls.

    Raises:
        ValueError: the exporter cannot write this opset version.
        TypeError: it is not an integer.
    """
    if opset is not None and (isinstance(opset, bool) or not isinstance(opset, int)):
        raise TypeError(f"opset_version must be an integer, but it is {opset!r}")
    if len(operators) == 1 and (opset is None or operators[0].origin is Origin.PACKAGE):
        operator = operators[0]
        supported = _supported(operator, domains[operator])
        if opset is None and supported[dynamo]:
            return _nearest(_DEFAULT, supported[dynamo])
        _check_supported(operator, supported, dynamo, opset)
    version = _DEFAULT if opset is None else opset
    if version not in NODES[dynamo]:
        raise ValueError(_misfit(f"{NAMES[dynamo]} writes", NODES, dynamo, version))
    return version


def check_asked(operator: Operator, context: ExportContext) -> None:
    """Raise ValueError if the operator cannot be exported at the export's opset version."""
    supported = _supported(operator, context.domain_of(operator))
    _check_supported(operator, supported, context.dynamo, context.opset)


def _supported(operator: Operator, domain: str) -> dict[bool, range]:
    """Return, by ``dynamo``, the opset versions at which each exporter can write the operator in a
    domain.
    """
    supported = standard(operator)
    # Without a mapping at an opset, the library computes the node, or an engine that knows the
    # domain.
    has_no_mapping = not any(supported.values())
    is_served = operator.is_native or domain == operator.domain or has_no_mapping
    return NODES if domain and is_served else supported


def _check_supported(
    operator: Operator, supported: Mapping[bool, range], dynamo: bool, opset: int | None
) -> None:
    """Raise ValueError if the exporter cannot write the operator at an opset version."""
    opsets_here, opsets_of_other = supported[dynamo], supported[not dynamo]
    if not opsets_here and not opsets_of_other:
        raise ValueError(
            f"{operator} has no mapping to standard nodes; use "
            f"domain={{{str(operator)!r}: {operator.domain!r}}} for one node of that domain"
        )
    if not opsets_here:
        raise ValueError(
            f"{NAMES[dynamo]} cannot write {operator}; use dynamo={not dynamo}, which writes "
            f"opsets {_as_text(opsets_of_other)}"
        )
    if opset not in opsets_here:
        subject = f"{NAMES[dynamo]} writes {operator} at"
        raise ValueError(_misfit(subject, supported, dynamo, opset))


def _misfit(subject: str, supported: Mapping[bool, range], dynamo: bool, opset: Any) -> str:
    """Return the message for an opset version that the exporter cannot write."""
    opsets_here, opsets_of_other = supported[dynamo], supported[not dynamo]
    remedy = f"use opset_version={_nearest(opset, opsets_here)}"
    if opsets_of_other:
        remedy += f", or dynamo={not dynamo} (opsets {_as_text(opsets_of_other)})"
    return f"{subject} opsets {_as_text(opsets_here)}, not {opset}; {remedy}"


def _nearest(opset: int, supported: range) -> int:
    return min(max(opset, supported.start), supported.stop - 1)


def _as_text(opsets: range) -> str:
    return f"{opsets.start} to {opsets.stop - 1}"


def ir_version(model: onnx.ModelProto) -> int:
    """Return the lowest IR version that a model needs: old runtimes refuse newer ones. ONNX Runtime
    1.17 refuses those above 9, and opset 20 needs 9.
    """
    from onnx import helper

    imports = [entry for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    return max(helper.find_min_ir_version_for(imports), 8 if model.functions else 4)
