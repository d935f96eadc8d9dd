"""The spec once it is known to be right: everything named, parsed and resolved."""

from __future__ import annotations

from dataclasses import dataclass

from onnxop import names
from onnxop.derivatives import Formula
from onnxop.expression import Expression, is_integer_exact
from onnxop.graph import Graph
from onnxop.schema import OpSchema
from onnxop.tensors import SampleValue

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


def kernel_dtypes(elementwise: Expression, schema: OpSchema) -> tuple[str, ...]:
    """The floats, and the integers where the expression stays exact on them."""
    has_floats = any(argument.type == "float" for argument in schema.scalars)
    exact = is_integer_exact(elementwise) and not has_floats
    return (*FLOATS, *INTEGERS) if exact else FLOATS


@dataclass(frozen=True)
class Mapping:
    """The mapping at the opsets that each exporter writes; ``range(0)`` where it cannot.

    ``torchscript_graph`` is the mapping at its lowest opset, ``dynamo_graph`` at
    ``dynamo_opset``, at which the dynamo exporter builds it before it converts upward.
    """

    torchscript: range
    torchscript_graph: Graph
    dynamo: range
    dynamo_opset: int
    dynamo_graph: Graph


@dataclass(frozen=True)
class Refusal:
    """A call that must raise: ``raises`` is a builtin exception, ``match`` a regex or empty."""

    values: dict[str, SampleValue]
    raises: str
    match: str


@dataclass(frozen=True)
class Package:
    """The generated package's metadata."""

    name: str
    version: str
    description: str
    license: str
    authors: tuple[str, ...]


@dataclass(frozen=True)
class Spec:
    """A whole op spec. ``text`` is the file itself, which the package keeps as op.toml."""

    text: str
    schema: OpSchema
    doc: str
    mapping_text: str
    mapping: Mapping
    elementwise: Expression
    derivatives: dict[str, Formula | None] | None
    samples: tuple[dict[str, SampleValue], ...]
    refusals: tuple[Refusal, ...]
    package: Package

    @property
    def dtypes(self) -> tuple[str, ...]:
        """What the kernel computes with."""
        return kernel_dtypes(self.elementwise, self.schema)

    @property
    def namespace(self) -> str:
        """Where the package registers its kernel: the schema's namespace, or its own for aten."""
        return self.package.name if self.schema.exists else self.schema.namespace

    @property
    def op(self) -> str:
        """The package's operator, as PyTorch's dispatcher names it."""
        return f"{self.namespace}::{self.schema.name}"

    @property
    def overloads(self) -> tuple[str, ...]:
        """What ``torch.ops`` calls the package's operator and, where it exists, PyTorch's."""
        schema = self.schema
        own = f"{self.namespace}.{schema.name}.default"
        existing = f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}"
        return (own, existing) if schema.exists else (own,)

    @property
    def class_name(self) -> str:
        """The module's class; ``Function`` behind it, the autograd function's."""
        return names.camel(self.schema.name)
