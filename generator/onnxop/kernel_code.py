"""The kernel's own C++ file: an elementwise kernel's arithmetic, or the first version of one that
the user writes.
"""

from __future__ import annotations

from typing import Any

from . import cppcode, cppexpr, cpptypes, expression, names
from .first_version import FirstVersion
from .signatures import gradient_names
from .spec import FLOATS, INTEGERS, Elementwise, Source, Spec

# What the C++ files name beside the arguments.
_TAKEN = frozenset(
    "out parallel_for function element infer compute backward call call_backward call_infer view "
    "dense meta_of view_of allocate output_view output_views op py m T Tensor TensorView TensorMeta "
    "TensorSpec OutputSpec MutableTensorView Compute Supported Size PythonSizes kGrain kName std "
    "ort torch functions torch_parallel_for int64_t options release concrete check_gradient grad wants "
    "sizes".split()
)


def locals_of(spec: Spec) -> dict[str, str]:
    """What the arguments are called in C++: those that it, or we, keep for others get an underscore."""
    return {a.name: names.free(names.cpp(a.name), _TAKEN) for a in spec.arguments}


def outputs_of(spec: Spec) -> list[str]:
    """What compute() calls the outputs: by their names, or ``out0`` and so on."""
    if not spec.schema.has_several:
        return ["out"]
    occupied = {*locals_of(spec).values(), *_TAKEN}
    return [
        names.claim(f"out{place}" if name == f"result{place}" else names.cpp(name), occupied)
        for place, name in enumerate(spec.schema.results)
    ]


def gradients_of(spec: Spec) -> dict[str, str]:
    """What backward() calls the gradients that come in, by what the operator calls them."""
    words = gradient_names(spec.schema)
    if not spec.schema.has_several:
        return {words[0]: words[0]}
    occupied = taken(spec)
    return {word: names.claim(word, occupied) for word in words}


def taken(spec: Spec) -> set[str]:
    """The names that a further local of the C++ files must not have."""
    outputs = outputs_of(spec) if spec.schema.has_several else []
    return {*locals_of(spec).values(), *outputs, *_TAKEN}


def kernel_code(spec: Spec) -> dict[str, Any]:
    match spec.kernel:
        case Elementwise(expression=tree):
            code = _elementwise(spec, tree)
        case Source() as source:
            code = _first_version(spec, source)
        case _:
            return {"kernel_file": "", "is_elementwise": False, "is_source": False}
    name_definition = [f'inline constexpr std::string_view kName = "{spec.op}";']
    if len(name_definition[0]) > cppcode.WIDTH:
        name_definition = ["inline constexpr std::string_view kName =", f'    "{spec.op}";']
    return {
        "kernel_file": spec.kernel_file,
        "is_elementwise": isinstance(spec.kernel, Elementwise),
        "is_source": isinstance(spec.kernel, Source),
        "name_definition": name_definition,
        **code,
    }


