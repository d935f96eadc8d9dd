"""What a spec's tables say, and the problems that are found in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath

from ..errors import Path, Problems
from ..words.pyexpr import ExpressionProblem
from .document import Document


@dataclass(frozen=True)
class Tables:
    """The document without what is noted as wrong, so that each check goes as far as the parts that it
    needs are sound. ``folder`` is where the spec lies.
    """

    document: Document
    problems: Problems
    folder: FilePath

    @property
    def requires(self) -> tuple[str, ...]:
        """The modules of ``[op] requires``."""
        return tuple(self.document.op.requires)

    def note(self, path: Path, problem: ExpressionProblem) -> None:
        """Notes what is wrong with a word of the expression that stands there."""
        self.problems.add(path, problem.message, offset=problem.offset, length=problem.length)
