"""The C++ that hosts the kernel in ONNX Runtime: a node of the operator's domain."""

from __future__ import annotations

from typing import Any

from . import cppcode, cpptypes, names
from .binding_code import literal
from .graph import TORCH_TYPES
from .kernel_code import locals_of, outputs_of, taken
from .schema import Argument
from .spec import Elementwise, Source, Spec


def runtime_code(spec: Spec) -> dict[str, Any]:
    if not spec.is_native:
        return {}
    local = locals_of(spec)
    occupied = {*taken(spec), "attributes"}
    outputs = [names.claim("output", occupied)]
    if spec.schema.has_several:
        outputs = outputs_of(spec)
    tensors = [argument for argument in spec.arguments if argument.is_tensor]
    scalars = [argument for argument in spec.arguments if not argument.is_tensor]
    members = {a.name: names.claim(f"{local[a.name]}_", occupied) for a in scalars}
    comment = f"Registers {spec.op} with ONNX Runtime: a library of custom ops."
    return {
        "onnxruntime_comment": cppcode.comment(comment),
        "onnxruntime_std_includes": _std_includes(tensors, scalars),
        "onnxruntime_includes": _includes(spec),
        "onnxruntime_domain": cppcode.string(spec.domain),
        "onnxruntime_op_type": cppcode.string(spec.op_type),
        "onnxruntime_outputs": _outputs(spec),
        "onnxruntime_inputs": [f"      {_port(spec, a)}," for a in tensors],
        "onnxruntime_constructor": _constructor(scalars, members),
        "onnxruntime_infer_definition": cppcode.call(
            f"{cpptypes.outputs(spec.schema)} infer(",
            [f"{cpptypes.inference(a)} {local[a.name]}" for a in tensors],
            ") const {",
            indent=2,
        ),
        "onnxruntime_infer_call": _infer_call(spec, local, members),
        "onnxruntime_compute_definition": cppcode.call(
            "void compute(",
            [
                *(f"const MutableTensorView& {output}" for output in outputs),
                *(f"{cpptypes.kernel(a)} {local[a.name]}" for a in tensors),
                "const ort::ParallelFor& parallel_for",
            ],
            ") const {",
            indent=2,
        ),
        "onnxruntime_compute_call": cppcode.call(
            "op::compute(",
            [*outputs, *_passed(spec, local, members), "parallel_for"],
            ");",
            indent=4,
        ),
        "has_attributes": bool(scalars),
        "onnxruntime_members": [f"  {_owned(a)} {members[a.name]};" for a in scalars],
    }


def _std_includes(tensors: list[Argument], scalars: list[Argument]) -> list[str]:
    used = {"array": True}
    used["cstdint"] = bool(scalars)
    used["optional"] = any(argument.is_optional for argument in (*tensors, *scalars))
    used["string"] = any(argument.kind == "str" for argument in scalars)
    used["vector"] = any(argument.is_list for argument in scalars)
    return [f"#include <{header}>" for header in sorted(used) if used[header]]


def _includes(spec: Spec) -> list[str]:
    return [f'#include "{header}"' for header in sorted([spec.kernel_file, "onnxruntime_host.h"])]


def _port(spec: Spec, argument: Argument) -> str:
    """An input: of the first tensor's dtype, or of the one that the samples have for it."""
    words = [f'.name = "{argument.name}"']
    if kind := _type_of_input(spec, argument.name):
        words.append(f".type = ort::ElementType::{kind}")
    if argument.is_optional:
        words.append(".is_optional = true")
    return f"ort::Port{{{', '.join(words)}}}"


def _type_of_input(spec: Spec, name: str) -> str:
    """The input's element type; nothing where it is the first tensor's."""
    first = spec.schema.tensors[0].name
    if not isinstance(spec.kernel, Source) or name == first:
        return ""
    pairs = [
        (sample[first].dtype, sample[name].dtype)
        for sample in spec.samples
        if name in sample and sample[name].dtype
    ]
    others = {other for _, other in pairs}
    if all(one == other for one, other in pairs):
        return ""
    return _enumerator(others.pop()) if len(others) == 1 else "any"


