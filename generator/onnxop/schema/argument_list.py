"""The arguments that a schema lists: as text, before PyTorch's parser has them, and after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..errors import Problems, did_you_mean
from ..words import names
from . import torchparse
from .arguments import (
    KINDS,
    MEANINGLESS,
    SUPPORTED,
    Argument,
    default_problem,
    is_supported,
    read_default,
)
from .places import PATH, Place, place_of
from .torchparse import Parsed, ParsedArgument

ARGUMENT = re.compile(r"\s*(?P<type>\S+)\s+(?P<name>[^\s=()]+)\s*(?P<default>=.*\S.*)?", re.DOTALL)


def split(arguments: str) -> Iterator[re.Match[str]]:
    """The arguments between the commas that stand in no brackets; nothing of a blank text."""
    if arguments.strip():
        yield from re.finditer(
            r"(?:[^,\[(\"']|\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|\[[^\]]*\]?|\([^)]*\)?)+"
            r"|(?:\A|(?<=,))(?=,|\Z)",
            arguments,
        )


def without_default(argument: str) -> tuple[str, str | None]:
    """The argument spaced as PyTorch's parser wants it, and its default, which is read here:
    that parser stumbles over text, and over lists of anything but integers.
    """
    words, sign, default = argument.partition("=")
    words = re.sub(r"\[[^]]*\]", lambda m: m.group().replace(" ", ""), " ".join(words.split()))
    return words, default.strip() if sign else None


def check_arguments(arguments: str, start: int, problems: Problems) -> None:
    """What PyTorch's parser would refuse in words of its own; ``start`` is where the text stands."""
    for part in split(arguments):
        word = part.group().strip()
        place = Place(offset=start + part.start(), length=1)
        if word:
            place["offset"] += len(part.group()) - len(part.group().lstrip())
            place["length"] = len(word)
        match = ARGUMENT.fullmatch(part.group())
        if match is not None:
            base = re.split(r"[\[(?]", match["type"], maxsplit=1)[0]
            if not torchparse.is_type(base):
                place["length"] = len(match["type"])
                why = _REFUSED.get(base)
                hint = did_you_mean(base, KINDS) or f"; this version supports {SUPPORTED}"
                fact = f"argument {match['name']} is of type {base}; {why}"
                problems.add(PATH, fact if why else f"unknown type {base}{hint}", **place)
        elif not word:
            problems.add(PATH, "an argument is missing beside the comma; remove the comma", **place)
        elif word.endswith("="):
            problems.add(PATH, f"{word} gives no default; write one, or remove the =", **place)
        elif torchparse.is_type(word):
            problems.add(
                PATH, f"the argument of type {word} has no name; write {word} a, say", **place
            )
        elif word == "*" and not arguments[part.end() :].strip(" ,"):
            problems.add(PATH, "no argument follows the *; remove it", **place)
        elif word != "*" and len(word.split()) == 1:
            name = word.partition("=")[0]
            problems.add(PATH, f"argument {name} has no type; write Tensor {name}, say", **place)
        elif word != "*":
            problems.add(
                PATH,
                f"{word!r} is no argument; write a type and a name, as in Tensor a, with commas "
                "between arguments",
                **place,
            )


def read_arguments(
    function: Parsed, defaults: list[str | None], text: str, problems: Problems, *, exists: bool
) -> list[Argument]:
    arguments: list[Argument] = []
    for parsed, default in zip(function.arguments, defaults, strict=True):
        name = parsed.name
        if why := _problem_with(parsed, default, exists):
            problems.add(PATH, why, **place_of(name, text))
            continue
        argument = Argument(name, parsed.type, keyword_only=parsed.keyword_only)
        if default is not None:
            argument = _with_default(argument, default, text, problems) or argument
        if any(name == before.name for before in arguments):
            problems.add(
                PATH, f"two arguments are named {name}; rename one", **place_of(name, text)
            )
        required_late = default is None and not argument.keyword_only
        if required_late and arguments and arguments[-1].has_default:
            problems.add(
                PATH,
                f"argument {name} has no default but follows one that has; give it a "
                "default or move it forward",
                **place_of(name, text),
            )
        arguments.append(argument)
    return arguments


def problem_with_names(arguments: Iterable[Argument]) -> tuple[str, str] | None:
    """An argument that PyTorch's tracers do not tell from others, and why; None where there is none:
    torch.fx renames ``self``, the first argument of most operators, to ``input``, and torch.export
    calls the items of a list ``xs`` ``xs_0``, ``xs_1``.
    """
    by_name = {argument.name: argument for argument in arguments}
    for name, argument in by_name.items():
        if name == "self" and "input" in by_name:
            why = "the arguments self and input are one name to torch.fx, which calls self input"
            return name, why
        if name == "self" and argument.keyword_only:
            return name, "the argument self is given by keyword, but torch.fx calls it input"
        stem, _, place = name.rpartition("_")
        of_list = by_name.get(stem)
        if place.isdecimal() and of_list and of_list.is_tensor and of_list.is_list:
            return name, f"torch.export calls an item of {stem} {name}, too"
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
        is_fixed = type_.removesuffix("?") in MEANINGLESS and default is not None
        if exists and (is_fixed or (type_.endswith("?") and default == "None")):
            return None  # held
        base = type_.removesuffix("?").partition("[")[0]
        remedy = _REFUSED.get(base) or f"this version supports {SUPPORTED}"
        return f"argument {name} is of type {type_}; {remedy}"
    if type_.startswith("Tensor") and parsed.keyword_only and not exists:
        return (
            f"argument {name} is a Tensor behind *, where PyTorch gives no gradient; move it "
            "before the *"
        )
    return None


_REFUSED = {
    "Generator": "ONNX has no state of random numbers: draw them before, and give them as a Tensor",
    "Dimname": "ONNX has no names of dimensions; give the dimension as an int",
}


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
        PATH,
        f"the default {shown_text} of argument {argument.name} is not {fact}; {remedy}",
        **place_of(argument.name, schema),
    )
    return None