def _elementwise(spec: Spec, tree: expression.Expression) -> dict[str, Any]:
    """The arithmetic of one element, and the loop over them."""
    schema, local = spec.schema, locals_of(spec)
    ordered = (*schema.tensors, *schema.scalars)
    used = expression.names(tree)
    element_types = {"Tensor": "T", "float": "T", "Scalar": "T", "int": "int64_t", "bool": "bool"}
    element = [
        f"{element_types[a.kind]} {local[a.name]}" if a.name in used else element_types[a.kind]
        for a in ordered
    ]
    captures = [
        f"{local[a.name]} = Compute<T>({local[a.name]})"
        if element_types[a.kind] == "T"
        else local[a.name]
        for a in schema.scalars
    ]
    views = [f"const TensorView& {local[a.name]}" for a in schema.tensors]
    scalars = [f"{cpptypes.kernel(a)} {local[a.name]}" for a in schema.scalars]
    tensors = [local[a.name] for a in schema.tensors]
    inputs = names.free("inputs", taken(spec))
    comment = f"The kernel of {spec.op}: its arithmetic, what it accepts and what it gives."
    return {
        "kernel_comment": cppcode.comment(comment),
        "grain": 2048 if expression.functions(tree) else 32768,
        "cpp_supported": _SUPPORTED[spec.dtypes],
        "is_boolean": spec.is_boolean,
        "first_tensor_cpp": tensors[0],
        "element_def": cppcode.call(
            f"{'bool' if spec.is_boolean else 'T'} element(", element, ") {"
        ),
        "element_body": cppexpr.to_statements(
            tree,
            local,
            booleans={a.name for a in schema.scalars if a.kind == "bool"},
            integers={a.name for a in schema.scalars if a.kind == "int"},
            taken=_TAKEN,
        ),
        "scalar_checks": [
            line
            for name in spec.checked_scalars
            for line in _scalar_check(tensors[0], name, local[name])
        ],
        "element_call": cppcode.function(
            "const auto function = ",
            captures,
            [f"Compute<T> {name}" for name in tensors],
            ["return element(", *(local[a.name] for a in ordered)],
            indent=4,
        ),
        "elementwise_call": _with_inputs(
            f"elementwise<T{', bool' * spec.is_boolean}>(out, ",
            tensors,
            ", kGrain, parallel_for, function);",
            inputs,
            indent=4,
        ),
        "infer_def": cppcode.call("inline TensorSpec infer(", views, ") {"),
        "infer_body": _with_inputs(
            "return infer_elementwise<Supported>(kName, ",
            tensors,
            ", Dtype::boolean);" if spec.is_boolean else ");",
            inputs,
            indent=2,
        ),
        "compute_def": cppcode.call(
            "void compute(",
            [
                "const MutableTensorView& out",
                *views,
                *scalars,
                "const ParallelFor& parallel_for",
            ],
            ") {",
        ),
    }


_SUPPORTED = {
    FLOATS[:2]: "Types<float, double>",
    FLOATS: "FloatTypes",
    (*FLOATS, *INTEGERS): "NumberTypes",
    (*FLOATS, *INTEGERS, "bool"): "AllTypes",
}
"""The C++ types of `Spec.dtypes`."""


def _with_inputs(
    head: str, tensors: list[str], tail: str, inputs: str, *, indent: int
) -> list[str]:
    """A call whose argument is the array of the tensors; named before, where it is long."""
    pad = " " * indent
    one_line = f"{pad}{head}std::array{{{', '.join(tensors)}}}{tail}"
    if len(one_line) <= cppcode.WIDTH:
        return [one_line]
    array = cppcode.call(f"const std::array {inputs}{{", tensors, "};", indent=indent)
    return [*array, f"{pad}{head}{inputs}{tail}"]


def _scalar_check(tensor: str, name: str, local: str) -> list[str]:
    return cppcode.call("check_scalar(", ["kName", tensor, f'"{name}"', local], ");", indent=2)


def _first_version(spec: Spec, source: Source) -> dict[str, Any]:
    """All but the arithmetic of a kernel that the user is to write."""
    local = locals_of(spec)
    comment = (
        f"The kernel of {spec.op}: what it accepts, what it gives, and its arithmetic. This file "
        "is yours: onnxop wrote its first version, and merges later ones into it."
    )
    views = [f"{cpptypes.kernel(a)} {local[a.name]}" for a in spec.arguments]
    inputs = [f"{cpptypes.inference(a)} {local[a.name]}" for a in spec.arguments]
    outputs, grads = outputs_of(spec), gradients_of(spec)
    occupied = {*taken(spec), *grads.values()}
    gradients = {name: names.claim(f"grad_{name}", occupied) for name in spec.kernel_gradients}
    first = FirstVersion(spec, local, outputs, grads, gradients)
    parallel_for = "const ParallelFor& parallel_for"
    return {
        "kernel_comment": cppcode.comment(comment),
        "infer_def": cppcode.call(f"inline {cpptypes.outputs(spec.schema)} infer(", inputs, ") {"),
        "compute_def": cppcode.call(
            "void compute(",
            [*(f"const MutableTensorView& {name}" for name in outputs), *views, parallel_for],
            ") {",
        ),
        "has_backward": bool(gradients),
        "backward_def": cppcode.call(
            "void backward(",
            [
                *(f"const std::optional<MutableTensorView>& {g}" for g in gradients.values()),
                *(f"const TensorView& {name}" for name in grads.values()),
                *views,
                parallel_for,
            ],
            ") {",
        ),
        **first.code(),
    }
