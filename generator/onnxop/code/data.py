"""The form of the data of the templates: a dictionary for the package, and one for each operator.

The data is plain: texts, booleans, integers, lists and dictionaries. A package records it, and its
templates read nothing else, so an update can render the package again years later, without this
code.

`SCHEMA` is the number of this form. A new key within a number is ``NotRequired``, and templates
read it as ``x | default(...)``; any other change needs the next number, in ``copier.yml`` too.
"""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import StringConstraints
from typing_extensions import TypedDict

SCHEMA = 1

PACKAGE_NAME = r"^[a-z][a-z0-9_]{0,213}$"
OPERATOR_NAME = r"^[A-Za-z_][A-Za-z0-9_]{0,199}$"
KERNEL_FILE = r"^([A-Za-z0-9_]{1,100}\.(h|hpp))?$"
CUDA_FILE = r"^([A-Za-z0-9_]{1,100}\.cuh)?$"
"""Patterns of the names that are parts of files' names."""


class PackageData(TypedDict):
    """The package. ``explicit_name``: its name if --name gave it, else empty. A ``_literal`` is
    TOML.
    """

    name: Annotated[str, StringConstraints(pattern=PACKAGE_NAME)]
    explicit_name: str
    distribution: str
    version: str
    description: str
    description_literal: str
    license: str
    authors_literal: list[str]
    docstring: str
    public_names: list[str]
    required_distributions: list[str]
    is_native: bool
    has_openvino: bool
    has_cuda: NotRequired[bool]


class ParameterData(TypedDict):
    """An argument of the operator as a parameter of Python functions; see `op.Parameter`."""

    name: str
    is_tensor: bool
    note: str
    attribute: str
    passed: str
    module_declared: str
    module_passed: str


class SampleData(TypedDict):
    """A sample: the lines of its arguments in the tests' module."""

    arguments: list[str]


class RefusalData(SampleData):
    """A call that must raise: the exception's name, and a literal of the pattern of its message."""

    raises: str
    match: str


class ExampleData(TypedDict):
    """The lines of the README's example; see `example.Example`."""

    inputs: list[str]
    call: str
    model: str
    args: str


class OnnxData(TypedDict):
    """The mapping: its text in the spec, its opset, and the exporters that write it."""

    text: str
    opset: int
    dynamo: bool
    is_decomposed: bool


class GradientData(TypedDict):
    """The gradient of an argument: its statement in ``backward``; empty unless a formula gives it."""

    argument: str
    statement: str
    is_missing: bool
    is_wanted: str


class GradientsData(TypedDict):
    """The gradients, and the locals of their formulas; see `gradients.Gradients`."""

    of: list[GradientData]
    inputs: list[str]
    saved: list[str]
    saved_results: list[str]
    results: list[str]
    kept: list[str]
    shapes: dict[str, str]
    computed: list[str]
    names: list[str]
    twice: list[str]
    by_formula: list[str]


class ComposedData(TypedDict):
    """A composed kernel; see `torch_functions.ComposedCode`."""

    body: str
    fake_body: str
    makes_sizes: bool
    schema: str
    backward: str


class ReferenceData(TypedDict):
    """The reference implementation of a compiled kernel; see `torch_functions.ReferenceCode`."""

    parameters: list[str]
    body: str


class CppArgumentData(TypedDict):
    """An argument in C++; see `cpp.CppArgument`. ``is_checked``: infer() checks that it is
    integral.
    """

    name: str
    local: str
    type: str
    default: str
    keyword_only: bool
    dtype: str
    view: str
    meta: str
    element: str
    is_tensor: bool
    is_checked: bool
    kernel_view: str
    is_written: bool
    on_host: NotRequired[bool]


class CppResultData(TypedDict):
    """A result in C++; see `cpp.CppResult`."""

    name: str
    local: str
    dtype: str
    grad: str
    grad_local: str


