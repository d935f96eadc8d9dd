"""A spec's tables with the problems found in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Table
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from onnxop_runtime.specs.document import Document, OpTable
from onnxop_runtime.specs.positions import Path
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.pyexpr import ExpressionProblem, ExpressionProblems


@dataclass(frozen=True)
class RecordedData:
    """What a package records of its earlier specs: the kernels by hand that the templates wrote, by
    their files, and the schemas that modules of ``requires`` registered, by the text of ``[op]
    schema``.
    """

    skeletons: frozenset[str] = frozenset()
    registered: Table[str, Sequence[str]] = field(default_factory=dict)

    def replaces_modules(self, op: OpTable) -> bool:
        """Return whether the modules that an operator requires need not be imported."""
        return bool(op.requires) and op.schema in self.registered


NOTHING = RecordedData()


@dataclass(frozen=True)
class Tables:
    """The document without its invalid parts, so that each check runs if the parts that it needs
    are valid. ``folder`` is the spec's, and ``recorded`` is what its package records of earlier
    ones.
    """

    document: Document
    problems: Problems
    folder: FilePath
    recorded: RecordedData = NOTHING

    @property
    def requires(self) -> tuple[str, ...]:
        """Return the modules of ``[op] requires``."""
        return tuple(self.document.op.requires)

    def note(self, path: Path, problem: ExpressionProblem) -> None:
        """Add a problem with a part of the expression at the path."""
        self.problems.add(path, problem.message, offset=problem.offset, length=problem.length)

    @contextmanager
    def noting(self, path: Path) -> Iterator[None]:
        """Add the problems raised meanwhile with the expression at the path."""
        try:
            yield
        except ExpressionProblems as error:
            for problem in error.problems:
                self.note(path, problem)
