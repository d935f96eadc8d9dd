"""A spec's tables → the operator that they describe, of those that PyTorch has."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from .. import __version__
from ..mapping import language
from ..mapping.opsets import DYNAMO, LOWEST
from ..mapping.problems import MappingError
from ..operator.arguments import KINDS, MEANINGLESS, Argument
from ..operator.description import Operator
from ..operator.library import Library
from ..registry import Origin
from ..torch_internals import parse_schema, schema_of
from .kernels import kernel_of
from .problems import SpecError, SpecProblem
from .text import Tables


@dataclass(frozen=True)
class Spec:
    """A spec that was read.

    Attributes:
        tables: what it says.
        operator: what it describes.
        needs: the operators that must have rules beside it, where it is decomposed.
    """

    tables: Tables
    operator: Operator
    needs: Sequence[str]


@dataclass(frozen=True)
class _Owner:
    """Whom registered specs belong to, as packages own their operators."""

    name: str
    version: str = __version__

    @property
    def library(self) -> Library:
        return Library(self.name)  # which it has none of


_OWNERS = {
    Origin.REGISTERED: _Owner("onnxop_runtime.registered"),
    Origin.GALLERY: _Owner("onnxop_runtime.gallery"),
}


def made_of(tables: Tables, origin: Origin, *, is_lazy: bool = False) -> Spec:
    """Return the operator of a spec.

    Args:
        tables: the spec.
        origin: whether it is the gallery's.
        is_lazy: whether its mapping is compiled when it is needed.

    Raises:
        SpecError: all that is wrong with it.
    """
    _check_modules(tables)
    existing = _operator(tables)
    problems = [*_problems(tables)]
    arguments = [*map(Argument.of, schema_of(existing).arguments)]
    mapping, decomposed = tables.get("onnx", "mapping"), tables.get("onnx", "decomposed", False)
    held = [a.name for a in arguments if _is_held(a, mapping or "")]
    for argument in arguments:
        if argument.name in held and not argument.has_default:
            fact = f"{argument.name} is of type {argument.kind}, which ONNX has none of"
            problems.append(tables.problem("op.schema", fact, "choose an overload without it"))
    rule = None
    if mapping is not None:
        parameters = [argument.name for argument in arguments if argument.name not in held]
        rule = Mapping(mapping, parameters, tables.place)
        try:
            _ = None if is_lazy else rule.function
        except MappingError as error:
            problems += map(tables.of_mapping, error.problems)
    if problems:
        raise SpecError(problems)
    free = [argument for argument in arguments if argument.name not in held]
    name = tables.get("op", "name", "")
    full = full_name(existing)
    description: dict[str, Any] = {"name": full}
    if "kernel" in tables.tree:
        description = kernel_of(tables, existing, free, origin)
    operator = Operator(
        package=_OWNERS[origin],
        existing=full,
        called=name,
        results=_results(existing, arguments),
        rule=rule,
        opset=tables.get("onnx", "opset", 0),
        for_dynamo=tables.get("onnx", "dynamo", True),
        domain=tables.get("onnx", "domain") or existing.namespace,
        op_type=tables.get("onnx", "op_type") or name or base_name(existing),
        version=tables.get("onnx", "version", 1),
        doc=tables.get("op", "doc", ""),
        default_domain=tables.get("onnx", "domain", ""),
        held=held,
        is_decomposed=bool(decomposed),
        origin=origin,
        **description,
    )
    if not is_lazy:
        _check_operator(tables, operator)
    return Spec(tables, operator, decomposed if isinstance(decomposed, list) else [])


def full_name(overload: Any) -> str:
    """Return an overload's name, ``aten::asinh.default``."""
    schema = schema_of(overload)
    return f"{schema.name}.{schema.overload_name or 'default'}"


def base_name(overload: Any) -> str:
    """Return an operator's name without its namespace."""
    name: str = schema_of(overload).name
    return name.partition("::")[2]


@dataclass(frozen=True)
class Mapping:
    """The function that a mapping's text is, once it is needed."""

    text: str
    parameters: Sequence[str]
    place: str

    @cached_property
    def function(self) -> Any:
        return language.function(self.text, self.parameters, filename=f"{self.place}: onnx.mapping")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def _check_modules(tables: Tables) -> None:
    for module in tables.get("op", "requires", ()):
        if module not in sys.modules:
            raise tables.error("op.requires", f"{module} is not imported", "import it first")


_NAME = r"[A-Za-z_]\w*"


