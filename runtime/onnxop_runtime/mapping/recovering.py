"""A mapping that goes on behind a line that is wrong, so that all that is wrong is told at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .problems import MappingError, Problem


class Follows(MappingError):
    """What comes of another problem alone."""

    def __init__(self) -> None:
        super().__init__([])


class Broken:
    """What a line gives that is wrong, as a problem of which is noted."""

    def _self(self, *_: object, **__: object) -> Broken:
        return self

    def _follow(self, *_: object) -> NoReturn:
        raise Follows

    def __iter__(self) -> Iterator[Any]:
        from .values import names_here

        return iter([self] * (names_here() or 0))

    shape = property(_self)
    __call__ = __getitem__ = __neg__ = __pos__ = __abs__ = __invert__ = _self
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = (
        _self
    )
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = _self
    __rmatmul__ = __lt__ = __le__ = __gt__ = __ge__ = _self
    __eq__ = __ne__ = _self  # type: ignore[assignment]
    __bool__ = __int__ = __index__ = __float__ = __len__ = _follow
    __hash__ = object.__hash__


def is_broken(value: Any) -> bool:
    """Return whether a value, or one of a list, comes of a problem that is noted."""
    if isinstance(value, list | tuple):
        return any(isinstance(item, Broken) for item in value)
    return isinstance(value, Broken)


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
            return Broken()

    def with_noted(self, error: MappingError) -> MappingError:
        """Return an error behind all that was noted before it."""
        told, self.problems = self.problems, []
        return MappingError([*told, *(each for each in error.problems if each not in told)])

    def finish(self) -> None:
        """Raise all that was noted since the last time."""
        told, self.problems = self.problems, []
        if told:
            raise MappingError(told)
