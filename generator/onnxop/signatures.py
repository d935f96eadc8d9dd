"""The operator's signature as Python parameters and as PyTorch's schema text."""

from __future__ import annotations

from onnxop.schema import Argument
from onnxop.spec import Spec


def schema_text(spec: Spec) -> str:
    """The schema that the package registers, without its namespace."""
    parts: list[str] = []
    for argument in spec.schema.arguments:
        if argument.keyword_only and "*" not in parts:
            parts.append("*")
        default = f"={argument.default!r}" if argument.has_default else ""
        parts.append(f"{argument.type} {argument.name}{default}")
    return f"{spec.schema.name}({', '.join(parts)}) -> Tensor"


def parameters(
    arguments: tuple[Argument, ...], types: dict[str, str] | None = None, *, plain: bool = False
) -> list[str]:
    """Python parameters with their types; ``plain`` leaves out defaults and the ``*``."""
    found: list[str] = []
    for argument in arguments:
        if argument.keyword_only and not plain and "*" not in found:
            found.append("*")
        kind = (types or {}).get(argument.type, argument.python_type)
        default = f" = {argument.default!r}" if argument.has_default and not plain else ""
        found.append(f"{argument.name}: {kind}{default}")
    return found
