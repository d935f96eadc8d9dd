"""A spec's document → an `Operator` for an existing PyTorch operator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .. import __version__
from ..exporting.domain_nodes.domains import check_domain
from ..mapping import language
from ..operator.arguments import OperatorArgument
from ..operator.library import Library
from ..operator.model import Operator, Origin
from ..specs import document_rules, kernel_text, mapping_text, metadata, names, samples, signature
from ..specs.document import Document
from ..specs.op_schema import OpSchema
from ..specs.problems import Problems
from ..specs.reading import Reading
from ..torch_internals import schema_of
from . import lookup_in_process
from .kernels import kernel_of


@dataclass(frozen=True)
class _Owner:
    """The owner of registered specs, instead of a package."""

    name: str
    version: str = __version__

    @property
    def library(self) -> Library:
        return Library(self.name)  # not built


_OWNERS = {
    Origin.REGISTERED: _Owner("onnxop_runtime.registered"),
    Origin.GALLERY: _Owner("onnxop_runtime.gallery"),
}


def made_of(
    reading: Reading, origin: Origin, *, takes_kernel: bool = False, is_lazy: bool = False
) -> Operator | None:
    """Return the operator of a spec, or add its problems and return None.

    ``takes_kernel``: the spec is trusted, and may have a kernel of PyTorch's operators.
    ``is_lazy``: compile the mapping at first use.
    """
    document, problems = reading.document, reading.problems
    if document is None or problems:
        return None
    schema = _schema(document, problems)
    document_rules.check_node(document, problems, schema)
    if not is_lazy:
        _check_texts(document, problems, schema)
    if schema is not None:
        document_rules.check_arguments(document, problems, schema)
        document_rules.check_kernel_is_there(document, problems, schema)
    _check_package(reading, takes_kernel=takes_kernel)
    if problems or schema is None:
        return None
    operator = _operator(reading, document, schema, origin)
    if not is_lazy:
        _check_operator(operator, document, problems)
    return None if problems else operator


def _check_texts(document: Document, problems: Problems, schema: OpSchema | None) -> None:
    """Add the problems of the mapping's text, of the samples and error cases, and of the package's
    metadata, as far as neither a trace nor PyTorch is needed.
    """
    outline = schema or signature.outline(document.op.schema)
    parameters = [argument.name for argument in outline.caller_arguments] if outline else None
    mapping_text.check(document, problems, parameters, outline.results if outline else ())
    mapping_text.check_op_type(document, problems, schema.public_name if schema else "")
    kernel_text.check(document, problems, outline)
    if document.samples:  # the tests of a package need some; a rule needs none
        is_sound = schema is not None and not problems.concern("op", "schema")
        samples.parse_samples(document, problems, outline, is_sound=is_sound)
    samples.parse_errors(document, problems, outline)
    metadata.check(document, problems)


def _schema(document: Document, problems: Problems) -> OpSchema | None:
    """Return the schema of the operator, or add its problems and return None."""
    name = document.op.name or ""
    if name and (why := names.problem_with_operator(name)):
        problems.add(("op", "name"), f"the name {name!r} {why}; choose another")
        return None
    text, requires = document.op.schema, document.op.requires
    schema = signature.parse(text, problems, lookup_in_process, requires, name)
    return schema and schema.with_exposed({*re.findall(r"\w+", document.onnx.mapping or "")})


def _check_package(reading: Reading, *, takes_kernel: bool) -> None:
    """Add a problem for a spec without others that needs a package."""
    document, problems = reading.document, reading.problems
    if document is None or document.kernel is None or problems:
        return
    if not takes_kernel or document_rules.kernels_of(document.kernel) != ["python"]:
        spec = "SPEC" if reading.filename.startswith("<") else reading.filename
        fact = f"a spec with a kernel needs a package; run onnxop new {spec}"
        problems.add(("kernel",), fact, on_key=True)


def _operator(reading: Reading, document: Document, schema: OpSchema, origin: Origin) -> Operator:
    """Return the operator of a spec without problems."""
    op, onnx, kernel = document.op, document.onnx, document.kernel
    overload = lookup_in_process.overload(schema)
    always_none = [argument.name for argument in schema.arguments if argument.is_always_none]
    free = [
        OperatorArgument.of_schema(a)
        for a in schema_of(overload).arguments
        if a.name not in always_none
    ]
    rule = None
    if onnx.mapping is not None:
        parameters = [argument.name for argument in free]
        rule = _Mapping(onnx.mapping, parameters, f"{reading.filename}: onnx.mapping")
    full = f"{schema.namespace}::{schema.name}.{schema.overload or 'default'}"
    description: dict[str, Any] = {"name": full}
    if kernel is not None:
        description = kernel_of(reading.filename, document, overload, free, origin)
    return Operator(
        package=_OWNERS[origin],
        existing=full,
        public_name=op.name or "",
        results=[*schema.results],
        rule=rule,
        opset=onnx.opset or 0,
        allows_dynamo=onnx.dynamo,
        domain=onnx.domain or schema.namespace,
        op_type=onnx.op_type or schema.public_name,
        version=onnx.version,
        doc=op.doc.partition("\n\n")[0],
        default_domain=onnx.domain,
        always_none=always_none,
        is_decomposed=bool(onnx.decomposed),
        origin=origin,
        **description,
    )


@dataclass(frozen=True)
class _Mapping:
    """The function of a mapping's text, compiled at first use."""

    text: str
    parameters: Sequence[str]
    filename: str

    @cached_property
    def function(self) -> Any:
        return language.function(self.text, self.parameters, filename=self.filename)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.function(*args, **kwargs)


def _check_operator(operator: Operator, document: Document, problems: Problems) -> None:
    """Add a problem if the operator cannot be a node of its domain."""
    try:
        check_domain(operator, operator.default_domain)
    except ValueError as error:
        problems.add(("onnx", "domain"), str(error), on_key=True)
