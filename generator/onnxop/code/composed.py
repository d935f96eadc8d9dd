"""[kernel] python → the parts of its module that are the user's own code, and the signatures."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from ..kernel.composed import Composed
from ..spec.model import Spec
from ..words import pyexpr
from . import pycode
from .lines import skipped
from .signatures import backward_schema, schema_text


@dataclass(frozen=True)
class ComposedCode:
    """``schema`` and ``backward`` are literals; ``backward`` and ``fake_body`` may be empty."""

    imports: str
    body: str
    fake_body: str
    makes_sizes: bool
    schema: str
    backward: str


def composed_code(spec: Spec, kernel: Composed) -> ComposedCode:
    fake = kernel.fake
    modules = {"torch", *kernel.function.modules, *(fake.modules if fake else ())}
    taken = {("torch", "Tensor"), ("typing", "Any"), *kernel.function.names}
    taken |= {*(fake.names if fake else ())}
    if any(argument.is_list for argument in spec.arguments):
        taken.add(("collections.abc", "Sequence"))
    backward = backward_schema(spec) if spec.kernel_gradients else ""
    return ComposedCode(
        "\n".join(pycode.imports(modules, taken)),
        _indented(kernel.function.body),
        _indented(fake.body) if fake else "",
        bool(fake and fake.makes_sizes),
        _signature(schema_text(spec)),
        _signature(backward) if backward else "",
    )


def _indented(body: str) -> str:
    """The body of a function; a single line is left as long as it is."""
    indented = textwrap.indent(body, "    ")
    return indented if "\n" in indented else skipped(indented)


def _signature(schema: str) -> str:
    return pyexpr.string(schema[schema.index("(") :])