def _enumerator(dtype: str) -> str:
    return "boolean" if dtype == "bool" else dtype


def _outputs(spec: Spec) -> list[str]:
    """The outputs, each of the first tensor's dtype or of the one that it is known to have."""
    head = "  static constexpr std::array kOutputs{"
    results = spec.schema.results if spec.schema.has_several else ("output",)
    ports: list[str] = []
    for name in results:
        words = [f'.name = "{name}"']
        kind = _type_of(spec, len(ports))
        if kind:
            words.append(f".type = ort::ElementType::{kind}")
        if len(results) > 1:  # a node may leave out what nothing needs
            words.append(".is_optional = true")
        ports.append(f"ort::Port{{{', '.join(words)}}}")
    if len(ports) == 1 and len(f"{head}{ports[0]}}};") <= cppcode.WIDTH:
        return [f"{head}{ports[0]}}};"]
    return [head, *(f"      {port}," for port in ports), "  };"]


def _type_of(spec: Spec, place: int) -> str:
    """The output's element type as the mapping has it; nothing where it is the first tensor's, and
    ``any`` where the mapping does not tell, so that infer() is to say.
    """
    if isinstance(spec.kernel, Elementwise):
        return "boolean" if spec.is_boolean else ""
    graph = spec.mapping.torchscript_graph
    kind = graph.type_of_result(place) if spec.mapping.is_given else None
    if kind is None or not (kind.like or kind.fixed in TORCH_TYPES):
        return "any"
    if kind.like:
        return _type_of_input(spec, kind.like)
    return _enumerator(TORCH_TYPES[kind.fixed])


def _owned(argument: Argument) -> str:
    """The type that holds an attribute's value."""
    return cpptypes.host(argument).removeprefix("const ").removesuffix("&")


def _constructor(scalars: list[Argument], members: dict[str, str]) -> list[str]:
    if not scalars:
        return ["  explicit Node(const ort::Attributes&) {}"]
    lines = ["  explicit Node(const ort::Attributes& attributes)"]
    for position, argument in enumerate(scalars):
        lead = "  " if position else ": "
        tail = ") {}" if position == len(scalars) - 1 else "),"
        head = f"{lead}{members[argument.name]}("
        lines += cppcode.call(head, [_read(argument)], tail, indent=6, hanging=12)
    return lines


def _read(argument: Argument) -> str:
    """The attribute's value; of an optional argument, None where it is absent."""
    key = f'"{argument.name}"'
    if argument.length:
        key = f"{{{key}, {argument.length}}}"
    owned = _owned(argument)
    if argument.is_optional:
        inner = owned.removeprefix("std::optional<").removesuffix(">")
        return f"attributes.find<{inner}>({key})"
    if not argument.has_default:
        return f"attributes.get<{owned}>({key})"
    value = argument.default
    if isinstance(value, tuple):
        default = f"{{{', '.join(literal(item, argument) for item in value)}}}"
    else:
        default = literal(value, argument)
    return f"attributes.get<{owned}>({key}, {default})"


def _passed(spec: Spec, local: dict[str, str], members: dict[str, str]) -> list[str]:
    """The arguments of compute(): in order, or, of an elementwise kernel, tensors first."""
    arguments = list(spec.arguments)
    if isinstance(spec.kernel, Elementwise):
        arguments.sort(key=lambda argument: not argument.is_tensor)
    return [members.get(a.name, local[a.name]) for a in arguments]


def _infer_call(spec: Spec, local: dict[str, str], members: dict[str, str]) -> list[str]:
    if isinstance(spec.kernel, Elementwise):
        tensors = [local[a.name] for a in spec.schema.tensors]
        return cppcode.call("return ort::infer_open(", ["op::infer", *tensors], ");", indent=4)
    words: list[str] = []
    for argument in spec.arguments:
        word = members.get(argument.name, local[argument.name])
        is_sizes = argument.is_symbolic and argument.is_list
        words.append(f"sizes_of({word})" if is_sizes else word)
    return cppcode.call("return op::infer(", words, ");", indent=4)
