"""The Python side of a composed kernel: its module, and its registration."""

from __future__ import annotations

from typing import Any

from . import pycode, pyexpr
from .composed import Composed
from .signatures import backward_schema, parameters, schema_text
from .spec import Spec


def composed_code(spec: Spec) -> dict[str, Any]:
    if not isinstance(spec.kernel, Composed):
        return {"kernel_module": "_kernel.pyi" if spec.is_native else ""}
    function = spec.kernel.function
    taken = {("torch", "Tensor"), *function.names}
    if any(argument.is_list for argument in spec.arguments):
        taken.add(("collections.abc", "Sequence"))
    return {
        "kernel_module": "_kernel.py",
        "kernel_imports": pycode.imports(function.modules, taken),
        "kernel_def": pycode.call(
            f"def {spec.schema.name}(",
            parameters(spec.arguments),
            f") -> {'tuple[Tensor, ...]' if spec.schema.has_several else 'Tensor'}:",
        ),
        "kernel_body": pycode.indented(function.body.split("\n")),
        "compute_constant": pycode.atom("_compute: Any = ", f"_kernel.{spec.schema.name}"),
        "define_operator": [
            *_define(spec.op, schema_text(spec), "_implementation"),
            *(
                _define(f"{spec.op}_backward", backward_schema(spec), "_backward")
                if spec.kernel_gradients
                else []
            ),
        ],
    }


def _define(op: str, schema: str, function: str) -> list[str]:
    signature = schema[schema.index("(") :]
    words = [f'"{op}"', pyexpr.string(signature)]
    return [
        *pycode.call("torch.library.define(", words, indent=8),
        *pycode.call("torch.library.impl(", [f'"{op}"', '"default"', function], indent=8),
    ]
