"""What the world outside the spec answers while it is read: asked of PyTorch and ONNX once, then kept.

A package keeps the answers beside its spec, so that each version of the template can read the spec
again, years later, where neither PyTorch nor ONNX is installed, and sees what it saw at first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..errors import OnnxopError


class FactMissingError(OnnxopError):
    """An answer is neither kept with the package nor to be had from what is installed here."""


class Facts:
    """Answers by question, all of them JSON.

    Args:
        known: what a package keeps.
        is_fresh: ask anew; what is known serves where that fails. Otherwise what is known is asked
            first.
    """

    def __init__(self, known: Mapping[str, Any] | None = None, *, is_fresh: bool = True) -> None:
        self._known = dict(known or {})
        self._is_fresh = is_fresh
        self.answers: dict[str, Any] = {}
        """Every question that was asked, and what was answered."""

    def ask(self, question: str, find: Callable[[], Any], *, is_lasting: bool = False) -> Any:
        """The answer; ``find`` asks the world, and raises ImportError where that is not there.

        ``is_lasting``: what was answered once holds, whatever the world says now.
        """
        if question not in self.answers:
            self.answers[question] = self._find(question, find, is_lasting)
        return self.answers[question]

    def _find(self, question: str, find: Callable[[], Any], is_lasting: bool) -> Any:
        if question in self._known and (is_lasting or not self._is_fresh):
            return self._known[question]
        try:
            return find()
        except ImportError as error:
            if question in self._known:
                return self._known[question]
            raise FactMissingError(
                f"{question}: the package does not say, and {error.name or 'what does'} is not "
                "installed; run pip install onnxop, and onnxop update"
            ) from error


_CURRENT: ContextVar[Facts | None] = ContextVar("facts", default=None)


@contextmanager
def asking(facts: Facts) -> Iterator[Facts]:
    """Questions go to these facts as long as the context lasts."""
    token = _CURRENT.set(facts)
    try:
        yield facts
    finally:
        _CURRENT.reset(token)


def ask(question: str, find: Callable[[], Any], *, is_lasting: bool = False) -> Any:
    """The answer of the facts that are asked now or, where there are none, of the world."""
    facts = _CURRENT.get()
    return find() if facts is None else facts.ask(question, find, is_lasting=is_lasting)
