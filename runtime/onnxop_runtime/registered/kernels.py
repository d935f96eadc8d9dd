"""A spec's kernel of PyTorch's operators → an operator that torch.export keeps in place of an existing one."""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from ..operator.arguments import Argument
from ..registry import Origin
from ..torch_internals import schema_of
from .tables import Tables

_NAMESPACES = {Origin.GALLERY: "onnxop_gallery", Origin.REGISTERED: "onnxop_registered"}


def kernel_of(
    tables: Tables, existing: Any, arguments: Sequence[Argument], origin: Origin
) -> dict[str, Any]:
    """Return the arguments of `Operator` for a spec's kernel. Its code runs, so the spec must be trusted."""
    name = tables.get("op", "name") or schema_of(existing).name.partition("::")[2]
    schema = str(schema_of(existing))
    function = _function(tables, "python", arguments)
    has_fake = "fake" in tables.tree["kernel"]
    return {
        "name": f"{_NAMESPACES[origin]}::{name}.default",
        "schema": schema[schema.index("(") :],
        "kernel": function,
        "reference": function,
        "fake": _function(tables, "fake", arguments) if has_fake else None,
    }


def _function(tables: Tables, key: str, arguments: Sequence[Argument]) -> Any:
    """Return the function of a text, with the operator's calling convention."""
    text = tables.get("kernel", key)
    names = [argument.name for argument in arguments]
    defaults = {a.name: a.default for a in arguments if a.has_default}
    lines = text.strip("\n").split("\n")
    is_body = any(line.startswith("return") for line in lines)
    body = lines if is_body else [f"return ({text.strip()}\n)"]
    source = f"def composed({', '.join(names)}):\n" + "\n".join(f"    {line}" for line in body)
    # PyTorch's functions by their plain names, as in a package's module.
    known = {**vars(functional), **vars(torch), "torch": torch, "math": math, "F": functional}
    new_size = lambda **sizes: torch.library.get_ctx().new_dynamic_size(**sizes)
    known |= {**vars(builtins), "new_dynamic_size": new_size}
    exec(compile(source, f"{tables.place}: kernel.{key}", "exec"), known)  # noqa: S102 - trusted

    def call(*args: Any, **kwargs: Any) -> Any:
        return known["composed"](**(defaults | dict(zip(names, args, strict=False)) | kwargs))

    return call
