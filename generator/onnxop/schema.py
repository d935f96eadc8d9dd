"""PyTorch's schema of an operator, read by PyTorch's own parser (``torchgen``)."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import Any, TypedDict

from onnxop import names
from onnxop.errors import Path, Problems, did_you_mean, listed

UNKNOWN_TYPE = "?"  # of an argument in a schema that is only outlined
MAX_LENGTH = 10_000
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
    if len(text) > MAX_LENGTH:
        problems.add(_PATH, f"has more than {MAX_LENGTH} characters; write a shorter schema")
        return None
    found = len(problems)
    head = _head(text)
    _check_head(head, problems)
    if head["ns"] == "aten":
        if len(problems) > found:
            return None
        resolved = _resolve_aten(text, head, problems)
        if resolved is None:
            return None
        text, head = resolved, _head(resolved)
    schema = _parse_signature(text, head, problems)
    return schema if len(problems) == found else None


def outline(text: str) -> OpSchema | None:
    """What can be told of a schema that has problems: its arguments, so that the rest of the spec
    can be checked against them. None where it does not list them.
    """
    end = text.find("->") if "->" in text else len(text)
    opened, closed = text.find("("), text.rfind(")", 0, end)
    if not 0 <= opened < closed or len(text) > MAX_LENGTH:
        return None
    keyword_only = False
    arguments: list[Argument] = []
    for part in _split(text[opened + 1 : closed]):
        if part.group().strip() == "*":
            keyword_only = True
            continue
        match = _ARGUMENT.fullmatch(part.group())
        if match is None:
            return None
        kind = re.sub(r"\(.*\)|\?$", "", match["type"])
        kind = kind if kind in ARGUMENT_TYPES else UNKNOWN_TYPE
        has_default = match["default"] is not None
        arguments.append(Argument(match["name"], kind, has_default, keyword_only=keyword_only))
    return OpSchema("", "", "", tuple(arguments)) if arguments else None


_ARGUMENT = re.compile(r"\s*(?P<type>\S+)\s+(?P<name>[^\s=()]+)\s*(?P<default>=.*\S.*)?", re.DOTALL)


def _split(arguments: str) -> Iterator[re.Match[str]]:
    """The arguments between the commas that stand in no brackets; nothing of a blank text."""
    if arguments.strip():
        yield from re.finditer(
            r"(?:[^,\[(]|\[[^\]]*\]?|\([^)]*\)?)+|(?:\A|(?<=,))(?=,|\Z)", arguments
        )


def _tidy(argument: str) -> str:
    """The argument spaced as PyTorch's parser wants it."""
    words = re.sub(r"\s*=\s*", "=", " ".join(argument.split()))
    return re.sub(r"\[[^]]*\]", lambda match: match.group().replace(" ", ""), words)


def _check_arguments(arguments: str, start: int, problems: Problems) -> None:
    """What PyTorch's parser would refuse in words of its own; ``start`` is where the text stands."""
    for part in _split(arguments):
        word = part.group().strip()
        place = _Place(offset=start + part.start(), length=1)
        if word:
            place["offset"] += len(part.group()) - len(part.group().lstrip())
            place["length"] = len(word)
        match = _ARGUMENT.fullmatch(part.group())
        if match is not None:
            base = re.split(r"[\[(?]", match["type"], maxsplit=1)[0]
            if base not in _known_types():
                hint = did_you_mean(base, ARGUMENT_TYPES)
                place["length"] = len(match["type"])
                hint = hint or f"; this version supports {listed(ARGUMENT_TYPES)}"
                problems.add(_PATH, f"unknown type {base}{hint}", **place)
        elif not word:
            problems.add(
                _PATH, "an argument is missing beside the comma; remove the comma", **place
            )
        elif word.endswith("="):
            problems.add(_PATH, f"{word} gives no default; write one, or remove the =", **place)
        elif word in _known_types():
            problems.add(
                _PATH, f"the argument of type {word} has no name; write {word} a, say", **place
            )
        elif word == "*" and not arguments[part.end() :].strip(" ,"):
            problems.add(_PATH, "no argument follows the *; remove it", **place)
        elif word != "*" and len(word.split()) == 1:
            name = word.partition("=")[0]
            problems.add(_PATH, f"argument {name} has no type; write Tensor {name}, say", **place)
        elif word != "*":
            problems.add(
                _PATH,
                f"{word!r} is no argument; write a type and a name, as in Tensor a, with commas "
                "between arguments",
                **place,
            )


@cache
def _known_types() -> frozenset[str]:
    from torchgen.model import BaseTy  # type: ignore[import-untyped]

    return frozenset(kind.name for kind in BaseTy)


def _head(text: str) -> re.Match[str]:
    head = _HEAD.match(text)
    assert head is not None  # every part of the pattern is optional
    return head


def _check_head(head: re.Match[str], problems: Problems) -> None:
    namespace, name = head["ns"], head["name"]

    def add(group: str, message: str) -> None:
        word = head[group]
        problems.add(_PATH, message, offset=head.start(group), length=max(len(word), 1))

    if namespace is None:
        fact = "is empty" if not name else "names no namespace"
        fact = "has : where :: is wanted" if ":" in name else fact
        add(
            "name",
            f"the schema {fact}; write my_lib::my_add(Tensor a) -> Tensor, my_lib being a name of "
            "your own",
        )
        return
    for group, what in (("ns", "namespace"), ("name", "operator name"), ("overload", "overload")):
        check = names.problem_with_operator if group == "name" else names.problem_with
        if head[group] is not None and (why := check(head[group])):
            add(group, f"the {what} {head[group]!r} {why}; choose another")
    if namespace in _FOREIGN:
        add("ns", f"the namespace {namespace} is PyTorch's own; choose one of yours")
    if names.problem_with(name):
        return
    if name.endswith("_"):
        add(
            "name",
            f"the operator name {name!r} ends with an underscore, PyTorch's mark of an in-place "
            "operator, which ONNX cannot express; drop it",
        )


