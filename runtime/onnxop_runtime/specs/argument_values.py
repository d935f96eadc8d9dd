"""TOML value → the value of one argument: a tensor, a plain value, or a list of those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..messages import shown
from . import pyexpr
from .arguments import UNKNOWN_TYPE, Argument
from .positions import Path
from .problems import Problems
from .tensors import ERROR_DTYPES, NOTATION, SAMPLE, SAMPLE_DTYPES, Literal, Part, read_tensor

_MAX_TEXT = 200  # characters of a string; the title of a sample shows it
_IS_OF: dict[str, Callable[[Any], bool]] = {
    "float": lambda raw: type(raw) in (int, float),
    "int": lambda raw: type(raw) is int,
    "bool": lambda raw: type(raw) is bool,
    "str": lambda raw: isinstance(raw, str),
    "Scalar": lambda raw: isinstance(raw, int | float),
}
_EXAMPLES = {
    "float": "0.5",
    "int": "1",
    "bool": "true",
    "str": '"text"',
    "Scalar": "0.5",
    "ScalarType": '"float32"',
}


def example(argument: Argument) -> str:
    """Return a value of the argument in TOML."""
    item = _EXAMPLES.get(argument.base_type, SAMPLE)
    if not argument.is_list:
        return item
    items = [item for _ in range(min(argument.length or 2, 8))]
    return f"[{', '.join(items)}]"


def parse_value(
    raw: object, argument: Argument, path: Path, problems: Problems, *, is_error: bool = False
) -> Part | None:
    """Return the argument's value, or add a problem and return None. With ``is_error``, any type
    will do. Where the argument's type is unknown, only the notation of a tensor is read.
    """
    dtypes = ERROR_DTYPES if is_error else SAMPLE_DTYPES
    if argument.base_type == UNKNOWN_TYPE:
        means_tensor = isinstance(raw, dict) or (isinstance(raw, str) and NOTATION.fullmatch(raw))
        return read_tensor(raw, dtypes, path, problems) if means_tensor else None
    if argument.base_type == "ScalarType":
        return _parse_dtype(raw, path, problems)
    if argument.is_tensor and argument.is_list and isinstance(raw, list):
        return _parse_tensors(raw, argument, dtypes, path, problems)
    is_one_tensor = argument.is_tensor and not argument.is_list
    takes_notation = is_one_tensor or (is_error and _means_tensor(raw))
    if takes_notation and not _is_plain(raw, argument):
        return read_tensor(raw, dtypes, path, problems)
    if is_error and _is_plain(raw, argument):
        return _parse_plain(raw, path, problems, "")
    if argument.is_list and argument.length and _is_of(raw, argument):
        raw = [raw for _ in range(argument.length)]
    if not _fits(raw, argument):
        remedy = f"write {argument.name} = {example(argument)}"
        if argument.is_tensor:
            remedy += ", or nested lists"
        problems.add(path, f"argument {argument.name} is of type {argument.type}; {remedy}")
        return None
    return _parse_plain(raw, path, problems, argument.base_type)


def _means_tensor(raw: object) -> bool:
    """Return whether a value is in a notation of tensors."""
    if isinstance(raw, str):
        return NOTATION.fullmatch(raw) is not None
    return isinstance(raw, dict | list)


def _is_plain(raw: object, argument: Argument) -> bool:
    """Return whether a value is written as TOML has it, not in the notation of tensors."""
    if isinstance(raw, str):
        return argument.base_type == "str"
    return isinstance(raw, int | float) or (argument.is_list and isinstance(raw, list))


def _is_of(item: object, argument: Argument) -> bool:
    """Return whether an item has the argument's base type."""
    is_of_type = _IS_OF.get(argument.base_type)
    return is_of_type is not None and bool(is_of_type(item))


def _fits(raw: object, argument: Argument) -> bool:
    """Return whether a value is of the argument's type, in its items and their number."""
    if isinstance(raw, list) != argument.is_list:
        return False
    items = raw if isinstance(raw, list) else [raw]
    if not all(_is_of(item, argument) for item in items):
        return False
    # PyTorch's own operators take the empty list for a list that is left out.
    return argument.fixed_length is None or len(items) in (0, argument.fixed_length)


def _parse_tensors(
    raw: list[Any], argument: Argument, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> Part | None:
    """Return a list of tensors, in which ``"None"`` stands for a missing one; None if an item is
    wrong, which has a problem then.
    """
    items: list[Any] = [
        Literal("None")
        if item == "None" and argument.has_optional_items
        else read_tensor(item, dtypes, (*path, index), problems)
        for index, item in enumerate(raw)
    ]
    return None if None in items else items


def _parse_dtype(raw: object, path: Path, problems: Problems) -> Literal | None:
    if raw in SAMPLE_DTYPES:
        return Literal(f"torch.{raw}")
    problems.add(path, f'{shown(raw)} is not a dtype of samples; write "float32", for example')
    return None


def _parse_plain(raw: Any, path: Path, problems: Problems, item_type: str) -> Literal | None:
    """Return a number, a text, or a list of them, as PyTorch converts it to the type."""
    items = raw if isinstance(raw, list) else [raw]
    for index, item in enumerate(items):
        item_path = (*path, index) if isinstance(raw, list) else path
        if isinstance(item, str) and not (len(item) <= _MAX_TEXT and item.isprintable()):
            fact = f"no text of {_MAX_TEXT} printable characters at most; write another"
        elif isinstance(item, int) and not -(2**63) <= item < 2**63:
            fact = f"{shown(item, 30)} does not fit in 64 bits; write a float, such as 1e20"
        elif not isinstance(item, bool | int | float | str):
            fact = f"{shown(item, 30)} is not a plain value; write [1, 2], for example"
        else:
            continue
        problems.add(item_path, fact)
        return None
    converted = [float(item) if item_type == "float" else item for item in items]
    return Literal(pyexpr.literal(converted if isinstance(raw, list) else converted[0]))
