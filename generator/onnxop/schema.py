"""PyTorch's schema of an operator, read by PyTorch's own parser (``torchgen``)."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import Any, TypedDict

from onnxop import names
from onnxop.errors import Path, Problems, did_you_mean, listed

ARGUMENT_TYPES = ("Tensor", "float", "int", "bool")
_PYTHON_TYPES = {"Tensor": "Tensor", "float": "float", "int": "int", "bool": "bool"}
_HEAD = re.compile(r"\s*(?:(?P<ns>[^:(\s]*)::)?(?P<name>[^.(\s]*)(?:\.(?P<overload>[^(\s]*))?\s*")
_PATH: Path = ("op", "schema")

# Namespaces of PyTorch's own in which nobody else may define an operator.
_FOREIGN = frozenset({"prim", "prims", "onnx", "quantized", "c10d", "inductor", "higher_order"})


@dataclass(frozen=True)
class Argument:
    """An argument of the operator. ``default`` means something only if ``has_default``."""

    name: str
    type: str
    has_default: bool = False
    default: float | int | bool | None = None
    keyword_only: bool = False

    @property
    def is_tensor(self) -> bool:
        return self.type == "Tensor"

    @property
    def python_type(self) -> str:
        return _PYTHON_TYPES[self.type]


@dataclass(frozen=True)
class OpSchema:
    """``namespace::name.overload(arguments) -> Tensor``."""

    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]

    @property
    def exists(self) -> bool:
        """Whether PyTorch has the operator, so that the package must not define it."""
        return self.namespace == "aten"

    @property
    def tensors(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if argument.is_tensor)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.arguments if not argument.is_tensor)


def parse(text: str, problems: Problems) -> OpSchema | None:
    """The schema in the text, or None once its problems are noted."""
    head = _HEAD.match(text)
    assert head is not None  # every part of the pattern is optional
    namespace, name = head["ns"], head["name"]
    if namespace is None:
        problems.add(
            _PATH,
            "the schema names no namespace; write my_lib::my_add(Tensor a) -> Tensor, "
            "my_lib being a name of your own",
            length=max(len(name), 1),
            offset=head.start("name"),
        )
        return None
    bad_head = False
    for group, what in (("ns", "namespace"), ("name", "operator name"), ("overload", "overload")):
        word = head[group]
        if word is not None and (why := names.problem_with(word)):
            problems.add(
                _PATH,
                f"the {what} {word!r} {why}; choose another",
                offset=head.start(group),
                length=max(len(word), 1),
            )
            bad_head = True
    if bad_head:
        return None
    if namespace in _FOREIGN:
        problems.add(
            _PATH,
            f"the namespace {namespace} is PyTorch's own; choose one of yours",
            offset=head.start("ns"),
            length=len(namespace),
        )
        return None
    if namespace == "aten":
        resolved = _resolve_aten(text, head, problems)
        if resolved is None:
            return None
        text = resolved
        head = _HEAD.match(text)
        assert head is not None
    if name.endswith("_") or names.camel(name)[:1].isdigit():
        problems.add(
            _PATH,
            f"the operator name {name!r} ends with an underscore, PyTorch's mark of an in-place "
            "operator, which ONNX cannot express; drop it",
            offset=head.start("name"),
            length=len(name),
        )
        return None
    return _parse_signature(text, head, problems)


def _parse_signature(text: str, head: re.Match[str], problems: Problems) -> OpSchema | None:
    rest = text[head.end() :]
    signature = re.fullmatch(r"\((?P<args>.*)\)\s*->\s*(?P<returns>.*\S)\s*", rest, re.DOTALL)
    if signature is None:
        fact = "has no -> with what it returns" if "->" not in rest else "is not well-formed"
        problems.add(
            _PATH,
            f"the schema {fact}; write {head['ns']}::{head['name']}(Tensor a, float alpha=1.0) "
            "-> Tensor",
            offset=head.end("name"),
            length=max(len(rest), 1),
        )
        return None
    base = head["name"] + (f".{head['overload']}" if head["overload"] else "")
    arguments_text = " ".join(signature["args"].split())
    function = _torchgen(f"{base}({arguments_text}) -> {signature['returns']}", text, problems)
    if function is None:
        return None
    found = len(problems)
    if str(function.returns[0].type if len(function.returns) == 1 else "") != "Tensor":
        problems.add(
            _PATH,
            f"the operator returns {signature['returns']}; this version supports one Tensor: "
            "-> Tensor",
            offset=head.end() + signature.start("returns"),
            length=len(signature["returns"]),
        )
    arguments = _arguments(function, text, problems)
    if len(problems) == found and not any(argument.is_tensor for argument in arguments):
        problems.add(_PATH, "the operator has no Tensor argument; it needs at least one")
    if len(problems) > found:
        return None
    return OpSchema(head["ns"], head["name"], head["overload"] or "", tuple(arguments))


def _torchgen(signature: str, text: str, problems: Problems) -> Any:
    from torchgen.model import FunctionSchema  # type: ignore[import-untyped]

    try:
        return FunctionSchema.parse(signature)
    except Exception as error:  # noqa: BLE001 - AssertionError, RuntimeError, ValueError, ...
        fact = str(error).split("\n")[0] or "it does not parse"
        unknown = re.match(r"unrecognized type (\S+)", fact)
        if unknown:
            word = unknown[1]
            hint = did_you_mean(word, ARGUMENT_TYPES) or f"; known: {listed(ARGUMENT_TYPES)}"
            problems.add(_PATH, f"unknown type {word}{hint}", **_place_of(word, text))
        else:
            problems.add(
                _PATH,
                f"PyTorch's parser refuses the schema: {fact}; write "
                "my_lib::my_add(Tensor a, float alpha=1.0) -> Tensor",
            )
        return None


def _place_of(word: str, text: str) -> _Place:
    """Where the word stands in the schema; empty where it cannot be told."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    found = pattern.search(text, max(text.find("("), 0))
    return _Place(offset=found.start(), length=len(word)) if found else _Place()


class _Place(TypedDict, total=False):
    offset: int
    length: int


def _arguments(function: Any, text: str, problems: Problems) -> list[Argument]:
    keyword_only = {argument.name for argument in function.arguments.flat_kwarg_only}
    arguments: list[Argument] = []
    for parsed in function.arguments.flat_all:
        argument = _argument(parsed, parsed.name in keyword_only, text, problems)
        if argument is None:
            continue
        if any(argument.name == before.name for before in arguments):
            problems.add(
                _PATH,
                f"two arguments are named {argument.name}; rename one",
                **_place_of(argument.name, text),
            )
        required_late = not argument.has_default and not argument.keyword_only
        if required_late and arguments and arguments[-1].has_default:
            problems.add(
                _PATH,
                f"argument {argument.name} has no default but follows one that has; give it a "
                "default or move it forward",
                **_place_of(argument.name, text),
            )
        arguments.append(argument)
    return arguments


def _argument(parsed: Any, keyword_only: bool, text: str, problems: Problems) -> Argument | None:
    name, type_ = str(parsed.name), str(parsed.type)
    place = _place_of(name, text)
    why = names.problem_with(name)
    if why is None and name in _RESERVED:
        why = f"is kept for {_RESERVED[name]}"
    if why is not None:
        problems.add(_PATH, f"the argument name {name!r} {why}; rename it", **place)
        return None
    if parsed.annotation is not None:
        problems.add(
            _PATH,
            f"argument {name} is written to or aliased ({parsed.annotation}); ONNX has values "
            "only: return the result instead",
            **place,
        )
        return None
    if type_ not in ARGUMENT_TYPES:
        problems.add(
            _PATH,
            f"argument {name} is of type {type_}; this version supports {listed(ARGUMENT_TYPES)}",
            **place,
        )
        return None
    if parsed.default is None:
        return Argument(name, type_, keyword_only=keyword_only)
    default = _default(str(parsed.default), type_)
    if default is None:
        problems.add(
            _PATH,
            f"the default {parsed.default} of argument {name} is not {_KINDS[type_]}; write one",
            **place,
        )
        return None
    return Argument(name, type_, True, default, keyword_only)


_RESERVED = {
    "grad": "the incoming gradient in [autograd]",
    "result": "the operator's result in [autograd]",
    "op": "ONNX's operators in the mapping",
    "torch": "PyTorch's functions in [autograd]",
    "raises": "the exception in [[errors]]",
    "match": "the exception's text in [[errors]]",
}
_KINDS = {
    "Tensor": "something a Tensor can default to: it has no default",
    "float": "a float",
    "int": "an integer",
    "bool": "True or False",
}


def _default(text: str, type_: str) -> float | int | bool | None:
    """The default's value, or None where it is not of the argument's type."""
    text = {"true": "True", "false": "False"}.get(text, text)
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
    if type_ == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if type_ == "int" and isinstance(value, int) and not isinstance(value, bool):
        return value if -(2**63) <= value < 2**63 else None
    if type_ == "bool" and isinstance(value, bool):
        return value
    return None


@cache
def aten_schemas() -> dict[str, tuple[str, ...]]:
    """The schemas of PyTorch's own operators by their base names, from torchgen's table."""
    spec = find_spec("torchgen")
    assert spec is not None and spec.submodule_search_locations
    table = FilePath(spec.submodule_search_locations[0])
    table = table / "packaged" / "ATen" / "native" / "native_functions.yaml"
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^- func: (.*\S)", table.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(re.split(r"[.(]", line, maxsplit=1)[0], []).append(line)
    return {name: tuple(schemas) for name, schemas in found.items()}


def _resolve_aten(text: str, head: re.Match[str], problems: Problems) -> str | None:
    """The full schema of an ``aten`` operator, which the spec may name alone."""
    known = aten_schemas()
    name, overload = head["name"], head["overload"] or ""
    place = _Place(offset=head.start("name"), length=max(len(name), 1))
    if name not in known:
        problems.add(
            _PATH,
            f"PyTorch has no operator aten::{name}{did_you_mean(name, known)}"
            "; a new operator needs a namespace of your own",
            **place,
        )
        return None
    by_overload = {_overload_of(schema): schema for schema in known[name]}
    if overload not in by_overload:
        choices = listed((f"aten::{name}.{other}".rstrip(".") for other in by_overload), "or")
        problems.add(_PATH, f"aten::{name} has no such overload; choose {choices}", **place)
        return None
    schema = by_overload[overload]
    given = " ".join(text[head.end() :].split())
    real = schema[schema.index("(") :]
    if given and _squeezed(given) != _squeezed(real):
        problems.add(
            _PATH,
            f"PyTorch's aten::{name} has another signature; write aten::{schema}, or its name "
            "alone",
            **place,
        )
        return None
    return f"aten::{schema}"


def _overload_of(schema: str) -> str:
    head = schema[: schema.index("(")]
    return head.partition(".")[2]


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)
