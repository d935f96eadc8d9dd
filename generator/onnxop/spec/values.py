"""What TOML gives for one argument: a tensor, a plain value, or a list of those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import Path, Problems, did_you_mean, shown
from ..schema.arguments import UNKNOWN_TYPE, Argument
from ..words import pyexpr
from .literals import fits_64_bits
from .tensors import ERROR_DTYPES, NOTATION, SAMPLE, SAMPLE_DTYPES, Literal, Part, read_tensor

_MAX_TEXT = 200  # characters of a string, which the title of a sample shows


def _is_number(raw: Any) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool)


_IS_OF: dict[str, Callable[[Any], bool]] = {
    "float": _is_number,
    "int": lambda raw: isinstance(raw, int) and not isinstance(raw, bool),
    "bool": lambda raw: isinstance(raw, bool),
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
    """A value of the argument in TOML."""
    one = _EXAMPLES.get(argument.kind, SAMPLE)
    return f"[{', '.join([one] * min(argument.length or 2, 8))}]" if argument.is_list else one


def read(raw: Any, argument: Argument, path: Path, problems: Problems) -> Part | None:
    """A sample's value of the argument."""
    if argument.kind == UNKNOWN_TYPE:
        return read_unknown(raw, SAMPLE_DTYPES, path, problems)
    if argument.is_tensor and argument.is_list:
        return _read_tensors(raw, argument, SAMPLE_DTYPES, path, problems)
    if argument.is_tensor and not isinstance(raw, int | float):
        return read_tensor(raw, SAMPLE_DTYPES, path, problems)
    if argument.kind == "ScalarType":
        return _read_dtype(raw, path, problems)
    if argument.is_list:
        return _read_list(raw, argument, path, problems)
    if argument.kind in _IS_OF and _IS_OF[argument.kind](raw):
        return _read_plain(raw, path, problems, argument.kind)
    _note_type(argument, path, problems)
    return None


def _read_tensors(
    raw: Any, argument: Argument, dtypes: tuple[str, ...], path: Path, problems: Problems
) -> Part | None:
    """A list of tensors; ``"None"`` is one that is left out."""
    if not isinstance(raw, list):
        _note_type(argument, path, problems)
        return None
    items: list[Any] = [
        Literal("None")
        if item == "None" and argument.has_optional_items
        else read_tensor(item, dtypes, (*path, place), problems)
        for place, item in enumerate(raw)
    ]
    return None if None in items else items


def _read_dtype(raw: Any, path: Path, problems: Problems) -> Literal | None:
    if raw in SAMPLE_DTYPES:
        return Literal(f"torch.{raw}")
    hint = did_you_mean(raw, SAMPLE_DTYPES) if isinstance(raw, str) else ""
    problems.add(
        path, f"{shown(raw)} is no dtype{hint or '; write ' + chr(34) + 'float32' + chr(34)}"
    )
    return None


def _note_type(argument: Argument, path: Path, problems: Problems) -> None:
    remedy = f"write {argument.name} = {example(argument)}"
    remedy += ", or nested lists" if argument.is_tensor else ""
    problems.add(path, f"argument {argument.name} is of type {argument.type}; {remedy}")


def _read_list(raw: Any, argument: Argument, path: Path, problems: Problems) -> Literal | None:
    length, is_of = argument.length, _IS_OF.get(argument.kind, lambda _: False)
    if length and is_of(raw):
        raw = [raw] * length
    if not isinstance(raw, list) or not all(is_of(item) for item in raw):
        _note_type(argument, path, problems)
        return None
    # int[1] takes lists of any length, in PyTorch too: it says that a single number will do. And
    # the empty list is how PyTorch's own operators say that a list is left out.
    if length and length > 1 and len(raw) not in (0, length):
        problems.add(
            path,
            f"argument {argument.name} is of type {argument.type}, but the list has {len(raw)} "
            f"elements; write {argument.name} = {example(argument)}",
        )
        return None
    return _read_plain_list(raw, path, problems, argument.kind)


def read_any(raw: Any, argument: Argument, path: Path, problems: Problems) -> Part | None:
    """A value for a call that must fail: what it is, it says itself where the type leaves it open."""
    if argument.kind == UNKNOWN_TYPE:
        return read_unknown(raw, ERROR_DTYPES, path, problems)
    if argument.is_tensor and argument.is_list and isinstance(raw, list):
        return _read_tensors(raw, argument, ERROR_DTYPES, path, problems)
    if argument.kind == "ScalarType":
        return _read_dtype(raw, path, problems)
    if isinstance(raw, list) and argument.is_list:
        return _read_plain_list(raw, path, problems)
    if isinstance(raw, bool | int | float) or (isinstance(raw, str) and argument.kind == "str"):
        return _read_plain(raw, path, problems)
    return read_tensor(raw, ERROR_DTYPES, path, problems)


def read_unknown(raw: Any, dtypes: tuple[str, ...], path: Path, problems: Problems) -> Part | None:
    """A value of an argument whose type is not known: anything, if it does not mean a tensor."""
    means_tensor = isinstance(raw, dict) or (isinstance(raw, str) and NOTATION.fullmatch(raw))
    return read_tensor(raw, dtypes, path, problems) if means_tensor else None


def _read_plain_list(
    raw: list[Any], path: Path, problems: Problems, kind: str = ""
) -> Literal | None:
    if not all(isinstance(item, bool | int | float | str) for item in raw):
        problems.add(path, "a list holds plain values only; write [1, 2], say")
        return None
    items = [_read_plain(item, (*path, i), problems) for i, item in enumerate(raw)]
    return Literal(pyexpr.literal([_as(kind, item) for item in raw])) if None not in items else None


def _read_plain(raw: float | str, path: Path, problems: Problems, kind: str = "") -> Literal | None:
    if isinstance(raw, str):
        fits = _is_text(raw, path, problems)
    else:
        fits = fits_64_bits(raw, path, problems)
    return Literal(pyexpr.literal(_as(kind, raw))) if fits else None


def _as(kind: str, value: float | str) -> float | str:
    """Convert an integer of a ``float`` argument, as PyTorch does on a call."""
    return float(value) if kind == "float" and isinstance(value, int) else value


def _is_text(raw: str, path: Path, problems: Problems) -> bool:
    if len(raw) > _MAX_TEXT:
        problems.add(path, f"has more than {_MAX_TEXT} characters; write less")
        return False
    bad = next((i for i, char in enumerate(raw) if not char.isprintable()), None)
    if bad is not None:
        fact = f"holds line breaks or control characters ({raw[bad]!r}); remove them"
        problems.add(path, fact, offset=bad)
    return bad is None
