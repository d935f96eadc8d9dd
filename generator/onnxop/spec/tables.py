"""A spec's tables with the problems found in them, and the interface of mapping checks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Table
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Protocol

from onnxop_runtime.specs.document import Document

from ..errors import Path, Problems
from ..kernel.kinds import Kernel
from ..pyexpr import ExpressionProblem, ExpressionProblems
from ..schema.signature import OpSchema
from .tensors import SampleValue


@dataclass(frozen=True)
class Recorded:
    """What a package records of its earlier specs: the kernels by hand that the templates wrote, by their
    files, and the schemas that modules of ``requires`` registered, by the text of ``[op] schema``.
    """

    skeletons: frozenset[str] = frozenset()
    registered: Table[str, Sequence[str]] = field(default_factory=dict)


NOTHING = Recorded()


@dataclass(frozen=True)
class Tables:
    """The document without its invalid parts, so that each check runs if the parts that it needs
    are valid. ``folder`` is the spec's, and ``recorded`` is what its package records of earlier ones.
    """

    document: Document
    problems: Problems
    folder: FilePath
    recorded: Recorded = NOTHING

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


class Examiner(Protocol):
    """Checks the ``[onnx]`` table, and answers what a package records of its mapping. ``check/``
    implements it; no package carries that.
    """

    def check_text(self, tables: Tables, schema: OpSchema | None) -> None:
        """Add the problems in the text of the mapping, whatever its inputs are."""

    def check_node(self, tables: Tables, schema: OpSchema | None) -> None:
        """Add the problems with the name of the operator as one node."""

    def result_kinds(
        self,
        tables: Tables,
        schema: OpSchema,
        kernel: Kernel | None,
        samples: Sequence[Table[str, SampleValue]],
    ) -> tuple[str, ...]:
        """Add the problems of the mapping with the samples, and return the element types of its
        results: ``like x``, ``INT64``, ``left out``, or empty if unknown.
        """

    def finish(self) -> None:
        """Add the remaining problems of all mappings since the last call."""
