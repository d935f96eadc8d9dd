"""Additions to the model of either exporter, function bodies and metadata, and checks of its
file.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from pathlib import Path

import onnx

from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ..domain_nodes.domains import all_native, version_of
from ..domain_nodes.function_bodies import OperatorNodes, add_functions, check_served
from ..domain_nodes.missing_kernels import NoKernelWarning
from ..exporter_names import NAMES


def metadata(model: onnx.ModelProto, context: ExportContext) -> dict[str, str]:
    """Return the model's metadata, with an entry for each operator about the package that wrote
    it.
    """
    entries = {entry.key: entry.value for entry in model.metadata_props}
    return entries | dict(sorted(context.log.metadata.items()))


def add_bodies(model: onnx.ModelProto, opset: int, context: ExportContext) -> None:
    """Add function bodies of all operators that were exported as nodes of a custom domain."""
    domains = {operator: context.domain_of(operator) for operator in context.written_nodes()}
    versions = {domain: version_of(domain, context) for domain in domains.values()}
    for entry in model.opset_import:
        entry.version = versions.get(entry.domain, entry.version)
    for operator, domain in domains.items():
        rule = operator.rule_at(opset)
        if rule is None:
            _warn_without_body(operator, domain, opset, is_plain=context.is_plain)
            continue
        nodes = OperatorNodes(model, operator, domain, rule, opset, context)
        if context.function_bodies:
            add_functions(nodes)
        else:
            _check_has_kernel(operator, domains)
            check_served(nodes)
    for function in model.functions:  # functions that torch wrote for modules
        imported = {entry.domain for entry in function.opset_import}
        for domain in {node.domain for node in function.node} & (versions.keys() - imported):
            function.opset_import.add(domain=domain, version=versions[domain])


def _check_has_kernel(operator: Operator, domains: Mapping[Operator, str]) -> None:
    """Raise ValueError if nothing computes a node without function body."""
    if not operator.is_native:
        raise ValueError(
            f"{operator}: function_bodies=False, but it has no C++ kernel, so that no library "
            f"computes its node; leave out function_bodies=False{all_native(domains)}"
        )


def _warn_without_body(operator: Operator, domain: str, opset: int, *, is_plain: bool) -> None:
    """Warn of a node that needs an engine of the user's own; in a plain export, whose caller may
    not know of it, also of a node that needs the package's library.
    """
    if operator.rule is None or (operator.is_native and not is_plain):
        return
    needs = " and no C++ kernel, so only your own engine can run it; for ONNX Runtime"
    if operator.is_native:
        needs = f", so it runs only with the library of {operator.package.name}; for others"
    warnings.warn(
        f"{operator}: its node of domain {domain} has no function body at opset {opset}{needs}, "
        f"export at opset {min(operator.opsets.holds)} or later",
        NoKernelWarning,
        stacklevel=3,
    )


def check_references(context: ExportContext) -> None:
    """Warn of standard nodes in place of a domain's; raise ValueError if function_bodies=False."""
    for operator, dtype in context.log.fell_back_to_reference.items():
        message = (
            f"{operator}: the dynamo exporter writes its reference implementation, as standard "
            f"nodes, not a node of {context.domain_of(operator)}: its kernel has no {dtype}; give "
            "the model another dtype, or export with dynamo=False"
        )
        if not context.function_bodies:
            raise ValueError(f"{message}; function_bodies=False needs the node")
        warnings.warn(message, stacklevel=2)


def check_model(path: Path, context: ExportContext) -> None:
    """Raise RuntimeError unless the file is a valid model of the requested opset."""
    exporter, opset = NAMES[context.dynamo], context.opset

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
