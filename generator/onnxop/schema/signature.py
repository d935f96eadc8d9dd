"""PyTorch's schema of an operator, read by PyTorch's own parser (``torchgen``)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import TypedDict

from ..errors import Path, Problems, did_you_mean, listed, shown
from ..words import facts, names
from . import registry, torchparse
from .arguments import (
    KINDS,
    SUPPORTED,
    UNKNOWN_TYPE,
    Argument,
    default_problem,
    is_supported,
    read_default,
)
from .torchparse import Parsed, ParsedArgument, ParsedReturn

__all__ = ["UNKNOWN_TYPE", "Argument", "OpSchema", "outline", "parse"]

MAX_LENGTH = 10_000
_HEAD = re.compile(r"\s*(?:(?P<ns>[^:(\s]*)::)?(?P<name>[^.(\s]*)(?:\.(?P<overload>[^(\s]*))?\s*")
_PATH: Path = ("op", "schema")

# Namespaces of PyTorch's own in which nobody else may define an operator.
_FOREIGN = frozenset({"prim", "prims", "onnx", "quantized", "c10d", "inductor", "higher_order"})

# Namespaces that other projects register operators in, with the modules that do.
_MODULES = {
    "fbgemm": "fbgemm_gpu",
    **{
        name: name
        for name in (
            "torch_cluster",
            "torch_scatter",
            "torch_sparse",
            "torch_spline_conv",
            "torchao",
            "torchaudio",
            "torchvision",
        )
    },
}


@dataclass(frozen=True)
class OpSchema:
    """``namespace::name.overload(arguments) -> returns``.

    ``exists`` says that PyTorch, or a module of ``requires``, has the operator, so that the package
    must not define it. ``returns`` is ``Tensor``, or as many in brackets; ``results`` are the names
    that PyTorch's derivatives have for them, of which none are known where it is only outlined.
    """

    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    exists: bool = False
    returns: str = "Tensor"
    results: tuple[str, ...] = ("result",)

    @property
    def has_several(self) -> bool:
        """Whether it returns more than one tensor, in a tuple."""
        return len(self.results) > 1

    @property
    def returns_list(self) -> bool:
        """Whether it returns a list of tensors."""
        return self.returns == "Tensor[]"

    @property
    def free(self) -> tuple[Argument, ...]:
        """The arguments that are not held at None."""
        return tuple(argument for argument in self.arguments if not argument.is_held)

    @property
    def tensors(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.free if argument.is_tensor)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        return tuple(argument for argument in self.free if not argument.is_tensor)


def parse(text: str, problems: Problems, requires: Sequence[str] = ()) -> OpSchema | None:
    """The schema in the text, or None once its problems are noted.

    ``requires`` are modules that register operators where they are imported.
    """
    if len(text) > MAX_LENGTH:
        problems.add(_PATH, f"has more than {MAX_LENGTH} characters; write a shorter schema")
        return None
    found = len(problems)
    head = _head(text)
    _check_head(head, problems)
    _check_requires(requires, problems)
    is_sound = len(problems) == found
    if requires or head["ns"] == "aten" or head["ns"] in _MODULES:
        if not is_sound:
            return None
        known = _known(head["ns"], head["name"], text, tuple(requires), problems)
        if known is None:
            return None
        if known.schemas or not known.may_be_new or not _signature(text, head):
            resolved = _resolve(text, head, known, problems)
            return None if resolved is None else _parse_existing(text, resolved, problems)
    schema = _parse_signature(text, head, problems)
    return schema if len(problems) == found else None


def _parse_existing(text: str, resolved: str, problems: Problems) -> OpSchema | None:
    """An operator that PyTorch has, by its full schema, which the spec may only name."""
    found = Problems()
    schema = _parse_signature(resolved, _head(resolved), found, exists=True)
    head = _head(text)
    for problem in found:  # its place is one in the full schema
        word = resolved[problem.offset or 0 :][: problem.length]
        place = _place_of(word, text) if problem.offset and _signature(text, head) else _Place()
        place = place or _Place(offset=head.start("ns"), length=len(text[: head.end()].strip()))
        problems.add(problem.path, problem.message, **place)
    return None if found else schema


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
        kind = re.sub(r"\([^)]*\)", "", match["type"])
        kind = kind if is_supported(kind) else UNKNOWN_TYPE
        has_default = match["default"] is not None
        arguments.append(Argument(match["name"], kind, has_default, keyword_only=keyword_only))
    returned = _spaced(text[end:].removeprefix("->"))
    results = ("result",) if returned in ("", "Tensor") else ()
    return OpSchema("", "", "", tuple(arguments), results=results) if arguments else None


_ARGUMENT = re.compile(r"\s*(?P<type>\S+)\s+(?P<name>[^\s=()]+)\s*(?P<default>=.*\S.*)?", re.DOTALL)


def _split(arguments: str) -> Iterator[re.Match[str]]:
    """The arguments between the commas that stand in no brackets; nothing of a blank text."""
    if arguments.strip():
        yield from re.finditer(
            r"(?:[^,\[(\"']|\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|\[[^\]]*\]?|\([^)]*\)?)+"
            r"|(?:\A|(?<=,))(?=,|\Z)",
            arguments,
        )


def _without_default(argument: str) -> tuple[str, str | None]:
    """The argument spaced as PyTorch's parser wants it, and its default, which is read here:
    that parser stumbles over text, and over lists of anything but integers.
    """
    words, sign, default = argument.partition("=")
    words = re.sub(r"\[[^]]*\]", lambda m: m.group().replace(" ", ""), " ".join(words.split()))
    return words, default.strip() if sign else None


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
            if not torchparse.is_type(base):
                hint = did_you_mean(base, KINDS) or f"; this version supports {SUPPORTED}"
                place["length"] = len(match["type"])
                problems.add(_PATH, f"unknown type {base}{hint}", **place)
        elif not word:
            problems.add(
                _PATH, "an argument is missing beside the comma; remove the comma", **place
            )
        elif word.endswith("="):
            problems.add(_PATH, f"{word} gives no default; write one, or remove the =", **place)
        elif torchparse.is_type(word):
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


def _check_requires(requires: Sequence[str], problems: Problems) -> None:
    for index, module in enumerate(requires):
        if not all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", part) for part in module.split(".")):
            problems.add(
                ("op", "requires", index),
                f"{shown(module)} is no module's name; write what import takes, such as torchvision",
            )


def _parse_signature(
    text: str, head: re.Match[str], problems: Problems, *, exists: bool = False
) -> OpSchema | None:
    rest = text[head.end() :]
    signature = re.fullmatch(r"\((?P<args>.*)\)\s*->\s*(?P<returns>.*\S)\s*", rest, re.DOTALL)
    if signature is None:
        if not text.strip():
            return None
        fact, remedy = "has brackets that do not match, or words between its parts", ""
        if not rest.strip():
            fact = "gives no arguments"
            remedy = (
                ", or, if a module that can be imported registers the operator, add requires = "
                '["<the module>"] beside the schema'
            )
        elif "->" not in rest:
            fact = "has no -> with what it returns"
        problems.add(
            _PATH,
            f"the schema {fact}; write {head['ns'] or 'my_lib'}::{head['name'] or 'my_add'}"
            f"(Tensor a, float alpha=1.0) -> Tensor{remedy}",
            offset=head.end() if rest.strip() else head.start("name"),
            length=max(len(rest.rstrip()) or len(head["name"]), 1),
        )
        return None
    # A wrong name is noted already and must not hide what is wrong behind it.
    base = "op" if names.problem_with(head["name"]) else head["name"].rstrip("_") or "op"
    if head["overload"] and not names.problem_with(head["overload"]):
        base += f".{head['overload']}"
    parts = [_without_default(part.group()) for part in _split(signature["args"])]
    returned = _spaced(signature["returns"])
    found = len(problems)
    _check_arguments(signature["args"], head.end() + signature.start("args"), problems)
    if len(problems) > found:
        return None
    arguments_text = ", ".join(words for words, _ in parts)
    if "," in returned and not returned.startswith("("):
        problems.add(
            _PATH,
            f"several results stand in brackets; write -> ({returned})",
            offset=head.end() + signature.start("returns"),
            length=len(signature["returns"]),
        )
        return None
    function = _parsed(f"{base}({arguments_text}) -> {returned}", text, problems)
    if function is None:
        return None
    if why := _problem_with_returns(function, returned, exists):
        problems.add(
            _PATH,
            why,
            offset=head.end() + signature.start("returns"),
            length=len(signature["returns"]),
        )
    defaults = [default for words, default in parts if words != "*"]
    arguments = _arguments(function, defaults, text, problems, exists=exists)
    if not exists and (why := problem_with_self(arguments)):
        problems.add(_PATH, f"{why}; rename it", **_place_of("self", text))
    if len(problems) == found and not any(argument.is_tensor for argument in arguments):
        problems.add(
            _PATH,
            "the operator has no Tensor argument; give it one, such as Tensor a",
            offset=head.end(),
            length=len(signature["args"]) + 2,
        )
    if len(problems) > found:
        return None
    return OpSchema(
        head["ns"] or "",
        head["name"],
        head["overload"] or "",
        tuple(arguments),
        exists,
        _returns(function.returns),
        _results(function.returns, arguments),
    )


def _spaced(returned: str) -> str:
    """What is returned, spaced as PyTorch's parser wants it; of one in brackets, it alone."""
    text = " ".join(returned.split())
    if not (text.startswith("(") and text.endswith(")")):
        return text
    words = [word.strip() for word in text[1:-1].split(",")]
    words = words[:-1] if not words[-1] else words
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def _problem_with_returns(function: Parsed, text: str, exists: bool) -> str | None:
    returns = function.returns
    if [returned.type for returned in returns] == ["Tensor[]"]:
        return None
    if not returns or any(returned.type != "Tensor" for returned in returns):
        remedy = "write -> Tensor, -> (Tensor, Tensor) or -> Tensor[]"
        remedy = "it cannot be exported" if exists else remedy
        return (
            f"the operator returns {text}; ONNX has tensors alone, one, several, or a list: {remedy}"
        )
    if len(returns) == 1 or exists:
        return None
    if any(argument.name == "grads" for argument in function.arguments):
        return (
            "the argument name 'grads' is kept for the results' gradients in [autograd]; rename it"
        )
    found = [returned.name for returned in returns if returned.name]
    for name in found:
        kept = "is kept for the results' gradients in [autograd]" if name == "grads" else None
        if why := kept or names.problem_with_argument(name):
            return f"the result name {name!r} {why}; rename it"
        if found.count(name) > 1:
            return f"two results are named {name}; rename one"
    return None


