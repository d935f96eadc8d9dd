"""The valid parts of a spec, which may have problems."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path as FilePath

from onnxop_runtime.specs.document import Document
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.reading import Reading
from onnxop_runtime.specs.samples import Refusal
from onnxop_runtime.specs.tensors import SampleValue

from ..kernel.kernel_kinds import Kernel
from .derivatives import Formula
from .model import Metadata, OnnxMapping, Spec


@dataclass(frozen=True)
class Draft:
    """The parts of a spec. A part that is wrong is missing, and the reading has its problems.

    ``outline`` is the schema, or as much of it as its text tells; ``schema`` is None if it is
    wrong.
    """

    path: FilePath
    reading: Reading
    document: Document
    outline: OpSchema | None
    schema: OpSchema | None
    mapping: OnnxMapping
    kernel: Kernel | None
    formulas: dict[str, Formula | None]
    samples: tuple[dict[str, SampleValue], ...]
    refusals: tuple[Refusal, ...]
    package: Metadata | None
    warnings: list[str] = field(default_factory=list)
    """What later checks say of a spec that is valid."""

    @property
    def problems(self) -> Problems:
        """Return the problems of the spec; later checks add theirs."""
        return self.reading.problems

    @property
    def messages(self) -> list[str]:
        """Return the problems as messages, in the order of the file."""
        return [str(problem) for problem in self.reading.placed()]

    def is_valid(self, *tables: str) -> bool:
        """Return whether neither the schema nor any of these tables has a problem."""
        has_schema = self.schema is not None and not self.problems.concern("op", "schema")
        return has_schema and not any(map(self.problems.concern, tables))

    @property
    def spec(self) -> Spec | None:
        """Return the spec; None if its schema is wrong. A spec with problems lacks other parts."""
        schema, document = self.schema, self.document
        if schema is None or self.package is None:
            return None
        return Spec(
            text=self.reading.text,
            schema=schema,
            schema_text=document.op.schema,
            doc=document.op.doc.strip() or f"The operator {schema.title}.",
            mapping=self.mapping,
            kernel=self.kernel,
            derivatives=self.formulas,
            samples=self.samples,
            refusals=self.refusals,
            package=self.package,
            requires=tuple(document.op.requires),
            default_domain=document.onnx.domain,
            op_type=document.onnx.op_type or schema.declared_name,
            autocast=(document.kernel.autocast or "") if document.kernel else "",
            version=document.onnx.version,
            argument_notes=dict(document.op.arguments or {}),
            file=self.path.name,
            warnings=tuple(self.warnings),
        )
