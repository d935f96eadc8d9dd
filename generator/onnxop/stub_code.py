"""The type hints of the extension module: its Python functions."""

from __future__ import annotations

from typing import Any

from . import pycode
from .signatures import parameters, returned_type
from .spec import Source, Spec

_INFERRED = "tuple[tuple[torch.dtype, list[Any]], ...]"


def stub_code(spec: Spec) -> dict[str, Any]:
    if not spec.is_native:
        return {"is_native": False}
    name = spec.schema.name
    modules: set[str] = set()
    taken = {("torch", "Tensor")}
    if isinstance(spec.kernel, Source):
        modules.add("torch")
        taken.add(("typing", "Any"))
    if any(argument.is_list for argument in spec.arguments):
        taken.add(("collections.abc", "Sequence"))
    return {
        "is_native": True,
        "stub_imports": pycode.imports(modules, taken),
        "stub_def": pycode.call(
            f"def {name}(", parameters(spec.arguments), f") -> {returned_type(spec.schema)}: ..."
        ),
        "infer_stub_def": pycode.call(
            f"def _infer_{name}(",
            [f"{a.name}: Any" for a in spec.arguments],
            f") -> {_INFERRED}: ...",
        ),
    }