def _returns(returns: Sequence[ParsedReturn]) -> str:
    """What is returned, in PyTorch's schema language."""
    if [returned.type for returned in returns] == ["Tensor[]"]:
        return "Tensor[]"
    words = [f"Tensor {returned.name}" if returned.name else "Tensor" for returned in returns]
    return f"({', '.join(words)})" if len(words) > 1 else "Tensor"


def _results(returns: Sequence[ParsedReturn], arguments: Iterable[Argument]) -> tuple[str, ...]:
    """The names of the results, as torchgen gives them."""
    if len(returns) == 1:
        return ("result",)
    taken = {argument.name for argument in arguments}
    words = [returned.name or f"result{position}" for position, returned in enumerate(returns)]
    return tuple(f"{word}_return" if word in taken else word for word in words)


def _parsed(signature: str, text: str, problems: Problems) -> Parsed | None:
    try:
        return torchparse.parse(signature)
    except ValueError as error:
        fact = str(error)
        unknown = re.match(r"unrecognized type (\S+)", fact)
        if unknown and not torchparse.is_type(unknown[1]):
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


def _arguments(
    function: Parsed, defaults: list[str | None], text: str, problems: Problems, *, exists: bool
) -> list[Argument]:
    arguments: list[Argument] = []
    for parsed, default in zip(function.arguments, defaults, strict=True):
        name = parsed.name
        if why := _problem_with(parsed, default, exists):
            problems.add(_PATH, why, **_place_of(name, text))
            continue
        argument = Argument(name, parsed.type, keyword_only=parsed.keyword_only)
        if default is not None:
            argument = _with_default(argument, default, text, problems) or argument
        if any(name == before.name for before in arguments):
            problems.add(
                _PATH, f"two arguments are named {name}; rename one", **_place_of(name, text)
            )
        required_late = default is None and not argument.keyword_only
        if required_late and arguments and arguments[-1].has_default:
            problems.add(
                _PATH,
                f"argument {name} has no default but follows one that has; give it a "
                "default or move it forward",
                **_place_of(name, text),
            )
        arguments.append(argument)
    return arguments


