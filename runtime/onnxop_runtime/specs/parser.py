"""A schema's text → its head, arguments and results, with their places in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypedDict

from .positions import Path
from .problems import Problems

PATH: Path = ("op", "schema")
_HEAD = re.compile(r"\s*(?:(?P<ns>[^:(\s]*)::)?(?P<name>[^.(\s]*)(?:\.(?P<overload>[^(\s]*))?\s*")
_SIGNATURE = re.compile(r"\((?P<arguments>.*)\)\s*->\s*(?P<returns>.*\S)\s*", re.DOTALL)
_TYPE = r"\s*(?P<base>[A-Za-z]\w*)(?P<alias>\([^)]*\))?(?P<suffix>(?:\?|\[\s*[0-9]*\s*\])*)"
_ARGUMENT = re.compile(rf"{_TYPE}\s+(?P<name>[^\s=()]+)\s*(?:=\s*(?P<default>.*\S))?\s*", re.DOTALL)
_RESULT = re.compile(rf"{_TYPE}(?:\s+(?P<name>[^\s=()]+))?\s*")
_PART = re.compile(  # between commas outside brackets and quotes
    r"(?:[^,\[(\"']|\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?|\[[^\]]*\]?|\([^)]*\)?)+"
    r"|(?:\A|(?<=,))(?=,|\Z)"
)


class Mark(TypedDict, total=False):
    offset: int
    length: int


@dataclass(frozen=True)
class Part:
    """An argument or a result as written: ``alias`` is its annotation, as in ``Tensor(a!)``."""

    name: str
    type: str
    place: Mark
    default: str | None = None
    alias: str = ""
    keyword_only: bool = False


@dataclass(frozen=True)
class ParsedSchema:
    """``(arguments) -> returns``."""

    arguments: list[Part]
    results: list[Part]
    place_of_arguments: Mark
    returns: str
    place_of_returns: Mark


def read_head(text: str) -> re.Match[str]:
    """Return the match with ``ns``, ``name`` and ``overload``; each may be empty."""
    head = _HEAD.match(text)
    assert head is not None  # every part of the pattern is optional
    return head


def read_signature(text: str, problems: Problems) -> ParsedSchema | None:
    """Return the arguments and results after the head, or add problems and return None."""
    head = read_head(text)
    match = _SIGNATURE.fullmatch(text, head.end())
    if match is None:
        rest = text[head.end() :].strip()
        more = ', or add requires = ["<module>"] to [op], if that module registers the operator'
        remedy = "" if rest else more
        problems.add(
            PATH,
            "the schema is not of the form name(arguments) -> results; write "
            f"{head['ns'] or 'my_lib'}::{head['name'] or 'my_add'}(Tensor a, float alpha=1.0) -> "
            f"Tensor{remedy}",
            offset=head.end() if rest else head.start("name"),
            length=max(len(rest or head["name"]), 1),
        )
        return None
    before = len(problems)
    arguments = list(_arguments(match["arguments"], match.start("arguments"), problems))
    returned = match["returns"]
    place = Mark(offset=match.start("returns"), length=len(returned))
    results = _results(returned, place, problems)
    around = Mark(offset=match.start("arguments") - 1, length=len(match["arguments"]) + 2)
    signature = ParsedSchema(arguments, results, around, " ".join(returned.split()), place)
    return None if len(problems) > before else signature


def _results(returned: str, mark: Mark, problems: Problems) -> list[Part]:
    """Return the results after the arrow, one or several in parentheses; add a problem if one is
    not a result.
    """
    in_parentheses = re.fullmatch(r"\(\s*(.*?)\s*,?\s*\)", returned, re.DOTALL)
    if in_parentheses is None:
        texts = [returned]
    elif in_parentheses[1]:
        texts = in_parentheses[1].split(",")
    else:
        texts = []
    results: list[Part] = []
    for text in texts:
        result = _RESULT.fullmatch(text)
        if result is None or (in_parentheses is None and "," in returned):
            fact = f"{returned} is not a list of results; write -> Tensor, or -> (Tensor, Tensor)"
            problems.add(PATH, fact, **mark)
            break
        results.append(_part(result, result["name"] or "", mark))
    return results


def _arguments(text: str, start: int, problems: Problems) -> Iterator[Part]:
    """Yield the arguments in a schema's text; add a problem for each part that is none."""
    keyword_only = False
    for part in split(text):
        token = part.group().strip()
        argument = _ARGUMENT.fullmatch(part.group())
        if token == "*" and text[part.end() :].strip(" ,"):
            keyword_only = True
        elif argument is not None:
            place = Mark(offset=start + part.start() + argument.start("name"))
            place["length"] = len(argument["name"])
            yield _part(argument, argument["name"], place, argument["default"], keyword_only)
        else:
            indent = len(part.group()) - len(part.group().lstrip()) if token else 0
            problems.add(
                PATH,
                f"{token!r} is not an argument; write a type and a name, as in Tensor a or float "
                "alpha=1.0, with commas between arguments",
                offset=start + part.start() + indent,
                length=max(len(token), 1),
            )


def split(arguments: str) -> Iterator[re.Match[str]]:
    """Yield the arguments between commas; none for a blank text."""
    return _PART.finditer(arguments) if arguments.strip() else iter(())


def _part(
    match: re.Match[str],
    name: str,
    mark: Mark,
    default: str | None = None,
    keyword_only: bool = False,
) -> Part:
    type_ = match["base"] + re.sub(r"\s", "", match["suffix"])
    return Part(name, type_, mark, default, (match["alias"] or "").strip("()"), keyword_only)


def outlined(text: str) -> list[Part] | None:
    """Return the arguments of a schema that is wrong elsewhere, or None without a list of them."""
    end = text.find("->") if "->" in text else len(text)
    opened, closed = text.find("("), text.rfind(")", 0, end)
    if not 0 <= opened < closed:
        return None
    problems = Problems()
    arguments = list(_arguments(text[opened + 1 : closed], opened + 1, problems))
    return None if problems else arguments


def place_of(name: str, text: str) -> Mark:
    """Return the place of the name in the schema; empty if it is not found."""
    match = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)").search(text, max(text.find("("), 0))
    return Mark(offset=match.start(), length=len(name)) if match else Mark()
