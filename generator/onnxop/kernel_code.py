"""The C++ side of the package: the kernel's arithmetic and its bindings."""

from __future__ import annotations

from typing import Any

from onnxop import cppcode, cppexpr, expression, names, pycode
from onnxop.schema import Argument
from onnxop.signatures import parameters, schema_text, with_star
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
    scalar_names = [local[a.name] for a in schema.scalars]
    views = {a.name: names.free(f"{a.name}_view", taken) for a in schema.tensors}
    output, spec_name = names.free("output", taken), names.free("spec", taken)
    call_words = [*views.values(), *scalar_names, "torch_parallel_for"]
    is_integer = len(spec.dtypes) > len(FLOATS)
    has_calls = bool(expression.functions(spec.elementwise))
    return {
        "grain": 2048 if has_calls else 32768,
        "cpp_supported": "NumberTypes" if is_integer else "FloatTypes",
        "cpp_output": output,
        "cpp_spec": spec_name,
        "infer_call": cppcode.call(
            f"const TensorSpec {spec_name} = infer(", [*views.values()], ");", indent=2
        ),
        "registration": _registration(schema_text(spec)),
        **_names(spec),
        **_kernel(spec, local),
        "view_lines": [
            line
            for a in schema.tensors
            for line in cppcode.call(
                f"const TensorView {views[a.name]} = view(",
                ["kName", f'"{a.name}"', local[a.name]],
                ");",
                indent=2,
            )
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
    captures = [
        f"{local[a.name]} = Compute<T>({local[a.name]})" if a.type == "float" else local[a.name]
        for a in schema.scalars
    ]
    views = [f"const TensorView& {local[a.name]}" for a in schema.tensors]
    scalars = [f"{_CPP_TYPES[a.type]} {local[a.name]}" for a in schema.scalars]
    tensors = [local[a.name] for a in schema.tensors]
    inputs = names.free("inputs", {*local.values(), *_CPP_TAKEN})
    return {
        "element_def": cppcode.call("T element(", element, ") {"),
        "element_body": cppexpr.to_statements(
            spec.elementwise,
            local,
            booleans={a.name for a in schema.scalars if a.type == "bool"},
            integers={a.name for a in schema.scalars if a.type == "int"},
            taken=_CPP_TAKEN,
        ),
        "element_call": cppcode.function(
            "const auto function = ",
            captures,
            [f"Compute<T> {name}" for name in tensors],
            ["return element(", *(local[a.name] for a in ordered)],
            indent=4,
        ),
        "elementwise_call": _with_inputs(
            "elementwise<T>(out, ", tensors, ", kGrain, parallel_for, function);", inputs, indent=4
        ),
        "infer_def": cppcode.call("inline TensorSpec infer(", views, ") {"),
        "infer_body": _with_inputs(
            "return infer_elementwise<Supported>(kName, ", tensors, ");", inputs, indent=2
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


def _registration(schema: str) -> list[str]:
    one_line = f"  m.def({cppcode.string(schema)});"
    if len(one_line) <= cppcode.WIDTH:
        return [one_line]
    *lines, last = cppcode.strings(schema, indent=6)
    return ["  m.def(", *lines, f"{last});"]


def _names(spec: Spec) -> dict[str, list[str]]:
    """The lines that the operator's name stands in, which may be long."""
    op = spec.op
    name_definition = [f'inline constexpr std::string_view kName = "{op}";']
    if len(name_definition[0]) > cppcode.WIDTH:
        name_definition = ["inline constexpr std::string_view kName =", f'    "{op}";']
    return {
        "name_definition": name_definition,
        "kernel_comment": cppcode.comment(
            f"The kernel of {op}: its arithmetic, what it accepts and what it gives."
        ),
        "header_comment": cppcode.comment(f"{op} on PyTorch's tensors."),
        "registration_comment": cppcode.comment(
            f"Registers {op} with PyTorch's dispatcher, through libtorch's stable ABI."
        ),
        "module_comment": cppcode.comment(
            f"The extension module _kernel: importing it registers {op}, and it has the kernel as "
            "a function."
        ),
    }


def _python_binding(spec: Spec, local: dict[str, str]) -> dict[str, Any]:
    schema = spec.schema
    tensors_ = {a.name: names.free(f"{a.name}_tensor", local.values()) for a in schema.tensors}
    arguments: list[str] = []
    for argument in schema.arguments:
        # A number for a boolean, or a boolean for a number, is a mistake.
        strict = ".noconvert()" if argument.type == "bool" else ""
        default = ""
        if argument.has_default:
            default = f" = {str(argument.default).lower()}"
            if argument.type == "int":
                default = f" = int64_t{{{_int64(argument.default)}}}"
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
            line
            for a in schema.tensors
            for line in cppcode.call(
                f"const auto {tensors_[a.name]} = op::tensor_from(",
                [f'"{spec.op}"', f'"{a.name}"', local[a.name]],
                ");",
                indent=2,
            )
        ],
        "python_call": cppcode.call(
            "return op::call(",
            [tensors_.get(a.name, local[a.name]) for a in schema.arguments],
            ");",
            indent=4,
        ),
        "python_arguments": [
            f"        {argument},"
            for argument in with_star(schema.arguments, arguments, "py::kw_only()")
        ],
        "python_docstring": cppcode.strings(f"{signature}\n\n{note}", indent=8),
        "stub_def": pycode.call(
            f"def {schema.name}(", parameters(schema.arguments), ") -> Tensor: ..."
        ),
    }


def _int64(value: object) -> str:
    """The literal; C++ reads the smallest as the negative of one that is too large."""
    return f"{-(2**63) + 1} - 1" if value == -(2**63) else str(value)
