"""[kernel] python → the parts of its module that are the user's own code, and the signatures."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from ..kernel.composed import Composed
from ..spec.model import Spec
from ..words import pyexpr
from .lines import WIDTH, joined, skipped
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
        "\n".join(imports(modules, taken)),
        indented(kernel.function.body),
        indented(fake.body) if fake else "",
        bool(fake and fake.makes_sizes),
        _signature(schema_text(spec)),
        _signature(backward) if backward else "",
    )


def imports(modules: Iterable[str], names: Iterable[tuple[str, str]]) -> list[str]:
    """The import statements as ruff sorts them: the standard library's, then all others.

    Args:
        modules: what ``import`` takes: ``torch``, ``torch.nn.functional as F``.
        names: a module and a name taken from it each.
    """
    by_module: dict[str, set[str]] = {}
    for module, name in names:
        by_module.setdefault(module, set()).add(name)
    groups: tuple[list[str], list[str]] = ([], [])
    for module in sorted(set(modules)):
        groups[not _is_standard(module)].append(f"import {module}")
    for module, words in sorted(by_module.items()):
        ordered = sorted(words, key=lambda word: (not word[:1].isupper(), word))
        groups[not _is_standard(module)].append(_import_from(module, ordered))
    return [*groups[0], *([""] if all(groups) else []), *groups[1]]


def _import_from(module: str, words: list[str]) -> str:
    line = f"from {module} import {', '.join(words)}"
    return line if len(line) <= WIDTH else joined(f"from {module} import (", words, ")")


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def indented(body: str) -> str:
    """The body of a function; a single line is left as long as it is."""
    indented = textwrap.indent(body, "    ")
    return indented if "\n" in indented else skipped(indented)


def _signature(schema: str) -> str:
    return pyexpr.string(schema[schema.index("(") :])
