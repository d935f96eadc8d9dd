"""[[samples]] and [[errors]] → the calls of the package's tests, as Python code."""

from __future__ import annotations

from dataclasses import dataclass

from ..spec.model import Spec
from ..spec.tensors import Literal, RandomTensor, SampleValue, TensorList
from ..words import pyexpr

_MAX_TITLE = 200


@dataclass(frozen=True)
class Call:
    """A call of the operator: its title, as a literal, and what draws each argument, by name."""

    title: str
    draws: dict[str, str]
    raises: str = ""
    match: str = ""


def samples(spec: Spec) -> tuple[Call, ...]:
    titles: set[str] = set()
    return tuple(
        Call(pyexpr.string(_unique(_title(sample), titles)), _draws(sample))
        for sample in spec.samples
    )


def refusals(spec: Spec) -> tuple[Call, ...]:
    return tuple(
        Call(
            pyexpr.string(f"{_title(refusal.values)}: {refusal.raises}".lstrip(": ")),
            _draws(refusal.values),
            refusal.raises,
            pyexpr.string(refusal.match),
        )
        for refusal in spec.refusals
    )


def _title(sample: dict[str, SampleValue]) -> str:
    """The values in words; where they are many, literal tensors by their shapes, then cut."""
    title = ", ".join(f"{name} {_words(value)}" for name, value in sample.items())
    if len(title) > _MAX_TITLE:
        title = ", ".join(f"{name} {_words(value, brief=True)}" for name, value in sample.items())
    return title if len(title) <= _MAX_TITLE else f"{title[: _MAX_TITLE - 3]}..."


def _words(value: SampleValue, *, brief: bool = False) -> str:
    if isinstance(value, TensorList):
        return f"[{', '.join(_words(item, brief=brief) for item in value.items)}]"
    if isinstance(value, RandomTensor) or (brief and value.is_tensor):
        return value.notation
    return value.expression if value.is_inferred else f"{value.dtype} {value.expression}"


def _unique(title: str, taken: set[str]) -> str:
    """The title, with a number behind it where a sample before has the same."""
    unique, number = title, 2
    while unique in taken:
        unique, number = f"{title} ({number})", number + 1
    taken.add(unique)
    return unique


def _draws(values: dict[str, SampleValue]) -> dict[str, str]:
    return {name: _draw(value) for name, value in values.items()}


def _draw(value: SampleValue) -> str:
    """The call that draws the value."""
    if isinstance(value, TensorList):
        return f"many({', '.join(f'engine.{_draw(item)}' for item in value.items)})"
    if isinstance(value, Literal):
        if not value.is_tensor:
            return f"fixed({value.expression})"
        dtype = "" if value.is_inferred else f', dtype="{value.dtype}"'
        return f"tensor({value.expression}{dtype})"
    words = [f'"{value.dtype}"', *map(str, value.shape)]
    if value.larger != value.shape:
        words.append(f"larger={value.larger}")
    bounds = {"low": value.low, "high": value.high}
    words += [f"{word}={pyexpr.literal(b)}" for word, b in bounds.items() if b is not None]
    return f"random({', '.join(words)})"