def problem_with_self(arguments: Iterable[Argument]) -> str | None:
    """Why no operator of these arguments passes PyTorch's own tests, or None where one can:
    torch.fx renames ``self``, the first argument of most operators, to ``input``.
    """
    by_name = {argument.name: argument for argument in arguments}
    if "self" not in by_name:
        return None
    if "input" in by_name:
        return "the arguments self and input are one name to torch.fx, which calls self input"
    if by_name["self"].keyword_only:
        return "the argument self is given by keyword, but torch.fx calls it input"
    return None


def _problem_with(parsed: ParsedArgument, default: str | None, exists: bool) -> str | None:
    name, type_ = parsed.name, parsed.type
    if why := names.problem_with_argument(name):
        remedy = "an operator that has it cannot be exported" if exists else "rename it"
        return f"the argument name {name!r} {why}; {remedy}"
    if parsed.annotation and (parsed.is_write or not exists):
        return (
            f"argument {name} is written to or aliased ({parsed.annotation}); ONNX has values "
            "only: return the result instead"
        )
    if not is_supported(type_):
        if exists and type_.endswith("?") and default == "None":
            return None  # held
        return f"argument {name} is of type {type_}; this version supports {SUPPORTED}"
    if type_.startswith("Tensor") and parsed.keyword_only and not exists:
        return (
            f"argument {name} is a Tensor behind *, where PyTorch gives no gradient; move it "
            "before the *"
        )
    return None