def _parse_signature(text: str, head: re.Match[str], problems: Problems) -> OpSchema | None:
    rest = text[head.end() :]
    signature = re.fullmatch(r"\((?P<args>.*)\)\s*->\s*(?P<returns>.*\S)\s*", rest, re.DOTALL)
    if signature is None:
        if not text.strip():
            return None
        fact = "has brackets that do not match, or words between its parts"
        if not rest.strip():
            fact = "gives no arguments, and only PyTorch's own operators may be named alone"
        elif "->" not in rest:
            fact = "has no -> with what it returns"
        problems.add(
            _PATH,
            f"the schema {fact}; write {head['ns'] or 'my_lib'}::{head['name'] or 'my_add'}"
            "(Tensor a, float alpha=1.0) -> Tensor",
            offset=head.end() if rest.strip() else head.start("name"),
            length=max(len(rest.rstrip()) or len(head["name"]), 1),
        )
        return None
    # A wrong name is noted already and must not hide what is wrong behind it.
    base = "op" if names.problem_with(head["name"]) else head["name"].rstrip("_") or "op"
    if head["overload"] and not names.problem_with(head["overload"]):
        base += f".{head['overload']}"
    arguments_text = ", ".join(_tidy(part.group()) for part in _split(signature["args"]))
    returned = " ".join(signature["returns"].split())
    found = len(problems)
    _check_arguments(signature["args"], head.end() + signature.start("args"), problems)
    if len(problems) > found:
        return None
    function = _torchgen(f"{base}({arguments_text}) -> {returned}", text, problems)
    if function is None:
        return None
    if str(function.returns[0].type if len(function.returns) == 1 else "") != "Tensor":
        problems.add(
            _PATH,
            f"the operator returns {returned}; this version supports one Tensor: write -> Tensor",
            offset=head.end() + signature.start("returns"),
            length=len(signature["returns"]),
        )
    arguments = _arguments(function, text, problems)
    if len(problems) == found and not any(argument.is_tensor for argument in arguments):
        problems.add(
            _PATH,
            "the operator has no Tensor argument; give it one, such as Tensor a",
            offset=head.end(),
            length=len(signature["args"]) + 2,
        )
    if len(problems) > found:
        return None
    return OpSchema(head["ns"] or "", head["name"], head["overload"] or "", tuple(arguments))


def _torchgen(signature: str, text: str, problems: Problems) -> Any:
    from torchgen.model import FunctionSchema

    try:
        return FunctionSchema.parse(signature)
    except Exception as error:  # noqa: BLE001 - AssertionError, RuntimeError, ValueError, ...
        fact = str(error).split("\n")[0] or "it does not parse"
        unknown = re.match(r"unrecognized type (\S+)", fact)
        if unknown and unknown[1] not in _known_types():
            word = unknown[1]
            hint = did_you_mean(word, ["Tensor"]) or "; write -> Tensor"
            problems.add(_PATH, f"unknown type {word}{hint}", **_place_of(word, text))
        else:
            problems.add(
                _PATH,
                f"PyTorch's parser refuses the schema: {fact.rstrip('.')}; write it as in "
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
    if why := names.problem_with_argument(name):
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
    if type_ == "Tensor" and keyword_only:
        problems.add(
            _PATH,
            f"argument {name} is a Tensor behind *, where PyTorch gives no gradient; move it "
            "before the *",
            **place,
        )
        return None
    if parsed.default is None:
        return Argument(name, type_, keyword_only=keyword_only)
    default = _default(str(parsed.default), type_)
    if default is None:
        shown = str(parsed.default)
        shown = shown if len(shown) <= 40 else f"{shown[:37]}..."
        problems.add(
            _PATH,
            f"the default {shown} of argument {name} is not {_KINDS[type_]}; {_REMEDIES[type_]}",
            **place,
        )
        return None
    return Argument(name, type_, True, default, keyword_only)


_KINDS = {
    "Tensor": "possible, since a Tensor is always given",
    "float": "a finite number",
    "int": "an integer of 64 bits",
    "bool": "True or False",
}


_REMEDIES = {
    "Tensor": "remove it",
    "float": "write 1.0, say",
    "int": "write 1, say",
    "bool": "write one of them",
}


def _default(text: str, type_: str) -> float | int | bool | None:
    """The default's value, or None where it is not of the argument's type."""
    text = {"true": "True", "false": "False"}.get(text, text)
    try:
        with warnings.catch_warnings(action="ignore"):
            value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    if type_ == "float" and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if abs(value) <= sys.float_info.max else None
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
        near = did_you_mean(name, known)
        problems.add(
            _PATH,
            f"PyTorch has no operator aten::{name}"
            f"{near.replace('mean ', 'mean aten::') or '.'} "
            "A new operator needs a namespace of your own, such as my_lib",
            **place,
        )
        return None
    by_overload = {_overload_of(schema): schema for schema in known[name]}
    if overload not in by_overload:
        usable = sorted(o for o in by_overload if "out" not in o) or sorted(by_overload)
        choices = listed((f"aten::{name}.{other}".rstrip(".") for other in usable), "or")
        which = f"overload {overload}" if overload else "overload without a name"
        place["length"] += len(overload) + 1 if overload else 0
        problems.add(_PATH, f"aten::{name} has no {which}; write {choices}", **place)
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