class SkeletonData(TypedDict):
    """The parts of a kernel that the user writes, as lines of C++; see `skeleton.Skeleton`."""

    first_tensor: str
    first_dtype: str
    supported: str
    checks: list[str]
    results: list[str]
    elements: list[str]
    example: list[str]
    gradient_elements: list[str]


class FunctionalData(TypedDict):
    """The functional form of a kernel in C++ that writes to arguments; see
    `cpp_arguments.FunctionalForm`.
    """

    metas: list[str]
    arguments: list[str]
    described: list[str]
    views: list[str]
    copies: list[list[str]]
    passed: list[str]


class CppData(TypedDict):
    """The operator in C++; see `cpp.CppOp`. ``definitions``: what a kernel by hand must define."""

    namespace: str
    header: str
    schema: list[str]
    backward_schema: list[str]
    doc: list[str]
    supported: str
    grain: int
    expression: str
    gradient_locals: list[str]
    arguments: list[CppArgumentData]
    results: list[CppResultData]
    definitions: list[str]
    kernel_name: str
    returned: list[CppResultData]
    functional: FunctionalData | None
    cuda_header: NotRequired[str]
    worker: NotRequired[str]


class InPlaceData(TypedDict):
    """The operator that writes to its arguments: its name, its schema, and the names of these
    arguments.
    """

    name: str
    schema: str
    writes: list[str]
    returned: str


class OpData(TypedDict):
    """An operator; see `op.Op` and `spec.model.Spec`, whose properties explain the names.

    ``schema`` is the schema as the spec has it, and ``registered`` the schemas of that operator
    which the modules of ``requires`` register. ``onnx`` is the mapping's table, and ``mapping`` the
    lines of its function. ``cpp`` is null without a kernel in C++, ``skeleton`` unless the
    templates write it; ``cuda_skeleton`` tells whether they write ``cuda_file``.
    """

    name: Annotated[str, StringConstraints(pattern=OPERATOR_NAME)]
    kernel_file: Annotated[str, StringConstraints(pattern=KERNEL_FILE)]
    file: str
    schema: str
    registered: list[str]
    requires: list[str]
    kernel_type: str
    is_elementwise: bool
    is_source: bool
    is_composed: bool
    is_existing: bool
    is_native: bool
    operator: str
    title: str
    entry: str
    overload: str
    torch_ops: str
    existing: str
    given_name: str
    class_name: str
    function_name: str
    public: list[str]
    doc: str
    doc_literal: str
    docstring: str
    spec_hash: str
    autocast: str
    domain: str
    default_domain: str
    op_type: str
    version: int
    results: list[str]
    has_several: bool
    result_names: str
    returned: str
    always_none: list[str]
    parameters: list[ParameterData]
    self_name: str
    imports: list[str]
    signature: list[str]
    constructor: list[str]
    rule_parameters: list[str]
    rule_result: str
    onnx: OnnxData
    mapping: list[str]
    untyped: str
    dtypes: list[str]
    is_boolean: bool
    checked_scalars: list[str]
    gradients: GradientsData
    gradients_doc: str
    devices_doc: str
    kernel_gradients: list[str]
    reference_gradients: list[str]
    integer_tensors: list[str]
    has_reference: bool
    reference: ReferenceData | None
    composed: ComposedData | None
    cpp: CppData | None
    skeleton: SkeletonData | None
    has_cuda_kernel: NotRequired[bool]
    cuda_file: NotRequired[Annotated[str, StringConstraints(pattern=CUDA_FILE)]]
    cuda_skeleton: NotRequired[bool]
    samples: list[SampleData]
    refusals: list[RefusalData]
    draws_dtypes: bool
    example: ExampleData
    in_place: NotRequired[InPlaceData | None]


class Data(TypedDict):
    """What a package records: the number of the form, the package, and its operators."""

    schema: int
    package: PackageData
    ops: list[OpData]
