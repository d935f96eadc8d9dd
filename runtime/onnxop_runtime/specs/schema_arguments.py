"""The arguments of a schema: parsed ones → `Argument`, or what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..messages import did_you_mean, shown
from . import names
from .arguments import BASE_TYPES, MEANINGLESS, SUPPORTED, Argument, is_supported, read_default
from .parser import PATH, ParsedSchema, Part
from .problems import Problems

_MAX_ARGUMENTS = 64
"""How many arguments PyTorch allows for an operator. The one that computes the gradients takes
those of the results, the arguments, and a list of what is wanted.
"""


def read_arguments(signature: ParsedSchema, problems: Problems, *, exists: bool) -> list[Argument]:
    """Return the arguments; add a problem for each that is wrong, alone or beside the others."""
    arguments: list[Argument] = []
    for part in signature.arguments:
        argument, fact = _argument(part, arguments, exists=exists)
        arguments.append(argument)
        if fact:
            problems.add(PATH, fact, **part.place)
    if exists:
        return arguments
    most = _MAX_ARGUMENTS - 1 - len(signature.results)
    if len(arguments) > most:
        fact = f"the operator has {len(arguments)} arguments, and PyTorch allows {most}"
        problems.add(PATH, f"{fact}; pass several in a list", **signature.place_of_arguments)
    if clash := problem_with_names(arguments):
        name, why = clash
        place = next(part.place for part in signature.arguments if part.name == name)
        problems.add(PATH, f"{why}; rename it", **place)
    if shared := _shared_alias(signature.arguments):
        part, other = shared
        fact = f"arguments {other} and {part.name} are both ({part.alias}), one tensor"
        problems.add(PATH, f"{fact}; write another letter", **part.place)
    return arguments


def _argument(part: Part, before: list[Argument], *, exists: bool) -> tuple[Argument, str | None]:
    """Return an argument, and what is wrong with it."""
    has_default = part.default is not None
    argument = Argument(part.name, part.type, has_default, keyword_only=part.keyword_only)
    if fact := _problem_with_name(part, before, exists=exists):
        return argument, fact
    is_aliased = part.alias and ("!" in part.alias or not exists)
    if is_aliased and (fact := _problem_with_alias(part, exists=exists)):
        return argument, fact
    if not is_supported(part.type):
        return argument, _problem_with_type(part, exists=exists)
    if argument.is_tensor and argument.keyword_only and not exists:
        fact = f"argument {part.name} is a keyword-only Tensor, which has no gradient in PyTorch; "
        return argument, f"{fact}move it before the *"
    if part.default is None:
        if argument.keyword_only or not (before and before[-1].has_default):
            return argument, None
        fact = (
            f"argument {part.name} has no default but follows one that has; give it a default or "
        )
        return argument, f"{fact}move it forward"
    value = (None,) if argument.is_always_none else read_default(part.default, part.type)
    if value is None:
        shown_default = shown(part.default, 40)[1:-1]
        fact = f"the default {shown_default} of argument {part.name} is not of type {part.type}; "
        example = argument.example_default
        return argument, fact + (f"write {example}, for example" if example else "remove it")
    return replace(argument, default=value[0]), None


def _problem_with_name(part: Part, before: list[Argument], *, exists: bool) -> str | None:
    """Return why the argument cannot have its name after these others."""
    name = part.name
    if why := names.problem_with_argument(name):
        remedy = "an operator that has it cannot be exported" if exists else "rename it"
        return f"the argument name {name!r} {why}; {remedy}"
    if any(name == other.name for other in before):
        return f"two arguments are named {name}; rename one"
    return None


def _problem_with_type(part: Part, *, exists: bool) -> str | None:
    """Return why an argument of an unsupported type is wrong. One of an operator that exists may be
    left out, if it is None by default, or has no meaning in ONNX.
    """
    base = part.type.rstrip("?").partition("[")[0]
    is_none = part.type.endswith("?") and part.default == "None"
    is_meaningless = base in MEANINGLESS and part.default is not None
    if exists and (is_none or is_meaningless):
        return None
    hint = did_you_mean(base, BASE_TYPES) if base not in BASE_TYPES else ""
    return (
        f"argument {part.name} is of type "
        f"{part.type}{hint or f'; this version supports {SUPPORTED}'}"
    )


def _problem_with_alias(part: Part, *, exists: bool) -> str:
    """Return why an argument cannot be written to or aliased; empty if it can be."""
    is_write = "!" in part.alias and not exists
    if is_write and part.type in ("Tensor?", "Tensor[]"):
        fact = f"argument {part.name} is of type {part.type}, which an operator cannot write to; "
        return f"{fact}write Tensor({part.alias}) {part.name}"
    if is_write and _is_write(part):
        if part.default is None:
            return ""
        return (
            f"argument {part.name} is written to, and has no default then; remove ={part.default}"
        )
    fact = f"argument {part.name} is written to or aliased ({part.alias}), unsupported in ONNX: "
    return f"{fact}return the result instead"


def written_arguments(signature: ParsedSchema) -> tuple[str, ...]:
    """Return the tensors that an operator writes to, as in ``Tensor(a!) cache``."""
    return tuple(part.name for part in signature.arguments if _is_write(part))


def _is_write(part: Part) -> bool:
    return part.type == "Tensor" and re.fullmatch(r"[a-z]!", part.alias) is not None


def _shared_alias(parts: Iterable[Part]) -> tuple[Part, str] | None:
    """Return a written argument with the alias of another one, and the other's name; None if there
    is none.
    """
    owners: dict[str, str] = {}
    for part in filter(_is_write, parts):
        if part.alias in owners:
            return part, owners[part.alias]
        owners[part.alias] = part.name
    return None


def problem_with_names(arguments: Iterable[Argument]) -> tuple[str, str] | None:
    """Return an argument that tracers confuse with another one, and why; None if there is none.
    torch.fx renames ``self``, most operators' first argument, to ``input``. torch.export gives the
    items of a list ``xs`` the names ``xs_0``, ``xs_1`` and so on.
    """
    by_name = {argument.name: argument for argument in arguments}
    for name, argument in by_name.items():
        if name == "self" and "input" in by_name:
            return name, "torch.fx renames the argument self to input, which is another argument"
        if name == "self" and argument.keyword_only:
            return name, "the argument self is keyword-only, but torch.fx renames it to input"
        stem, _, place = name.rpartition("_")
        list_argument = by_name.get(stem)
        if (
            place.isdecimal()
            and list_argument
            and list_argument.is_tensor
            and list_argument.is_list
        ):
            return name, f"torch.export names an item of the list {stem} {name}, too"
    return None
