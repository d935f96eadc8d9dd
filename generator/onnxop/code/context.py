"""Specs → the context of the templates: the package, and its operators."""

from __future__ import annotations

import json
from typing import Any

from ..kernel.kinds import Source
from ..spec.model import PackageSpec
from .cpp import cpp_op
from .lines import docstring, in_all
from .op import Op


def context(spec: PackageSpec) -> dict[str, Any]:
    """Return the names that templates use: the package's metadata, and ``ops``, each an `Op`."""
    specs, package = spec.ops, spec.package
    ops = tuple(sorted(map(Op, specs), key=lambda op: op.name.lower()))  # as ruff sorts imports
    cpp_ops = tuple(cpp_op(spec) for spec in specs if spec.is_native)
    by_hand = [(op, op.spec.kernel) for op in cpp_ops if isinstance(op.spec.kernel, Source)]
    kinds = ("elementwise", "source", "composed", "existing")
    is_native = any(op.spec.is_native for op in ops)
    requires = tuple(dict.fromkeys(module for spec in specs for module in spec.requires))
    exports = ["Verification", "export", "translation_table", "verify"]
    exports += ["library_path", "session", "session_options"] if is_native else []
    has_openvino = "openvino" in package.runtimes
    exports += ["openvino_extension"] if has_openvino else []
    exports += [name for op in ops for name in op.public]
    return {
        # The optional parts of the package; copier.yml excludes the others. Later versions of the
        # template ask earlier ones for this name, so it must stay.
        "parts": ("csrc",) if is_native else (),
        "ops": ops,
        "ops_by_kind": {kind: [op for op in ops if op.kind == kind] for kind in kinds},
        "native_ops": tuple(op for op in ops if op.spec.is_native),
        "cpp_ops": cpp_ops,
        "elementwise_ops": tuple(op for op in cpp_ops if op.is_elementwise),
        "unwritten_ops": tuple(op for op, kernel in by_hand if not kernel.is_given),
        "is_native": is_native,
        "has_openvino": has_openvino,
        "package": package.name,
        "distribution": package.name.replace("_", "-"),
        "version": package.version,
        "description": package.description,
        "description_literal": _toml_string(package.description),
        "license": package.license,
        "authors_literal": tuple(_author(author) for author in package.authors),
        "docstring": ops[0].docstring if len(ops) == 1 else docstring(package.description),
        "public_names": tuple(sorted(exports, key=in_all)),
        "requires": requires,
        "required_distributions": tuple(dict.fromkeys(m.partition(".")[0] for m in requires)),
    }


def _toml_string(text: str) -> str:
    """Return a TOML basic string; the text has no control characters."""
    return json.dumps(text, ensure_ascii=False)


def _author(author: str) -> str:
    name, _, mail = author.partition("<")
    fields = [f"name = {_toml_string(name.strip())}"]
    if mail:
        fields.append(f"email = {_toml_string(mail.strip().rstrip('>'))}")
    return f"{{ {', '.join(fields)} }}"
