"""What a spec's tables say, the problems that are found in them, and who examines a mapping."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Table
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Protocol

from ..errors import Path, Problems
from ..kernel.kinds import Kernel
from ..pyexpr import ExpressionProblem, ExpressionProblems
from ..schema.signature import OpSchema
from .document import Document
from .tensors import SampleValue


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

    @contextmanager
    def noting(self, path: Path) -> Iterator[None]:
        """Note what is found to be wrong meanwhile with the expression that stands there."""
        try:
            yield
        except ExpressionProblems as error:
            for problem in error.problems:
                self.note(path, problem)


class Examiner(Protocol):
    """Notes problems with the ``[onnx]`` table, and answers what a package keeps of its mapping: the
    room of checks, which no package carries.
    """

    def check_text(self, tables: Tables, schema: OpSchema | None) -> None:
        """Note what is wrong with the text of the mapping, whatever it is given."""

    def check_node(self, tables: Tables, schema: OpSchema | None) -> None:
        """Note what is wrong with the name of the operator as one node."""

    def result_kinds(
        self,
        tables: Tables,
        schema: OpSchema,
        kernel: Kernel | None,
        samples: Sequence[Table[str, SampleValue]],
    ) -> tuple[str, ...]:
        """Note what is wrong with the mapping for the samples, and return the element types of its
        results: ``like x``, ``INT64``, ``left out``, or nothing where they cannot be told.
        """

    def finish(self) -> None:
        """Note what is still asked, of the mappings of all specs since the last time."""
