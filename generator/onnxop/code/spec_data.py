"""Specs → the data of the templates, in the form that `data` describes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from onnxop_runtime.specs.op_schema import OpSchema

from ..kernel.kernel_kinds import Source
from ..spec.model import PackageSpec, Spec
from .cpp import CppOp, cpp_op, definitions
from .data import (
    SCHEMA,
    ComposedData,
    CppArgumentData,
    CppData,
    CppResultData,
    Data,
    ExampleData,
    FunctionalData,
    GradientData,
    GradientsData,
    InPlaceData,
    OnnxData,
    OpData,
    PackageData,
    ParameterData,
    ReferenceData,
    RefusalData,
    SampleData,
    SkeletonData,
)
from .gradient_data import Gradients
from .lines import docstring, in_all
from .op import Op
from .skeleton import Skeleton

_YAML_BREAKS = str.maketrans(dict.fromkeys("\x85\u2028\u2029", " "))
"""Characters in comments of a spec's code that YAML takes for ends of lines, and does not read
back.
"""


def data_of(package_spec: PackageSpec) -> Data:
    """Return the data of a package, with the operators in the order in which ruff sorts imports."""
    ops = sorted(map(Op, package_spec.ops), key=lambda op: op.name.lower())
    return {
        "schema": SCHEMA,
        "package": _package_data(package_spec, ops),
        "ops": [_op_data(op, "cuda" in package_spec.package.runtimes) for op in ops],
    }


def _package_data(package_spec: PackageSpec, ops: list[Op]) -> PackageData:
    """Return what templates read of the package."""
    package = package_spec.package
    is_native = any(op.spec.is_native for op in ops)
    has_openvino = "openvino" in package.runtimes
    names = ["Verification", "export", "translation_table", "verify"]
    if is_native:
        names += ["library_path", "session", "session_options"]
    if has_openvino:
        names.append("openvino_extension")
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


def _op_data(op: Op, package_has_cuda: bool) -> OpData:
    """Return what templates read of an operator."""
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
        devices_doc=op.devices_doc(package_has_cuda) if spec.is_native else "",
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
    """Return what templates read of an operator's C++."""
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
