"""Errors as data: the problems of a whole spec are collected, then printed once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One error of a spec: the path of its key, and one sentence with the fact and the remedy.

    ``offset`` and ``length`` mark the wrong part of the key's string value; ``on_key`` says that
    the key itself is wrong, not its value.
    """

    path: Path
    message: str
    offset: int | None = None
    length: int = 1
    on_key: bool = False


class Problems:
    """An ordered set of problems, so that one answer can show all of them."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}

    def add(
        self,
        path: Path,
        message: str,
        *,
        offset: int | None = None,
        length: int = 1,
        on_key: bool = False,
    ) -> None:
        self._problems.setdefault(Problem(path, message, offset, length, on_key))

    def concern(self, *path: str | int) -> bool:
        """Return whether the key at this path, or a key below it, has a problem."""
        return any(problem.path[: len(path)] == path for problem in self)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._problems)

    def __len__(self) -> int:
        return len(self._problems)


class OnnxopError(Exception):
    """The base of all errors that a user can cause; users see its text.

    ``status`` is the command's exit status.
    """

    status = 1


class SpecError(OnnxopError):
    """The spec is wrong; ``lines`` are the messages, in the order of the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class DestinationError(OnnxopError):
    """The package cannot be written to the destination."""


class BuildError(OnnxopError):
    """The package was written, but it does not build, install or pass its tests."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean x?"``, or ``""`` if no known name is close."""
    by_lower = {candidate.lower(): candidate for candidate in sorted(known, reverse=True)}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"; did you mean {by_lower[near[0]]}?" if near else ""


def shown(value: object, width: int = 60) -> str:
    """Return the value's repr, or a date as TOML writes it, cut to the width."""
    try:
        text = str(value) if isinstance(value, date | time) else repr(value)
    except ValueError:
        text = "a value of too many digits"
    except Exception:  # noqa: BLE001 - of the user's __repr__
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= width else f"{text[: width - 3]}..."


def some(names: Sequence[str], most: int = 5) -> str:
    """Return ``"a, b, c, d, e and 295 more"``."""
    rest = len(names) - most
    return listed([*names[:most], f"{rest} more"] if rest > 1 else names)


def listed(names: Iterable[str], last: str = "and") -> str:
    """Return ``"a, b and c"``."""
    items = list(names)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
