"""PyTorch's schema of an operator, read by PyTorch's own parser (``torchgen``)."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from ..errors import Problems, did_you_mean, listed, shown
from ..words import names
from . import registry, torchparse
from .argument_list import (
    ARGUMENT,
    check_arguments,
    problem_with_names,
    read_arguments,
    split,
    without_default,
)
from .arguments import UNKNOWN_TYPE, Argument, is_supported
from .existing import MODULES, Known, find, with_numbers
from .head import check_head, read_head
from .places import PATH, Place, place_of
from .returns import problem_with_returns, result_names, returned_types, spaced
from .torchparse import Parsed

__all__ = ["UNKNOWN_TYPE", "Argument", "OpSchema", "outline", "parse"]
MAX_LENGTH = 10_000
_SIGNATURE = re.compile(r"\((?P<args>.*)\)\s*->\s*(?P<returns>.*\S)\s*", re.DOTALL)


@dataclass(frozen=True)
class OpSchema:
    """``namespace::name.overload(arguments) -> returns``.

    ``exists`` says that PyTorch, or a module of ``requires``, has the operator, so that the package
    must not define it. ``returns`` is ``Tensor``, or as many in brackets; ``results`` are the names
    that PyTorch's derivatives have for them, of which none are known where it is only outlined.
    ``given_name`` is the one that the spec gives, for the package to call it.
    """

    namespace: str
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    exists: bool = False
    returns: str = "Tensor"
    results: tuple[str, ...] = ("result",)
    given_name: str = ""

    @property
    def called(self) -> str:
        """What the package calls the operator."""
        return self.given_name or self.name

    @property
    def full_name(self) -> str:
        """What PyTorch calls it, as a spec names it: ``aten::median.dim``."""
        return f"{self.namespace}::{self.name}" + (f".{self.overload}" if self.overload else "")

    @property
    def title(self) -> str:
        """What messages and pages call it: the overload goes without saying, where it has no name."""
        return self.full_name if self.given_name else f"{self.namespace}::{self.name}"

    @property
    def has_several(self) -> bool:
        """Whether it returns more than one tensor, in a tuple."""
        return len(self.results) > 1

    @property
    def returns_list(self) -> bool:
        """Whether it returns a list of tensors."""
        return self.returns == "Tensor[]"

    def taking(self, names: Container[str]) -> OpSchema:
        """The schema where these arguments are given, even if they could be held at None."""
        taken = [replace(a, is_taken=True) if a.name in names else a for a in self.arguments]
        return replace(self, arguments=tuple(taken))

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


def parse(
    text: str, problems: Problems, requires: Sequence[str] = (), given_name: str = ""
) -> OpSchema | None:
    """The schema in the text, or None once its problems are noted.

    ``requires`` are modules that register operators where they are imported; ``given_name`` is what
    the package calls an operator that exists.
    """
    schema = _parse(text, problems, requires, given_name)
    if schema is None or not given_name:
        return schema
    if not schema.exists:
        problems.add(
            ("op", "name"),
            "an operator of your own is called what its schema says; remove the line, and write "
            f"{schema.namespace}::{given_name} there",
            on_key=True,
        )
        return None
    return replace(schema, given_name=given_name)


def _parse(
    text: str, problems: Problems, requires: Sequence[str], given_name: str
) -> OpSchema | None:
    if len(text) > MAX_LENGTH:
        problems.add(PATH, f"has more than {MAX_LENGTH} characters; write a shorter schema")
        return None
    found = len(problems)
    head = read_head(text)
    check_head(head, problems, given_name)
    _check_requires(requires, problems)
    is_sound = len(problems) == found
    if requires or head["ns"] == "aten" or head["ns"] in MODULES:
        if not is_sound:
            return None
        known = find(head["ns"], head["name"], text, tuple(requires), problems)
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
    resolved = re.sub(r"\((\w+) -> \*\)", r"(\1)", resolved)  # of a list of views
    schema = _parse_signature(resolved, read_head(resolved), found, exists=True)
    head = read_head(text)
    for problem in found:  # its place is one in the full schema
        word = resolved[problem.offset or 0 :][: problem.length]
        place = place_of(word, text) if problem.offset and _signature(text, head) else Place()
        place = place or Place(offset=head.start("ns"), length=len(text[: head.end()].strip()))
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
    for part in split(text[opened + 1 : closed]):
        if part.group().strip() == "*":
            keyword_only = True
            continue
        match = ARGUMENT.fullmatch(part.group())
        if match is None:
            return None
        kind = re.sub(r"\([^)]*\)", "", match["type"])
        kind = kind if is_supported(kind) else UNKNOWN_TYPE
        has_default = match["default"] is not None
        arguments.append(Argument(match["name"], kind, has_default, keyword_only=keyword_only))
    returned = spaced(text[end:].removeprefix("->"))
    results = ("result",) if returned in ("", "Tensor") else ()
    return OpSchema("", "", "", tuple(arguments), results=results) if arguments else None


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
    signature = _SIGNATURE.fullmatch(text, head.end())
    if signature is None:
        _note_no_signature(text, head, problems)
        return None
    # A wrong name is noted already and must not hide what is wrong behind it.
    base = "op" if names.problem_with(head["name"]) else head["name"].rstrip("_") or "op"
    if head["overload"] and not names.problem_with(head["overload"]):
        base += f".{head['overload']}"
    parts = [without_default(part.group()) for part in split(signature["args"])]
    returned = spaced(signature["returns"])
    found = len(problems)
    check_arguments(signature["args"], signature.start("args"), problems)
    if len(problems) > found:
        return None
    arguments_text = ", ".join(words for words, _ in parts)
    if "," in returned and not returned.startswith("("):
        problems.add(
            PATH,
            f"several results stand in brackets; write -> ({returned})",
            offset=signature.start("returns"),
            length=len(signature["returns"]),
        )
        return None
    function = _parsed(f"{base}({arguments_text}) -> {returned}", text, problems)
    if function is None:
        return None
    if why := problem_with_returns(function, returned, exists):
        problems.add(
            PATH,
            why,
            offset=signature.start("returns"),
            length=len(signature["returns"]),
        )
    defaults = [default for words, default in parts if words != "*"]
    arguments = read_arguments(function, defaults, text, problems, exists=exists)
    if not exists and (problem := problem_with_names(arguments)):
        problems.add(PATH, f"{problem[1]}; rename it", **place_of(problem[0], text))
    if len(problems) == found and not any(argument.is_tensor for argument in arguments):
        problems.add(
            PATH,
            "the operator has no Tensor argument, which a rule needs; compute what it gives in the model, "
            "or give it from outside"
            if exists
            else "the operator has no Tensor argument; give it one, such as Tensor a",
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
        returned_types(function.returns),
        result_names(function.returns, arguments),
    )


def _note_no_signature(text: str, head: re.Match[str], problems: Problems) -> None:
    rest = text[head.end() :]
    if not text.strip():
        return  # which is noted of its head
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
        PATH,
        f"the schema {fact}; write {head['ns'] or 'my_lib'}::{head['name'] or 'my_add'}"
        f"(Tensor a, float alpha=1.0) -> Tensor{remedy}",
        offset=head.end() if rest.strip() else head.start("name"),
        length=max(len(rest.rstrip()) or len(head["name"]), 1),
    )


def _parsed(signature: str, text: str, problems: Problems) -> Parsed | None:
    try:
        return torchparse.parse(signature)
    except ValueError as error:
        fact = str(error)
        unknown = re.match(r"unrecognized type (\S+)", fact)
        if unknown and not torchparse.is_type(unknown[1]):
            word = unknown[1]
            hint = did_you_mean(word, ["Tensor"]) or "; write -> Tensor"
            problems.add(PATH, f"unknown type {word}{hint}", **place_of(word, text))
        else:
            problems.add(
                PATH,
                f"PyTorch's parser refuses the schema: {fact.rstrip('.')}; write it as in "
                "my_lib::my_add(Tensor a, float alpha=1.0) -> Tensor",
            )
        return None


def _signature(text: str, head: re.Match[str]) -> str:
    return text[head.end() :].strip()


def _resolve(text: str, head: re.Match[str], known: Known, problems: Problems) -> str | None:
    """The full schema of an operator that PyTorch has, which the spec may name alone."""
    name, overload = f"{head['ns']}::{head['name']}", head["overload"] or ""
    place = Place(offset=head.start("name"), length=max(len(head["name"]), 1))
    if not known.schemas:
        problems.add(PATH, known.missing, **place)
        return None
    by_overload = {_overload_of(schema): schema for schema in known.schemas}
    if overload not in by_overload:
        usable = sorted(o for o in by_overload if "out" not in o) or sorted(by_overload)
        choices = listed((f"{name}.{other}".rstrip(".") for other in usable), "or")
        which = f"overload {overload}" if overload else "overload without a name"
        place["length"] += len(overload) + 1 if overload else 0
        problems.add(PATH, f"{name} has no {which}; write {choices}", **place)
        return None
    schema = by_overload[overload]
    given = _signature(text, head)
    is_same = not given or _means_the_same(text, schema)
    if not is_same and not (known.may_be_new and _is_printed_as(schema, text)):
        owner = "PyTorch's" if head["ns"] == "aten" else "the registered"
        problems.add(
            PATH,
            f"{owner} {name} has another signature; write {schema}, or its name alone",
            **place,
        )
        return None
    return schema


def _overload_of(schema: str) -> str:
    head = schema[: schema.index("(")].partition("::")[2]
    return head.partition(".")[2]


def _arguments_of(schema: str) -> str:
    return re.sub(r"\s+", "", schema[schema.find("(") :])


def _means_the_same(given: str, schema: str) -> bool:
    """Whether two schemas differ in how a default is written at most, as PyTorch's table and what
    it prints do: ``1.0`` and ``1.``, ``int[2] stride=1`` and ``int[2] stride=[1, 1]``.
    """
    if _arguments_of(given) == _arguments_of(schema):
        return True
    found = [
        _parse_signature(with_numbers(text), read_head(text), Problems(), exists=True)
        for text in (given, schema)
    ]
    return found[0] is not None and found[0] == found[1]


def _is_printed_as(schema: str, given: str) -> bool:
    """Whether PyTorch prints one as the other: there are types that are not supported here."""
    return _arguments_of(registry.printed(given)) == _arguments_of(schema)
