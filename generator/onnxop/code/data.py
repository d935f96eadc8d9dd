"""Specs → the data of the templates: one dictionary for the package, and one for each operator.

The data is plain: texts, booleans, integers, lists and dictionaries. A package records it, and its
templates read nothing else, so an update can render the package again years later, without this
code.

`SCHEMA` is the number of this form. A new key within a number is ``NotRequired``, and templates
read it as ``x | default(...)``; any other change needs the next number, in ``copier.yml`` too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired, TypeVar

from pydantic import StringConstraints
from typing_extensions import TypedDict

from onnxop_runtime.specs.op_schema import OpSchema

from ..kernel.kinds import Source
from ..spec.model import PackageSpec, Spec
from .cpp import CppOp, cpp_op, definitions
from .gradients import Gradients
from .lines import docstring, in_all
from .op import Op
from .skeleton import Skeleton

SCHEMA = 1

_YAML_BREAKS = str.maketrans(dict.fromkeys("\x85\u2028\u2029", " "))
"""Characters in comments of a spec's code that YAML takes for ends of lines, and does not read
back.
"""

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


def data(package_spec: PackageSpec) -> Data:
    """Return the data of a package, with the operators in the order in which ruff sorts imports."""
    ops = sorted(map(Op, package_spec.ops), key=lambda op: op.name.lower())
    return {
        "schema": SCHEMA,
        "package": _package_data(package_spec, ops),
        "ops": [_op_data(op) for op in ops],
    }


def _package_data(package_spec: PackageSpec, ops: list[Op]) -> PackageData:
    package = package_spec.package
    is_native = any(op.spec.is_native for op in ops)
    has_openvino = "openvino" in package.runtimes
    names = ["Verification", "export", "translation_table", "verify"]
    names += ["library_path", "session", "session_options"] if is_native else []
    names += ["openvino_extension"] if has_openvino else []
    names += [name for op in ops for name in op.public]
    modules = [module.partition(".")[0] for spec in package_spec.ops for module in spec.requires]
    return {
        "name": package.name,
        "explicit_name": package_spec.explicit_name,
        "distribution": package.name.replace("_", "-"),
        "version": package.version,
        "description": package.description,
        "description_literal": _toml_string(package.description),
        "license": package.license,
        "authors_literal": [_author(author) for author in package.authors],
        # The doc of an only operator is the package's.
        "docstring": ops[0].docstring if len(ops) == 1 else docstring(package.description),
        "public_names": sorted(names, key=in_all),
        "required_distributions": [*dict.fromkeys(modules)],
        "is_native": is_native,
        "has_openvino": has_openvino,
        "has_cuda": "cuda" in package.runtimes,
    }


def _op_data(op: Op) -> OpData:
    spec, schema = op.spec, op.schema
    cpp = cpp_op(spec) if spec.is_native else None
    is_unwritten = isinstance(spec.kernel, Source) and not spec.kernel.is_given
    data = _filled(
        OpData,
        op,
        kernel_file=spec.kernel_file,
        file=spec.file,
        schema=spec.schema_text,
        registered=schema.registered,
        requires=spec.requires,
        is_elementwise=op.kernel_type == "elementwise",
        is_source=op.kernel_type == "source",
        is_composed=op.kernel_type == "composed",
        is_existing=op.kernel_type == "existing",
        is_native=spec.is_native,
        operator=spec.op,
        title=schema.title,
        entry=spec.entry,
        given_name=schema.given_name,
        class_name=spec.class_name,
        doc=spec.doc,
        autocast=spec.autocast,
        domain=spec.domain,
        default_domain=spec.default_domain,
        op_type=spec.op_type,
        version=spec.version,
        results=schema.results,
        has_several=schema.has_several,
        parameters=[_filled(ParameterData, parameter) for parameter in op.parameters],
        onnx=_filled(OnnxData, spec.mapping),
        dtypes=spec.dtypes,
        is_boolean=spec.is_boolean,
        checked_scalars=spec.checked_scalars,
        gradients=_gradients_data(op.gradients),
        kernel_gradients=spec.kernel_gradients,
        reference_gradients=spec.reference_gradients,
        integer_tensors=spec.integer_tensors,
        has_reference=spec.has_reference,
        reference=op.reference and _filled(ReferenceData, op.reference),
        composed=op.composed and _filled(ComposedData, op.composed),
        cpp=cpp and _cpp_data(cpp, spec),
        skeleton=_skeleton_data(cpp.skeleton) if cpp and is_unwritten else None,
        has_cuda_kernel=spec.has_cuda_kernel,
        cuda_file=spec.cuda_file,
        cuda_skeleton=_is_unwritten_for_cuda(spec),
        samples=[_filled(SampleData, sample) for sample in op.samples],
        refusals=[_filled(RefusalData, refusal) for refusal in op.refusals],
        example=_filled(ExampleData, op.example),
        in_place=_in_place(schema),
    )
    if data["in_place"] is None:
        del data["in_place"]  # most packages do not have the key
    return data


def _in_place(schema: OpSchema) -> InPlaceData | None:
    """Return the operator that writes to arguments, of which the schema is the functional form."""
    if not schema.in_place:
        return None
    count = len(schema.results) - len(schema.writes)
    several = "Tensor" if count == 1 else "tuple[Tensor, ...]"
    return {
        "name": schema.declared_name,
        "schema": schema.in_place,
        "writes": [*schema.writes],
        "returned": several if count else "None",
    }


def _is_unwritten_for_cuda(spec: Spec) -> bool:
    cuda = spec.kernel.cuda if isinstance(spec.kernel, Source) else None
    return cuda is not None and not cuda.is_given


def _gradients_data(gradients: Gradients) -> GradientsData:
    of = [
        _filled(GradientData, gradient, statement=gradient.statement if gradient.formula else "")
        for gradient in gradients.of
    ]
    return _filled(GradientsData, gradients, of=of)


def _cpp_data(cpp: CppOp, spec: Spec) -> CppData:
    arguments = [
        _filled(
            CppArgumentData,
            argument,
            is_tensor=argument in cpp.tensors,
            is_checked=argument in cpp.checked_scalars,
        )
        for argument in cpp.arguments
    ]
    return _filled(
        CppData,
        cpp,
        arguments=arguments,
        results=[_filled(CppResultData, result) for result in cpp.results],
        returned=[_filled(CppResultData, result) for result in cpp.returned],
        definitions=definitions(spec) if spec.kernel_file else [],
        functional=cpp.functional and _filled(FunctionalData, cpp.functional),
    )


def _skeleton_data(skeleton: Skeleton) -> SkeletonData:
    return _filled(SkeletonData, skeleton, results=skeleton.infer_body)


_Dict = TypeVar("_Dict")


def _filled(data_type: type[_Dict], source: object, **values: Any) -> _Dict:
    """Return a dictionary of this type: its keys from ``values``, the others from the source's
    attributes.
    """
    filled: dict[str, Any] = {}
    for key in data_type.__annotations__:
        value = values[key] if key in values else getattr(source, key)
        filled[key] = _plain(value)
    result: Any = filled
    return result  # type: ignore[no-any-return]


def _plain(value: object) -> Any:
    """Return the value with lists for tuples. Raise TypeError for an object."""
    if isinstance(value, str):
        return value.translate(_YAML_BREAKS)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} is not plain data")


def _toml_string(text: str) -> str:
    """Return a TOML basic string; the text has no control characters."""
    return json.dumps(text, ensure_ascii=False)


def _author(author: str) -> str:
    name, _, mail = author.partition("<")
    fields = [f"name = {_toml_string(name.strip())}"]
    if mail:
        fields.append(f"email = {_toml_string(mail.strip().rstrip('>'))}")
    return f"{{ {', '.join(fields)} }}"
