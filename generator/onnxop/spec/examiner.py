"""Who says of a mapping what is wrong with it: the room of checks, which no package carries."""

from __future__ import annotations

from collections.abc import Mapping as Table
from collections.abc import Sequence
from typing import Protocol

from ..kernel.kinds import Kernel
from ..schema.signature import OpSchema
from .tables import Tables
from .tensors import SampleValue


class Examiner(Protocol):
    """Notes problems with the ``[onnx]`` table, and answers what a package keeps of its mapping."""

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