def _with_default(
    argument: Argument, text: str, schema: str, problems: Problems
) -> Argument | None:
    if argument.is_held:
        return replace(argument, has_default=True)
    found = read_default(text, argument.type)
    if found is not None:
        return replace(argument, has_default=True, default=found[0])
    shown_text = text if len(text) <= 40 else f"{text[:37]}..."
    fact, remedy = default_problem(argument.type)
    problems.add(
        _PATH,
        f"the default {shown_text} of argument {argument.name} is not {fact}; {remedy}",
        **_place_of(argument.name, schema),
    )
    return None


def _aten_schemas(name: str) -> tuple[str, ...]:
    """The schemas of PyTorch's own operator ``aten::<name>``, one an overload."""
    found = facts.ask(f"aten::{name}", lambda: list(_all_aten_schemas().get(name, ())))
    return tuple(found)


@cache
def _all_aten_schemas() -> dict[str, tuple[str, ...]]:
    """The schemas of PyTorch's own operators by their base names, from torchgen's table."""
    spec = find_spec("torchgen")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'torchgen'", name="torchgen")
    table = FilePath(spec.submodule_search_locations[0])
    table = table / "packaged" / "ATen" / "native" / "native_functions.yaml"
    found: dict[str, list[str]] = {}
    for line in re.findall(r"^- func: (.*\S)", table.read_text(encoding="utf-8"), re.MULTILINE):
        name = re.split(r"[.(]", line, maxsplit=1)[0]
        found.setdefault(name, []).append(_with_numbers(f"aten::{line}"))
    return {name: tuple(schemas) for name, schemas in found.items()}


@dataclass(frozen=True)
class _Known:
    """What PyTorch knows of an operator: its schemas, and what is said where there are none.

    ``given`` is the schema in the spec as PyTorch prints it, if it does.
    """

    schemas: tuple[str, ...]
    missing: str
    given: str | None = None
    may_be_new: bool = False


