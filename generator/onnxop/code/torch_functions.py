"""[kernel] python, and references → functions with signatures, for a package's module."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass

from onnxop_runtime.specs import pyexpr

from .. import names
from ..kernel.composed import Composed, KernelFunction
from ..kernel.kernel_kinds import Elementwise, Source
from ..spec.model import Spec
from .lines import WIDTH, joined
from .mapping import helpers_of
from .signatures import backward_schema, parameters, rule_parameters, schema_text
from .torchexpr import to_torch


@dataclass(frozen=True)
class ComposedCode:
    """A composed kernel. ``schema`` and ``backward`` are literals; the latter may be empty."""

    body: str
    fake_body: str
    makes_sizes: bool
    schema: str
    backward: str


def code_of_composed(spec: Spec, kernel: Composed) -> ComposedCode:
    """Return the functions and schemas of a composed kernel, as text."""
    fake = kernel.fake
    backward = backward_schema(spec) if spec.kernel_gradients else ""
    return ComposedCode(
        indented(kernel.function.body),
        indented(fake.body) if fake else "",
        bool(fake and fake.makes_sizes),
        _signature(schema_text(spec)),
        _signature(backward) if backward else "",
    )


@dataclass(frozen=True)
class ReferenceCode:
    """The reference implementation of a compiled kernel: a function of PyTorch's operators.

    ``parameters`` are as the function declares them.
    """

    parameters: list[str]
    body: str


def code_of_reference(spec: Spec) -> ReferenceCode | None:
    """Return the reference; None if there is none, or if it is an existing operator."""
    argument_names = [argument.name for argument in spec.arguments]
    match spec.kernel:
        case Source(reference=KernelFunction() as function):
            return ReferenceCode(parameters(spec.arguments, {}), indented(function.body))
        case Elementwise(expression=expression) if not spec.schema.exists:
            taken = {*argument_names, *_NAMED}
            local = {
                name: names.claim_name(name, taken) if name in _NAMED else name
                for name in argument_names
            }
            tensors = [tensor.name for tensor in spec.schema.tensors]
            booleans = [a.name for a in spec.schema.scalars if a.base_type == "bool"]
            body = f"return {to_torch(expression, local, tensors, booleans)}"
            declared = [f"{local[a.name]}: {a.python_type}" for a in spec.arguments]
            return ReferenceCode(declared, indented(body))
        case _:
            return None


_NAMED = frozenset({"onnxop_runtime", "int", "torch"})


def module_imports(spec: Spec) -> list[str]:
    """Return the import statements of the operator's module."""
    modules = {"onnxop_runtime", "torch"}
    members = {("torch", "Tensor")}
    for function in _functions(spec):
        modules |= {*function.modules}
        members |= {*function.names}
    if spec.kernel is not None or any("Any" in each for each in rule_parameters(spec)):
        members.add(("typing", "Any"))
    if any(argument.is_list for argument in spec.arguments):
        members.add(("collections.abc", "Sequence"))
    if spec.mapping.text:
        members |= {("onnxop_runtime", "OnnxOps"), ("onnxop_runtime", "OnnxValue")}
        members |= {("onnxop_runtime.mapping", name) for name in helpers_of(spec)}
    if spec.mapping.text and spec.schema.has_several:
        members.add(("collections.abc", "Iterable"))
    return imports(modules, members)


def _functions(spec: Spec) -> list[KernelFunction]:
    """Return the functions of PyTorch's operators in the operator's module."""
    match spec.kernel:
        case Composed(function=function, fake=fake):
            return [function, fake] if fake else [function]
        case Source(reference=KernelFunction() as reference):
            return [reference]
        case _:
            return []


def imports(modules: Iterable[str], names: Iterable[tuple[str, str]]) -> list[str]:
    """Return the import statements as ruff sorts them: the standard library's, then all others.
    ``modules`` may have an ``as F``; ``names`` are pairs of a module and a name imported from it.
    """
    by_module: dict[str, set[str]] = {}
    for module, name in names:
        by_module.setdefault(module, set()).add(name)
    groups: tuple[list[str], list[str]] = ([], [])
    for module in sorted(set(modules)):
        groups[not _is_standard(module)].append(f"import {module}")
    for module, members in sorted(by_module.items()):
        ordered = sorted(members, key=lambda name: (not name[:1].isupper(), name))
        line = f"from {module} import {', '.join(ordered)}"
        line = line if len(line) <= WIDTH else joined(f"from {module} import (", ordered, ")")
        groups[not _is_standard(module)].append(line)
    return [*groups[0], *([""] if all(groups) else []), *groups[1]]


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names


def indented(body: str) -> str:
    """Return the body of a function, indented; a ``def`` at its start gets an empty line above."""
    indented = "\n".join(f"    {line}" if line else "" for line in body.split("\n"))
    return f"\n{indented}" if body.startswith(("def ", "@")) else indented


def _signature(schema: str) -> str:
    return pyexpr.string(schema[schema.index("(") :])