def _operator(tables: Tables) -> Any:
    """Return the overload of a schema, or of a name, that PyTorch has."""
    text = tables.get("op", "schema").strip()
    name = text.partition("(")[0].strip()
    if re.fullmatch(rf"{_NAME}(\.{_NAME})?", name):
        raise tables.error("op.schema", f"{name} has no namespace", f"write aten::{name}, say")
    if not re.fullmatch(rf"{_NAME}::{_NAME}(\.{_NAME})?", name):
        raise tables.error("op.schema", f"{name!r} is no operator's name", "write aten::asinh, say")
    namespace, _, rest = name.partition("::")
    base, _, overload = rest.partition(".")
    try:
        packet = getattr(getattr(torch.ops, namespace), base)
        words = packet.overloads()
    except (AttributeError, RuntimeError):
        raise tables.error(
            "op.schema",
            f"PyTorch has no operator {namespace}::{base}",
            "import what registers it first, or make a package of it by onnxop new",
        ) from None
    if (overload or "default") not in words:
        fact = f"{namespace}::{base} has no overload {overload or 'default'}"
        known = ", ".join(f"{namespace}::{base}.{word}" for word in words)
        raise tables.error("op.schema", fact, f"write one of {known}")
    found = getattr(packet, overload or "default")
    schema = schema_of(found)
    if "(" in text and not _is_same(text, schema):
        remedy = f"write {schema}, or its name alone"
        raise tables.error("op.schema", f"{name} has another signature", remedy)
    if schema.is_mutable:
        remedy = "write a spec of the operator that gives a new tensor, which exporters ask for"
        raise tables.error("op.schema", f"{name} writes into its arguments", remedy)
    if any(str(each.type) not in ("Tensor", "List[Tensor]") for each in schema.returns):
        others = [f"{namespace}::{base}.{word}" for word in words if word not in ("", overload)]
        remedy = f"choose another: {', '.join(others)}" if others else "ONNX has no place for it"
        raise tables.error("op.schema", f"{full_name(found)} returns what is no tensor", remedy)
    return found


def _is_same(text: str, schema: Any) -> bool:
    try:
        given = parse_schema(text)
    except RuntimeError:
        return False

    def words(of: Any) -> list[tuple[str, str]]:
        return [(argument.name, str(argument.type)) for argument in of.arguments]

    returns = [[str(each.type) for each in of.returns] for of in (given, schema)]
    return words(given) == words(schema) and returns[0] == returns[1]


def _problems(tables: Tables) -> Iterator[SpecProblem]:
    """Yield what is wrong with values, and with keys beside each other."""
    mapping, domain = tables.get("onnx", "mapping"), tables.get("onnx", "domain", "")
    decomposed, opset = tables.get("onnx", "decomposed"), tables.get("onnx", "opset")
    if decomposed:
        says = "decomposed says all of the operator in ONNX already"
        for key in ("mapping", "domain", "opset", "op_type", "version", "dynamo"):
            if key in tables.tree["onnx"]:
                yield tables.problem(f"onnx.{key}", says, "remove one of the two")
        if "kernel" in tables.tree:
            yield tables.problem("kernel", says, "remove one of the two")
    elif mapping is None and not domain:
        remedy = (
            'add mapping = "op.Asinh(self)", or domain = "my_lib" for one node of a domain of yours'
        )
        yield tables.problem("onnx.mapping", "missing", remedy)
    elif mapping is None:
        for key in ("opset", "dynamo"):
            if key in tables.tree["onnx"]:
                remedy = "add a mapping, or remove this line"
                yield tables.problem(f"onnx.{key}", "only a mapping has one", remedy)
    elif opset is None:
        yield tables.problem("onnx.opset", "missing", "add opset = 13")
    elif not LOWEST <= opset < DYNAMO.stop:
        nearest = min(max(opset, LOWEST), DYNAMO.stop - 1)
        fact = f"the exporters write opsets {LOWEST} to {DYNAMO.stop - 1}, not {opset}"
        yield tables.problem("onnx.opset", fact, f"write opset = {nearest}")
    if domain and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}", domain):
        remedy = "write letters, digits, _ and ., as in my_lib"
        yield tables.problem("onnx.domain", f"{domain!r} is no domain", remedy)
    elif re.fullmatch(r"(ai\.onnx|com\.microsoft)(\..*)?|aten|prim|onnx", domain):
        remedy = "choose another, such as my_lib, or remove the line for standard nodes"
        yield tables.problem("onnx.domain", f"the domain {domain} is not yours", remedy)
    for key in ("op.name", "onnx.op_type"):
        word = tables.get(*key.split("."))
        if word is not None and not re.fullmatch(_NAME, word, re.ASCII):
            remedy = "write letters, digits and _, not beginning with a digit"
            yield tables.problem(key, f"{word!r} is no identifier", remedy)
    if not 1 <= tables.get("onnx", "version", 1) <= 1000:
        fact = f"{tables.get('onnx', 'version')} is no version"
        yield tables.problem("onnx.version", fact, "write 1 to 1000")


def _check_operator(tables: Tables, operator: Operator) -> None:
    """Raise SpecError where the mapping holds nowhere, or the operator cannot be the node that it is to be."""
    if operator.rule is not None:
        try:
            found = operator.opsets
        except MappingError as error:
            raise SpecError(map(tables.of_mapping, error.problems)) from None
        if not (found.torchscript or found.dynamo or operator.default_domain):
            fact = f"neither exporter can write it from opset {operator.opset} on"
            raise tables.error("onnx.mapping", fact, "write it for another opset")
    if operator.default_domain and not operator.can_be_node:
        fact = "a node has all results, none of them a list, and a list of tensors only as its last input"
        raise tables.error("onnx.domain", fact, "remove the domain, for standard nodes")


def _is_held(argument: Any, mapping: str) -> bool:
    """Whether an argument keeps its default, as it means nothing in ONNX."""
    if argument.kind == "ScalarType":
        return argument.has_default and not re.search(rf"\b{argument.name}\b", mapping)
    return argument.kind in MEANINGLESS or argument.kind not in KINDS


def _results(overload: Any, arguments: Sequence[Any]) -> list[str]:
    returns = schema_of(overload).returns
    if len(returns) == 1:
        return ["result"]
    taken = {argument.name for argument in arguments}
    words = [each.name or f"result{place}" for place, each in enumerate(returns)]
    return [f"{word}_return" if word in taken else word for word in words]
