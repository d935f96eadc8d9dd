"""The C++ side of the package: the kernel's arithmetic and its bindings."""

from __future__ import annotations

from typing import Any

from onnxop import cppcode, expression, names, pycode
from onnxop.schema import Argument
from onnxop.signatures import parameters, schema_text
from onnxop.spec import FLOATS, Spec

_CPP_TYPES = {"float": "double", "int": "int64_t", "bool": "bool"}

# What the C++ files name beside the arguments.
_CPP_TAKEN = frozenset(
    "out parallel_for function element infer compute call view allocate output_view op py m T "
    "Tensor TensorView TensorSpec MutableTensorView Compute Supported kGrain kName std torch "
    "functions torch_parallel_for int64_t options release".split()
)


def kernel_code(spec: Spec) -> dict[str, Any]:
    """The C++ side: names that C++ or the bindings keep for themselves get an underscore."""
    schema = spec.schema
    local = {a.name: names.free(names.cpp(a.name), _CPP_TAKEN) for a in schema.arguments}
    taken = {*local.values(), *_CPP_TAKEN}
    tensor_names = [local[a.name] for a in schema.tensors]
    scalar_names = [local[a.name] for a in schema.scalars]
    views = {a.name: names.free(f"{local[a.name]}_view", taken) for a in schema.tensors}
    output, spec_name = names.free("output", taken), names.free("spec", taken)
    call_words = [*views.values(), *scalar_names, "torch_parallel_for"]
    is_integer = len(spec.dtypes) > len(FLOATS)
    has_calls = bool(expression.functions(spec.elementwise))
    return {
        "grain": 2048 if has_calls else 32768,
        "cpp_supported": "NumberTypes" if is_integer else "FloatTypes",
        "cpp_tensors": ", ".join(tensor_names),
        "cpp_output": output,
        "cpp_spec": spec_name,
        "cpp_views": ", ".join(views.values()),
        "cpp_schema": cppcode.string(schema_text(spec)),
        **_kernel(spec, local),
        "view_lines": [
            f'  const TensorView {views[a.name]} = view(kName, "{a.name}", {local[a.name]});'
            for a in schema.tensors
        ],
        "compute_call": cppcode.call(
            "compute(", [f"output_view({output}, {spec_name})", *call_words], ");", indent=2
        ),
        "call_declaration": cppcode.call(
            "torch::stable::Tensor call(",
            _cpp_parameters(schema.arguments, local, "const torch::stable::Tensor&"),
            ");",
        ),
        "call_definition": cppcode.call(
            "Tensor call(", _cpp_parameters(schema.arguments, local, "const Tensor&"), ") {"
        ),
        **_python_binding(spec, local),
    }


def _cpp_parameters(
    arguments: tuple[Argument, ...], local: dict[str, str], tensor_type: str
) -> list[str]:
    types = {"Tensor": tensor_type, **_CPP_TYPES}
    return [f"{types[argument.type]} {local[argument.name]}" for argument in arguments]


def _kernel(spec: Spec, local: dict[str, str]) -> dict[str, Any]:
    """The arithmetic of one element, and the loop over them."""
    schema = spec.schema
    ordered = (*schema.tensors, *schema.scalars)
    used = expression.names(spec.elementwise)
    element_types = {"Tensor": "T", "float": "T", "int": "int64_t", "bool": "bool"}
    element = [
        f"{element_types[a.type]} {local[a.name]}" if a.name in used else element_types[a.type]
        for a in ordered
    ]
    captures = ", ".join(
        f"{local[a.name]} = Compute<T>({local[a.name]})" if a.type == "float" else local[a.name]
        for a in schema.scalars
    )
    parameters = ", ".join(f"Compute<T> {local[a.name]}" for a in schema.tensors)
    returned = f"return element({', '.join(local[a.name] for a in ordered)});"
    head = f"const auto function = [{captures}]({parameters}) {{"
    one_line = f"{head} {returned} }};"
    views = [f"const TensorView& {local[a.name]}" for a in schema.tensors]
    scalars = [f"{_CPP_TYPES[a.type]} {local[a.name]}" for a in schema.scalars]
    return {
        "element_def": cppcode.call("T element(", element, ") {"),
        "element_expression": cppcode.to_cpp(
            spec.elementwise,
            local,
            booleans={a.name for a in schema.scalars if a.type == "bool"},
            integers={a.name for a in schema.scalars if a.type == "int"},
        ),
        "element_call": (
            [f"    {one_line}"]
            if len(one_line) <= cppcode.WIDTH - 4
            else [f"    {head}", f"      {returned}", "    };"]
        ),
        "infer_def": cppcode.call("inline TensorSpec infer(", views, ") {"),
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


def _python_binding(spec: Spec, local: dict[str, str]) -> dict[str, Any]:
    schema = spec.schema
    tensors_ = {
        a.name: names.free(f"{local[a.name]}_tensor", local.values()) for a in schema.tensors
    }
    op = f"{spec.namespace}::{schema.name}"
    arguments: list[str] = []
    for argument in schema.arguments:
        if argument.keyword_only and "py::kw_only()" not in arguments:
            arguments.append("py::kw_only()")
        # A number for a boolean, or a boolean for a number, is a mistake.
        strict = ".noconvert()" if argument.type == "bool" else ""
        default = ""
        if argument.has_default:
            default = f" = {str(argument.default).lower()}"
            if argument.type == "int":
                default = f" = int64_t{{{argument.default}}}"
        arguments.append(f'py::arg("{argument.name}"){strict}{default}')
    types = {"Tensor": "torch.Tensor"}
    signature = f"{schema.name}({', '.join(parameters(schema.arguments, types))}) -> torch.Tensor"
    note = f"{spec.doc} Calls the CPU kernel itself, without autograd."
    return {
        "python_call_definition": cppcode.call(
            "py::object call(",
            _cpp_parameters(schema.arguments, local, "const py::object&"),
            ") {",
        ),
        "tensor_lines": [
            f'  const auto {tensors_[a.name]} = op::tensor_from("{op}", "{a.name}", {local[a.name]});'
            for a in schema.tensors
        ],
        "python_call_arguments": ", ".join(
            tensors_.get(a.name, local[a.name]) for a in schema.arguments
        ),
        "python_arguments": tuple(arguments),
        "python_docstring": "\n        ".join(
            cppcode.string(line) for line in _docstring_lines(signature, note)
        ),
        "stub_def": pycode.call(
            f"def {schema.name}(", parameters(schema.arguments), ") -> Tensor: ..."
        ),
    }


def _docstring_lines(signature: str, note: str) -> list[str]:
    return [
        f"{signature}\n\n",
        *(f"{line}\n" for line in note.splitlines()[:-1]),
        note.splitlines()[-1],
    ]
