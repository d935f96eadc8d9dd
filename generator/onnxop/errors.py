"""What can be wrong: problems as data, collected over a whole spec and printed once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a spec: the key it concerns, the fact and the remedy in one sentence.

    ``offset`` and ``length`` mark the word inside the key's (string) value; ``on_key`` says that
    the key itself is wrong rather than its value.
    """

    path: Path
    message: str
    offset: int | None = None
    length: int = 1
    on_key: bool = False


class Problems:
    """Collects problems, so that one answer can show all of them."""

    def __init__(self) -> None:
        self._found: dict[Problem, None] = {}  # in order, each once

    def add(
        self,
        path: Path,
        message: str,
        *,
        offset: int | None = None,
        length: int = 1,
        on_key: bool = False,
    ) -> None:
        self._found.setdefault(Problem(path, message, offset, length, on_key))

    def concern(self, *path: str | int) -> bool:
        """Whether one of them is noted there, or of a part of it."""
        return any(problem.path[: len(path)] == path for problem in self)

    def __bool__(self) -> bool:
        return bool(self._found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


class OnnxopError(Exception):
    """Root of every error that a user can cause; its text is what the user is shown.

    ``status`` is the exit status of the command that it ends.
    """

    status = 1


class SpecError(OnnxopError):
    """The spec is wrong. ``lines`` are the finished messages, in the order of the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class DestinationError(OnnxopError):
    """The package cannot be written where it was asked for."""


class BuildError(OnnxopError):
    """The package was written but does not build, install or pass its tests."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean x?"``, or nothing where no known word is near."""
    by_lower = {candidate.lower(): candidate for candidate in sorted(known, reverse=True)}
    near = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return f"; did you mean {by_lower[near[0]]}?" if near else ""


def shown(value: object, width: int = 60) -> str:
    """The value in Python's notation, or a date in TOML's, cut where it is long."""
    try:
        text = str(value) if isinstance(value, date | time) else repr(value)
    except ValueError:
        text = "a value of too many digits"
    return text if len(text) <= width else f"{text[: width - 3]}..."


def some(words: Sequence[str], most: int = 5) -> str:
    """``"a, b, c, d, e and 295 more"``."""
    rest = len(words) - most
    return listed([*words[:most], f"{rest} more"] if rest > 1 else words)


def listed(words: Iterable[str], last: str = "and") -> str:
    """``"a, b and c"``."""
    items = list(words)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"