def _known(
    namespace: str, name: str, text: str, requires: tuple[str, ...], problems: Problems
) -> _Known | None:
    """What PyTorch knows of the operator, or None once it is noted why that cannot be told."""
    if namespace in _MODULES and not requires:
        problems.add(
            _PATH,
            f"{namespace}::{name} is registered by {_MODULES[namespace]}; add requires = "
            f'["{_MODULES[namespace]}"] beside the schema',
            offset=text.index(namespace),
            length=len(namespace),
        )
        return None
    registered = registry.Found((), (), None)
    if requires:
        answer = registry.ask(f"{namespace}::{name}", requires, text if "(" in text else "")
        if isinstance(answer, registry.Failure):
            problems.add(("op", "requires", answer.index), answer.message)
            return None
        registered = answer
    if namespace == "aten":
        found = _aten_schemas(name)
        missing = f"PyTorch has no operator aten::{name}"
        missing += "" if found else _nearest(name, namespace, _all_aten_schemas())
        missing += "" if missing.endswith("?") else "."
        missing += " A new operator needs a namespace of your own, such as my_lib"
        return _Known(found, missing)
    missing = f"{listed(requires)} {'registers' if len(requires) == 1 else 'register'} no operator "
    missing += f"{namespace}::{name}"
    near = _nearest(name, namespace, registered.names)
    missing += near or "; for a new operator, write its arguments too: (Tensor a) -> Tensor"
    return _Known(registered.schemas, missing, registered.given, may_be_new=True)


def _nearest(name: str, namespace: str, known: Iterable[str]) -> str:
    return did_you_mean(name, known).replace("mean ", f"mean {namespace}::")


def _signature(text: str, head: re.Match[str]) -> str:
    return text[head.end() :].strip()


def _resolve(text: str, head: re.Match[str], known: _Known, problems: Problems) -> str | None:
    """The full schema of an operator that PyTorch has, which the spec may name alone."""
    name, overload = f"{head['ns']}::{head['name']}", head["overload"] or ""
    place = _Place(offset=head.start("name"), length=max(len(head["name"]), 1))
    if not known.schemas:
        problems.add(_PATH, known.missing, **place)
        return None
    by_overload = {_overload_of(schema): schema for schema in known.schemas}
    if overload not in by_overload:
        usable = sorted(o for o in by_overload if "out" not in o) or sorted(by_overload)
        choices = listed((f"{name}.{other}".rstrip(".") for other in usable), "or")
        which = f"overload {overload}" if overload else "overload without a name"
        place["length"] += len(overload) + 1 if overload else 0
        problems.add(_PATH, f"{name} has no {which}; write {choices}", **place)
        return None
    schema = by_overload[overload]
    given = _signature(text, head)
    printed = known.given[known.given.index("(") :] if known.given else given
    real = _squeezed(schema[schema.index("(") :])
    is_same = real in (_squeezed(given), _squeezed(printed))
    if given and not is_same and not _means_the_same(text, schema):
        owner = "PyTorch's" if head["ns"] == "aten" else "the registered"
        problems.add(
            _PATH,
            f"{owner} {name} has another signature; write {schema}, or its name alone",
            **place,
        )
        return None
    return schema


def _overload_of(schema: str) -> str:
    head = schema[: schema.index("(")].partition("::")[2]
    return head.partition(".")[2]


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _means_the_same(given: str, schema: str) -> bool:
    """Whether two schemas differ in how a default is written at most, as PyTorch's table and what
    it prints do: ``1.0`` and ``1.``, ``int[2] stride=1`` and ``int[2] stride=[1, 1]``.
    """
    found = [
        _parse_signature(_with_numbers(text), _head(text), Problems(), exists=True)
        for text in (given, schema)
    ]
    return found[0] is not None and found[0] == found[1]


def _with_numbers(schema: str) -> str:
    """The schema with the default that torchgen's table alone writes as a name: at::Reduction's."""
    return schema.replace("=Mean", "=1")
