"""A spec's tables → an `Operator` for an existing PyTorch operator."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from .. import __version__
from ..exporting.nodes import check_domain
from ..mapping import language
from ..mapping.opsets import DYNAMO, LOWEST
from ..mapping.problems import MappingError
from ..operator.arguments import KINDS, MEANINGLESS, Argument
from ..operator.description import Operator
from ..operator.library import Library
from ..registry import Origin
from ..torch_internals import parse_schema, schema_of
from .kernels import kernel_of
from .tables import SpecError, SpecProblem, Tables


@dataclass(frozen=True)
class _Owner:
    """The owner of registered specs, instead of a package."""

    name: str
    version: str = __version__

    @property
    def library(self) -> Library:
        return Library(self.name)  # not built


_OWNERS = {
    Origin.REGISTERED: _Owner("onnxop_runtime.registered"),
    Origin.GALLERY: _Owner("onnxop_runtime.gallery"),
}


def made_of(tables: Tables, origin: Origin, *, is_lazy: bool = False) -> Operator:
    """Return the operator of a spec; with ``is_lazy``, its mapping is compiled at first use. Raise
    SpecError with all problems of the spec.
    """
    for module in tables.get("op", "requires", ()):
        if module not in sys.modules:
            raise tables.error("op.requires", f"{module} is not imported", "import it first")
    existing = _operator(tables)
    schema = schema_of(existing)
    problems = [*_problems(tables)]
    arguments = [*map(Argument.of, schema.arguments)]
    mapping = tables.get("onnx", "mapping")
    held = [a.name for a in arguments if _is_held(a, mapping or "")]
    rule = None
    if mapping is not None:
        parameters = [argument.name for argument in arguments if argument.name not in held]
        rule = _Mapping(mapping, parameters, f"{tables.place}: onnx.mapping")
        try:
            _ = None if is_lazy else rule.function
        except MappingError as error:
            problems += map(tables.of_mapping, error.problems)
    if problems:
        raise SpecError(problems)
    free = [argument for argument in arguments if argument.name not in held]
    name = tables.get("op", "name", "")
    full = f"{schema.name}.{schema.overload_name or 'default'}"
    description: dict[str, Any] = {"name": full}
    if "kernel" in tables.tree:
        description = kernel_of(tables, existing, free, origin)
    operator = Operator(
        package=_OWNERS[origin],
        existing=full,
        called=name,
        results=_results(schema),
        rule=rule,
        opset=tables.get("onnx", "opset", 0),
        for_dynamo=tables.get("onnx", "dynamo", True),
        domain=tables.get("onnx", "domain") or existing.namespace,
        op_type=tables.get("onnx", "op_type") or name or schema.name.partition("::")[2],
        version=tables.get("onnx", "version", 1),
        doc=tables.get("op", "doc", ""),
        default_domain=tables.get("onnx", "domain", ""),
        held=held,
        is_decomposed=bool(tables.get("onnx", "decomposed", False)),
        origin=origin,
        **description,
    )
    if not is_lazy:
        _check_operator(tables, operator)
    return operator


@dataclass(frozen=True)
class _Mapping:
    """The function of a mapping's text, compiled at first use."""

    text: str
    parameters: Sequence[str]
    filename: str

    @cached_property
    def function(self) -> Any:
        return language.function(self.text, self.parameters, filename=self.filename)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


_NAME = r"[A-Za-z_]\w*"


