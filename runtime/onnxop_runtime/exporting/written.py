"""Additions to the model of either exporter, function bodies and metadata, and checks of its file."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

from ..operator import registry
from ..operator.registry import domain_of
from . import nodes, opsets
from .functions import add_functions
from .kernels import NoKernelWarning


def metadata(model: Any) -> dict[str, str]:
    """Return the model's metadata, with an entry for each operator about the package that wrote it."""
    return {e.key: e.value for e in model.metadata_props} | dict(sorted(_export().written.items()))


def add_bodies(model: Any, opset: int) -> None:
    """Add function bodies of all operators that were exported as nodes of a custom domain."""
    own = [operator for operator in _export().nodes.values() if domain_of(operator)]
    versions = {(domain := domain_of(operator)): nodes.version_of(domain) for operator in own}
    for entry in model.opset_import:
        entry.version = versions.get(entry.domain, entry.version)
    for operator in own:
        if (rule := operator.rule_at(opset)) is not None:
            is_bare = not _export().function_bodies
            if is_bare and not operator.is_native:
                raise ValueError(
                    f"{operator}: function_bodies=False, but it has no C++ kernel, so that no library computes its "
                    f"node; leave out function_bodies=False{nodes.all_native({op: domain_of(op) for op in own})}"
                )
            add_functions(model, operator, domain_of(operator), rule, opset, is_bare)
        elif operator.rule is not None and not operator.is_native:
            warnings.warn(
                f"{operator}: its node of domain {domain_of(operator)} has no function body at opset {opset} "
                "and no C++ kernel, so only your own engine can run it; for ONNX Runtime, export at "
                f"opset {min(operator.opsets.holds)} or later",
                NoKernelWarning,
                stacklevel=2,
            )
    for function in model.functions:  # functions that torch wrote for modules
        known = {entry.domain for entry in function.opset_import}
        for domain in {node.domain for node in function.node} & (versions.keys() - known):
            function.opset_import.add(domain=domain, version=versions[domain])


def check_decomposed() -> None:
    """Warn of standard nodes in place of a domain's; raise ValueError if function_bodies=False."""
    for operator, dtype in _export().decomposed.items():
        message = (
            f"{operator}: the dynamo exporter writes its reference implementation, as standard nodes, not a node of "
            f"{domain_of(operator)}: its kernel has no {dtype}; give the model another dtype, or export with dynamo=False"
        )
        if not _export().function_bodies:
            raise ValueError(f"{message}; function_bodies=False needs the node")
        warnings.warn(message, stacklevel=2)


def check_model(path: Path, opset: int, dynamo: bool) -> None:
    """Raise RuntimeError unless the file is a valid model of the requested opset."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if versions != [opset]:
        raise RuntimeError(
            f"{opsets.NAMES[dynamo]} wrote opset {versions} though {opset} was requested: an operator "
            "of the model cannot be converted; request another opset"
        )
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        own = {op.op_type for op in _export().nodes.values() if op.is_native and domain_of(op)}
        named = {*re.findall(r"op_type:(\w+?)(?:_variant_\d+)?\b", str(error))}
        bare = "export with function_bodies=False, because the library computes the node, "
        raise RuntimeError(
            f"{opsets.NAMES[dynamo]} wrote an invalid model: {error}; if a type is unsupported, "
            f"{bare * bool(own & named)}give tensors of another dtype, or add a Cast to the mapping"
        ) from error


def _export() -> registry.Exporting:
    export = registry.exporting()
    assert export is not None  # add_bodies runs within one
    return export
