"""A spec's kernel of PyTorch's operators → an operator that torch.export keeps in place of an
existing one.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import torch
from torch.nn import functional

from ..operator.arguments import OperatorArgument
from ..operator.model import Origin
from ..specs.document import Document
from ..torch_internals import OpOverload, schema_of, schema_text

_NAMESPACES = {Origin.GALLERY: "onnxop_gallery", Origin.REGISTERED: "onnxop_registered"}


def kernel_of(
    filename: str,
    document: Document,
    existing: OpOverload,
    arguments: Sequence[OperatorArgument],
    origin: Origin,
) -> dict[str, Any]:
    """Return the arguments of `Operator` for a spec's kernel. Its code runs, so the spec must be
    trusted.
    """
    kernel = document.kernel
    assert kernel is not None and kernel.python is not None
    name = document.op.name or schema_of(existing).name.partition("::")[2]
    schema = schema_text(schema_of(existing))
    function = _function(kernel.python, f"{filename}: kernel.python", arguments)
    fake = None
    if kernel.fake is not None:
        fake = _function(kernel.fake, f"{filename}: kernel.fake", arguments)
    return {
        "name": f"{_NAMESPACES[origin]}::{name}.default",
        "schema": schema[schema.index("(") :],
        "kernel": function,
        "reference": function,
        "fake": fake,
        "autocast": kernel.autocast or "promote",
    }


def _function(text: str, filename: str, arguments: Sequence[OperatorArgument]) -> Any:
    """Return the function of a text, with the operator's calling convention."""
    names = [argument.name for argument in arguments]
    defaults = {a.name: a.default for a in arguments if a.has_default}
    lines = text.strip("\n").split("\n")
    is_body = any(line.startswith("return") for line in lines)
    body = lines if is_body else [f"return ({text.strip()}\n)"]
    source = f"def composed({', '.join(names)}):\n" + "\n".join(f"    {line}" for line in body)
    # PyTorch's functions by their plain names, as in a package's module.
    namespace = {**vars(functional), **vars(torch), "torch": torch, "math": math, "F": functional}
    new_size = lambda **sizes: torch.library.get_ctx().new_dynamic_size(**sizes)
    namespace |= {**vars(builtins), "new_dynamic_size": new_size}
    exec(compile(source, filename, "exec"), namespace)  # noqa: S102 - trusted

    def call(*args: object, **kwargs: object) -> Any:
        return namespace["composed"](**(defaults | dict(zip(names, args, strict=False)) | kwargs))

    return call
