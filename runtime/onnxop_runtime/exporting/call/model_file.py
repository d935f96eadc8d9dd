"""Additions to the model of either exporter, function bodies and metadata, and checks of its file."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from ...operator.export_context import ExportContext
from ..domain_nodes import nodes
from ..domain_nodes.function_bodies import add_functions
from ..domain_nodes.missing_kernels import NoKernelWarning
from ..rules import opsets


def metadata(model: Any, context: ExportContext) -> dict[str, str]:
    """Return the model's metadata, with an entry for each operator about the package that wrote it."""
    entries = {entry.key: entry.value for entry in model.metadata_props}
    return entries | dict(sorted(context.metadata.items()))


def add_bodies(model: Any, opset: int, context: ExportContext) -> None:
    """Add function bodies of all operators that were exported as nodes of a custom domain."""
    operators = context.written_nodes()
    domains = {operator: context.domain_of(operator) for operator in operators}
    versions = {domain: nodes.version_of(domain, context) for domain in domains.values()}
    for entry in model.opset_import:
        entry.version = versions.get(entry.domain, entry.version)
    for operator, domain in domains.items():
        if (rule := operator.rule_at(opset)) is not None:
            if not context.function_bodies and not operator.is_native:
                raise ValueError(
                    f"{operator}: function_bodies=False, but it has no C++ kernel, so that no library computes its "
                    f"node; leave out function_bodies=False{nodes.all_native(domains)}"
                )
            add_functions(model, operator, domain, rule, opset, context)
        elif operator.rule is not None and not operator.is_native:
            warnings.warn(
                f"{operator}: its node of domain {domain} has no function body at opset {opset} "
                "and no C++ kernel, so only your own engine can run it; for ONNX Runtime, export at "
                f"opset {min(operator.opsets.holds)} or later",
                NoKernelWarning,
                stacklevel=2,
            )
    for function in model.functions:  # functions that torch wrote for modules
        known = {entry.domain for entry in function.opset_import}
        for domain in {node.domain for node in function.node} & (versions.keys() - known):
            function.opset_import.add(domain=domain, version=versions[domain])


def check_decomposed(context: ExportContext) -> None:
    """Warn of standard nodes in place of a domain's; raise ValueError if function_bodies=False."""
    for operator, dtype in context.decomposed.items():
        message = (
            f"{operator}: the dynamo exporter writes its reference implementation, as standard nodes, not a node of "
            f"{context.domain_of(operator)}: its kernel has no {dtype}; give the model another dtype, or export with dynamo=False"
        )
        if not context.function_bodies:
            raise ValueError(f"{message}; function_bodies=False needs the node")
        warnings.warn(message, stacklevel=2)


def check_model(path: Path, context: ExportContext) -> None:
    """Raise RuntimeError unless the file is a valid model of the requested opset."""
    import onnx

    exporter, opset = opsets.NAMES[context.dynamo], context.opset

    model = onnx.load(path, load_external_data=False)
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if versions != [opset]:
        raise RuntimeError(
            f"{exporter} wrote opset {versions} though {opset} was requested: an operator "
            "of the model cannot be converted; request another opset"
        )
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        native_types = {op.op_type for op in context.written_nodes() if op.is_native}
        named_types = {*re.findall(r"op_type:(\w+?)(?:_variant_\d+)?\b", str(error))}
        remedy = "give tensors of another dtype, or add a Cast to the mapping"
        if native_types & named_types:
            bare = "export with function_bodies=False, because the library computes the node"
            remedy = f"{bare}, {remedy}"
        raise RuntimeError(
            f"{exporter} wrote an invalid model: {error}; if a type is unsupported, {remedy}"
        ) from error
