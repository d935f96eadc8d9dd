"""Facts that reading a spec needs from PyTorch and ONNX: asked for once, then recorded.

A package records the answers. Each version of the template can then read the spec again, years later,
without PyTorch and ONNX, and with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from ..errors import OnnxopError


class FactMissingError(OnnxopError):
    """An answer is neither recorded in the package nor available from what is installed."""


class Facts:
    """JSON answers by question. ``known``: the answers that a package records.

    ``is_fresh``: ask anew, and use a recorded answer only if that fails.
    """

    def __init__(self, known: Mapping[str, Any] | None = None, *, is_fresh: bool = True) -> None:
        self._known = dict(known or {})
        self._is_fresh = is_fresh
        self.answers: dict[str, Any] = {}
        """Every question that was asked, with its answer."""

    def ask(self, question: str, find: Callable[[], Any], *, is_lasting: bool = False) -> Any:
        """Return the answer; ``find`` looks it up, and raises ImportError if that is impossible.

        ``is_lasting``: use a recorded answer even if ``is_fresh``.
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
                f"{question}: the package does not record it, and {error.name or 'its source'} is not "
                "installed; run pip install onnxop, then onnxop update"
            ) from error


_CURRENT: ContextVar[Facts | None] = ContextVar("facts", default=None)


@contextmanager
def asking(facts: Facts) -> Iterator[Facts]:
    """Answer questions from these facts inside the context."""
    token = _CURRENT.set(facts)
    try:
        yield facts
    finally:
        _CURRENT.reset(token)


def ask(question: str, find: Callable[[], Any], *, is_lasting: bool = False) -> Any:
    """Return the answer of the current facts. If there are no current facts, look it up."""
    facts = _CURRENT.get()
    return find() if facts is None else facts.ask(question, find, is_lasting=is_lasting)
