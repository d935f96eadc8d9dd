"""A mapping that goes on behind a line that is wrong, so that all that is wrong is told at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .numbers import Unknown
from .problems import MappingError, Problem


class Follows(MappingError):
    """What comes of another problem alone."""

    def __init__(self) -> None:
        super().__init__([])


class Attempts:
    """Notes what is wrong with a mapping's lines; ``located`` says where."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.located: Callable[[BaseException], MappingError] | None = None
        self.begin: Callable[[], None] = lambda: None

    def __call__(self, line: Callable[[], Any]) -> Any:
        """Return what a line gives."""
        try:
            return line()
        except (ArithmeticError, LookupError, TypeError, ValueError) as problem:
            if self.located is None:
                raise
            told = problem if isinstance(problem, Follows) else self.located(problem)
            self.problems += [each for each in told.problems if each not in self.problems]
            return Unknown(Follows())

    def finish(self, error: MappingError | None = None) -> None:
        """Raise all that was noted since the last time, and an error behind it."""
        told, self.problems = self.problems, []
        told += [each for each in (error.problems if error else ()) if each not in told]
        if told or error:
            raise MappingError(told) from None