def _operator(tables: Tables) -> Any:
    """Return the existing overload that a schema or a name gives."""
    text = tables.get("op", "schema").strip()
    name = text.partition("(")[0].strip()
    match = re.fullmatch(rf"({_NAME})::({_NAME})(?:\.({_NAME}))?", name)
    if match is None:
        fact = f"{name!r} is not an operator's name"
        raise tables.error("op.schema", fact, "write aten::asinh, for example")
    namespace, base, overload = match[1], match[2], match[3] or "default"
    try:
        packet = getattr(getattr(torch.ops, namespace), base)
        overloads = packet.overloads()
    except (AttributeError, RuntimeError):
        raise tables.error(
            "op.schema",
            f"PyTorch has no operator {namespace}::{base}",
            "import the module that registers it, or make a package with onnxop new",
        ) from None
    if overload not in overloads:
        choices = ", ".join(f"{namespace}::{base}.{known}" for known in overloads)
        fact = f"{namespace}::{base} has no overload {overload}"
        raise tables.error("op.schema", fact, f"write one of {choices}")
    existing = getattr(packet, overload)
    schema = schema_of(existing)
    if "(" in text and _types(text) != _types(str(schema)):
        remedy = f"write {schema}, or its name alone"
        raise tables.error("op.schema", f"{name} has another signature", remedy)
    if schema.is_mutable:
        remedy = "write a spec of the out-of-place operator, which the exporters use"
        raise tables.error("op.schema", f"{name} writes into its arguments", remedy)
    if any(str(result.type) not in ("Tensor", "List[Tensor]") for result in schema.returns):
        raise tables.error("op.schema", f"{name} returns no tensor", "choose another operator")
    return existing


def _types(text: str) -> Any:
    """Return the names and types of a signature, or None if it is invalid."""
    try:
        schema = parse_schema(text)
    except RuntimeError:
        return None
    arguments = [(argument.name, str(argument.type)) for argument in schema.arguments]
    return arguments, [str(result.type) for result in schema.returns]


_FORMS = {
    "op.name": (_NAME, "letters, digits and _"),
    "onnx.op_type": (_NAME, "letters, digits and _"),
    "onnx.version": (r"[1-9]\d{0,2}|1000", "1 to 1000"),
}
"""The form of the values of keys."""


def _problems(tables: Tables) -> Iterator[SpecProblem]:
    """Yield the problems of values, and of keys that exclude each other."""
    keys, opset = tables.tree["onnx"], tables.get("onnx", "opset")
    if keys.get("decomposed"):
        fact = "decomposed already defines the operator in ONNX"
        others = [f"onnx.{key}" for key in keys if key != "decomposed"]
        for key in (*others, *(["kernel"] if "kernel" in tables.tree else [])):
            yield tables.problem(key, fact, "remove one of the two")
    elif "mapping" not in keys:
        if not keys.get("domain"):
            remedy = 'add mapping = "op.Asinh(self)", or domain = "my_lib" for one node of your own domain'
            yield tables.problem("onnx.mapping", "missing", remedy)
    elif opset not in range(LOWEST, DYNAMO.stop):
        fact = f"the exporters write opsets {LOWEST} to {DYNAMO.stop - 1}, not {opset}"
        yield tables.problem("onnx.opset", fact, "write opset = 13")
    for key, (form, allowed) in _FORMS.items():
        value = tables.get(*key.split("."))
        if value is not None and not re.fullmatch(form, str(value), re.ASCII):
            yield tables.problem(key, f"{value!r} is not allowed", f"write {allowed}")


def _check_operator(tables: Tables, operator: Operator) -> None:
    """Raise SpecError if the mapping is invalid at its opset, or the operator cannot be a node of its domain."""
    try:
        _ = operator.rule and operator.opsets
    except MappingError as error:
        raise SpecError(map(tables.of_mapping, error.problems)) from None
    try:
        check_domain(operator, operator.default_domain)
    except ValueError as error:
        raise tables.error("onnx.domain", str(error), "") from None


def _is_held(argument: Argument, mapping: str) -> bool:
    """Return whether an argument keeps its default because it means nothing in ONNX."""
    if argument.kind == "ScalarType":
        return argument.has_default and not re.search(rf"\b{argument.name}\b", mapping)
    return argument.kind in MEANINGLESS or argument.kind not in KINDS


def _results(schema: Any) -> list[str]:
    if len(schema.returns) == 1:
        return ["result"]
    taken = {argument.name for argument in schema.arguments}
    names = [result.name or f"result{place}" for place, result in enumerate(schema.returns)]
    return [f"{name}_return" if name in taken else name for name in names]
