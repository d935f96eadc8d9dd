"""Spec → template context: Python decides here, the templates only place."""

from __future__ import annotations

import ast
import json
import textwrap
from dataclasses import replace
from typing import Any

from onnxop import cppcode, expression, names, opsets, pycode, pyexpr, rules
from onnxop.derivatives import Formula
from onnxop.errors import listed
from onnxop.pycode import Lines
from onnxop.schema import Argument
from onnxop.spec import Refusal, Spec
from onnxop.tensors import Literal, RandomTensor, SampleValue

_FLOATS = ("float32", "float64", "float16", "bfloat16")
_INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
_CPP_TYPES = {"float": "double", "int": "int64_t", "bool": "bool"}

# What a module has already, so that an argument of that name is kept under another one.
_MODULE_ATTRIBUTES = frozenset(
    "T apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu "
    "load_state_dict modules mtia named_buffers named_children named_modules named_parameters "
    "parameters requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty "
    "train training type xpu zero_grad self".split()
)


def context(spec: Spec) -> dict[str, Any]:
    """Everything the templates name: code as text, its lines already indented and broken."""
    parts = (_names, _python, _onnx, _cpp, _tests, _readme)
    return {
        name: "\n".join(value) if isinstance(value, list) else value
        for part in parts
        for name, value in part(spec).items()
    }


def _names(spec: Spec) -> dict[str, Any]:
    schema, package = spec.schema, spec.package
    name, class_name = schema.name, names.camel(schema.name)
    public = ["Verification", class_name, f"{class_name}Function", "export", name]
    public += ["translation_table", "verify"]
    overload = schema.overload or "default"
    own = f"{spec.namespace}.{name}"
    return {
        "spec_text": spec.text,
        "package": package.name,
        "distribution": package.name.replace("_", "-"),
        "version": package.version,
        "description_literal": _toml_string(package.description),
        "license": package.license,
        "authors_literal": tuple(_author(author) for author in package.authors),
        "doc": spec.doc,
        "package_docstring": pycode.docstring(spec.doc),
        "schema": _schema_text(spec),
        "op": f"{spec.namespace}::{name}",
        "namespace": spec.namespace,
        "name": name,
        "operator": own,
        "class_name": class_name,
        "function_name": f"{class_name}Function",
        "import_op": pycode.import_from(
            f"{package.name}._op", [class_name, f"{class_name}Function", name]
        ),
        "public_names": tuple(sorted(public, key=_as_ruff_sorts)),
        "existing": f"{schema.namespace}.{name}.{overload}" if schema.exists else "",
        "existing_id": f"{schema.namespace}_{name}" if schema.exists else "",
        "existing_name": f"{schema.namespace}::{name}" if schema.exists else "",
    }


def _as_ruff_sorts(name: str) -> tuple[int, str]:
    """CONSTANTS, then Classes, then the rest."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2), name


def _toml_string(text: str) -> str:
    """A TOML basic string; the text holds no control characters."""
    return json.dumps(text, ensure_ascii=False)


def _author(author: str) -> str:
    name, _, mail = author.partition("<")
    fields = [f"name = {_toml_string(name.strip())}"]
    if mail:
        fields.append(f"email = {_toml_string(mail.strip().rstrip('>'))}")
    return f"{{ {', '.join(fields)} }}"


def _schema_text(spec: Spec) -> str:
    """The schema that the package registers, without its namespace."""
    parts: list[str] = []
    for argument in spec.schema.arguments:
        if argument.keyword_only and "*" not in parts:
            parts.append("*")
        default = f"={argument.default!r}" if argument.has_default else ""
        parts.append(f"{argument.type} {argument.name}{default}")
    return f"{spec.schema.name}({', '.join(parts)}) -> Tensor"


def _parameters(
    arguments: tuple[Argument, ...], types: dict[str, str] | None = None, *, plain: bool = False
) -> list[str]:
    """Python parameters with their types; ``plain`` leaves out defaults and the ``*``."""
    found: list[str] = []
    for argument in arguments:
        if argument.keyword_only and not plain and "*" not in found:
            found.append("*")
        kind = (types or {}).get(argument.type, argument.python_type)
        default = f" = {argument.default!r}" if argument.has_default and not plain else ""
        found.append(f"{argument.name}: {kind}{default}")
    return found


def _python(spec: Spec) -> dict[str, Any]:
    schema = spec.schema
    arguments = schema.arguments
    function = f"{names.camel(schema.name)}Function"
    inner = _without_self(arguments)
    call = [
        f"{a.name}={b.name}" if a.keyword_only else b.name
        for a, b in zip(arguments, inner, strict=True)
    ]
    tensor_names = [argument.name for argument in schema.tensors]
    several = len(tensor_names) > 1
    return {
        "dtypes": _dtypes(spec),
        "first_tensor": tensor_names[0],
        "tensors": tuple(tensor_names),
        "several_tensors": several,
        "scalars": tuple(argument.name for argument in schema.scalars),
        "test_tensors": _name_list("TENSORS", tensor_names),
        "test_scalars": _name_list("SCALARS", [argument.name for argument in schema.scalars]),
        "keyword_only": any(argument.keyword_only for argument in arguments),
        "positional_count": sum(not argument.keyword_only for argument in arguments),
        "call_operator": pycode.call(
            "result: Tensor = _operator(",
            [f"{a.name}={a.name}" if a.keyword_only else a.name for a in arguments],
            indent=4,
        ),
        "register_autograd": pycode.call(
            "torch.library.register_autograd(",
            ["OP", f"{function}.backward", f"setup_context={function}.setup_context"],
        ),
        "tensor_names": _name_list("_TENSORS", tensor_names),
        "fake_def": pycode.call("def _fake(", _parameters(arguments), ") -> Tensor:"),
        "fake_body": _fake_body(tensor_names),
        "forward_def": pycode.call(
            "def forward(", _parameters(inner, plain=True), ") -> Tensor:", indent=4
        ),
        "op_call": pycode.call("result: Tensor = _operator(", call, indent=8),
        "function_def": pycode.call(f"def {schema.name}(", _parameters(arguments), ") -> Tensor:"),
        "function_docstring": _function_docstring(spec),
        **_gradients(spec),
        **_module(spec),
    }


def _name_list(variable: str, words: list[str]) -> Lines:
    return pycode.display(f"{variable} = [", [f'"{word}"' for word in words], "]")


def _without_self(arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """The arguments as a method's parameters: ``self`` is called ``input``, as in PyTorch's docs."""
    new = names.free("input", [argument.name for argument in arguments])
    return tuple(replace(a, name=new) if a.name == "self" else a for a in arguments)


def _fake_body(tensor_names: list[str]) -> Lines:
    lines = pycode.call("_check(", tensor_names, indent=4)
    if len(tensor_names) == 1:
        return [*lines, f"    return {tensor_names[0]}.new_empty({tensor_names[0]}.shape)"]
    shapes = [f"{name}.shape" for name in tensor_names]
    lines += pycode.call("shape = _broadcast_shapes(", shapes, indent=4)
    return [*lines, f"    return {tensor_names[0]}.new_empty(shape)"]


def _dtypes(spec: Spec) -> tuple[str, ...]:
    """What the kernel computes with; integers only where the expression stays exact on them."""
    has_floats = any(argument.type == "float" for argument in spec.schema.scalars)
    exact = expression.is_integer_exact(spec.elementwise) and not has_floats
    return (*_FLOATS, *_INTEGERS) if exact else _FLOATS


def _function_docstring(spec: Spec) -> Lines:
    body = [spec.doc, "", "Args:"]
    broadcast = "; the shapes broadcast together" if len(spec.schema.tensors) > 1 else ""
    for argument in spec.schema.arguments:
        if argument.is_tensor:
            body.append(f"    {argument.name}: a tensor of any shape{broadcast}.")
        else:
            kind = {"float": "a float", "int": "an integer", "bool": "a boolean"}[argument.type]
            default = f"; {argument.default!r} by default" if argument.has_default else ""
            body.append(f"    {argument.name}: {kind}{default}.")
    shape = "of the broadcast shape" if broadcast else "of the same shape"
    body += ["", "Returns:", f"    A contiguous tensor {shape} and of the same dtype."]
    refusal = f"RuntimeError: the dtype is not {listed(_dtypes(spec), 'or')}"
    refusal += ", or the tensors differ in dtype or device, or do not broadcast" * bool(broadcast)
    wrapped = textwrap.wrap(f"{refusal}.", width=pycode.WIDTH - 8, subsequent_indent="    ")
    body += ["", "Raises:", *(f"    {line}" for line in wrapped)]
    lines = pycode.docstring("\n".join(body), indent=4)
    return lines


def _gradients(spec: Spec) -> dict[str, Any]:
    """The bodies of ``setup_context`` and ``backward``.

    Locals are named after the arguments, but for those that the methods name themselves.
    """
    schema = spec.schema
    taken = {"ctx", "inputs", "output", "grad", "result", "torch"}
    local = {a.name: names.free(a.name, taken) for a in schema.arguments}
    formulas = spec.derivatives or {}
    used = {name for formula in formulas.values() if formula for name in formula.uses}
    saved = [local[a.name] for a in schema.tensors if a.name in used]
    scalars = [local[a.name] for a in schema.scalars if a.name in used]
    reduced = [a for a in schema.tensors if formulas.get(a.name)] if len(schema.tensors) > 1 else []
    shapes = [f"{local[a.name]}_shape" for a in reduced]

    setup: Lines = []
    if saved or scalars or reduced:
        setup += pycode.unpack([local[a.name] for a in schema.arguments], "inputs", indent=8)
    values = saved + (["output"] if "result" in used else [])
    if values:
        setup += pycode.call("ctx.save_for_backward(", values, indent=8)
    if reduced:
        setup += pycode.tuple_of(
            "ctx.shapes = ", [f"{local[a.name]}.shape" for a in reduced], indent=8
        )
    if scalars:
        setup += pycode.tuple_of("ctx.scalars = ", scalars, indent=8)

    body: Lines = []
    loaded = saved + (["result"] if "result" in used else [])
    if loaded:
        body += pycode.unpack(loaded, "ctx.saved_tensors", indent=8)
    if reduced:
        body += pycode.unpack(shapes, "ctx.shapes", indent=8)
    if scalars:
        body += pycode.unpack(scalars, "ctx.scalars", indent=8)
    results: list[str] = []
    for position, argument in enumerate(schema.arguments):
        formula = formulas.get(argument.name)
        if not argument.is_tensor or (argument.name in formulas and formula is None):
            results.append("None")
            continue
        grad = f"grad_{argument.name}"
        if formula is None:
            body += pycode.indented(_no_formula(position, argument.name), 8)
            results.append("None")
            continue
        shape = f"{local[argument.name]}_shape" if argument in reduced else ""
        body += [
            f"        {grad} = None",
            f"        if ctx.needs_input_grad[{position}]:",
            f"            {grad} = {_gradient(formula, local, shape)}",
        ]
        results.append(grad)
    body += pycode.tuple_of("return ", results, indent=8)
    found = [a.name for a in schema.tensors if formulas.get(a.name)]
    return {
        "setup_context": setup or ["        pass"],
        "backward": body,
        "backward_type": "tuple[Tensor | None, ...]",
        "differentiable": bool(found),
        "test_differentiable": _name_list("DIFFERENTIABLE", found),
        "several_differentiable": len(found) > 1,
    }


def _no_formula(position: int, name: str) -> Lines:
    return [
        f"if ctx.needs_input_grad[{position}]:",
        "    raise NotImplementedError(",
        f'        f"{{OP}}: [autograd] in op.toml gives no formula for {name}"',
        "    )",
    ]


def _gradient(formula: Formula, local: dict[str, str], shape: str) -> str:
    node: ast.expr = ast.parse(formula.code, mode="eval").body
    if shape:
        node = ast.Call(ast.Attribute(node, "sum_to_size"), [ast.Name(shape)], [])
    return pyexpr.show(node, local)


def _tuple(words: list[str]) -> str:
    return f"({words[0]},)" if len(words) == 1 else ", ".join(words)


def _module(spec: Spec) -> dict[str, Any]:
    """The ``nn.Module``: tensors go to ``forward``, everything else to the constructor."""
    schema = spec.schema
    kept = {a.name: names.free(a.name, _MODULE_ATTRIBUTES) for a in schema.scalars}
    given = {a.name: "input" if a.name == "self" else a.name for a in schema.tensors}
    if len(set(given.values())) < len(given):
        given["self"] = names.free("input", given.values())
    words: list[str] = []
    for argument in schema.arguments:
        value = given.get(argument.name) or f"self.{kept[argument.name]}"
        words.append(f"{argument.name}={value}" if argument.keyword_only else value)
    scalars = tuple(a for a in schema.scalars)
    shown = ", ".join(f"{a.name}={{self.{kept[a.name]}}}" for a in scalars)
    return {
        "module_note": f", with {listed([f'`{a.name}`' for a in scalars])} fixed"
        if scalars
        else "",
        "init_def": pycode.call(
            "def __init__(", ["self", *_parameters(scalars)], ") -> None:", indent=4
        ),
        "init_lines": [f"        self.{kept[a.name]} = {a.name}" for a in scalars],
        "module_forward_def": pycode.call(
            "def forward(",
            ["self", *(f"{given[a.name]}: Tensor" for a in schema.tensors)],
            ") -> Tensor:",
            indent=4,
        ),
        "module_call": pycode.call(f"return {schema.name}(", words, indent=8),
        "extra_repr": f'f"{shown}"',
    }


def _onnx(spec: Spec) -> dict[str, Any]:
    schema, mapping = spec.schema, spec.mapping
    taken = {argument.name for argument in schema.arguments}
    g = names.free("g", taken)
    existing = [f"{schema.namespace}.{schema.name}.{schema.overload or 'default'}"]
    own = f"{spec.namespace}.{schema.name}.default"
    symbolic = [f"{spec.namespace}::{schema.name}"]
    value_types = {"Tensor": "torch.Value"}
    parameters = [f"{g}: Any", *_parameters(schema.arguments, value_types, plain=True)]
    inner = _without_self(schema.arguments)
    return {
        "g": g,
        "torchscript": mapping.torchscript,
        "dynamo": mapping.dynamo,
        "default_opset": opsets.DEFAULT,
        "parse_args": ", ".join(rules.parse_args(schema)),
        "symbolic_def": pycode.call("def symbolic(", parameters, ") -> Any:"),
        "method_symbolic_def": pycode.call(
            "def symbolic(",
            [f"{g}: Any", *_parameters(inner, value_types, plain=True)],
            ") -> Any:",
            indent=4,
        ),
        "call_symbolic": pycode.call(
            "return symbolic(", [g, *(argument.name for argument in inner)], indent=8
        ),
        "symbolic_helpers": rules.used_helpers(mapping.torchscript_graph),
        "symbolic_body": pycode.indented(rules.symbolic_body(mapping.torchscript_graph, g)),
        "translation_opset": mapping.dynamo_opset,
        "translation_def": pycode.call(
            "def translation(", _parameters(schema.arguments, {"Tensor": "Any"}), ") -> Any:"
        ),
        "translation_helpers": rules.used_helpers(mapping.dynamo_graph),
        "translation_body": pycode.indented(rules.translation_body(mapping.dynamo_graph, "op")),
        "translation_targets": (own, *(existing if schema.exists else ())),
        "symbolic_targets": (
            *symbolic,
            *([f"{schema.namespace}::{schema.name}"] if schema.exists else []),
        ),
    }


# What the C++ files name beside the arguments.
_CPP_TAKEN = frozenset(
    "out parallel_for function element infer compute call view allocate output_view op py m T "
    "Tensor TensorView TensorSpec MutableTensorView Compute Supported kGrain kName std torch "
    "functions torch_parallel_for int64_t options release".split()
)


def _cpp(spec: Spec) -> dict[str, Any]:
    """The C++ side: names that C++ or the bindings keep for themselves get an underscore."""
    schema = spec.schema
    local = {a.name: names.free(names.cpp(a.name), _CPP_TAKEN) for a in schema.arguments}
    taken = {*local.values(), *_CPP_TAKEN}
    tensor_names = [local[a.name] for a in schema.tensors]
    scalar_names = [local[a.name] for a in schema.scalars]
    views = {a.name: names.free(f"{local[a.name]}_view", taken) for a in schema.tensors}
    output, spec_name = names.free("output", taken), names.free("spec", taken)
    call_words = [*views.values(), *scalar_names, "torch_parallel_for"]
    is_integer = len(_dtypes(spec)) > len(_FLOATS)
    has_calls = bool(expression.functions(spec.elementwise))
    return {
        "grain": 2048 if has_calls else 32768,
        "cpp_supported": "NumberTypes" if is_integer else "FloatTypes",
        "cpp_tensors": ", ".join(tensor_names),
        "cpp_output": output,
        "cpp_spec": spec_name,
        "cpp_views": ", ".join(views.values()),
        "cpp_schema": cppcode.string(_schema_text(spec)),
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
    signature = f"{schema.name}({', '.join(_parameters(schema.arguments, types))}) -> torch.Tensor"
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
            f"def {schema.name}(", _parameters(schema.arguments), ") -> Tensor: ..."
        ),
    }


def _docstring_lines(signature: str, note: str) -> list[str]:
    return [
        f"{signature}\n\n",
        *(f"{line}\n" for line in note.splitlines()[:-1]),
        note.splitlines()[-1],
    ]


def _tests(spec: Spec) -> dict[str, Any]:
    schema = spec.schema
    first = next(iter(spec.samples[0].values()))
    is_double = isinstance(first, RandomTensor) and first.dtype == "float64"
    titles: dict[str, int] = {}
    samples: list[Lines] = []
    for sample in spec.samples:
        title = _title(sample)
        titles[title] = titles.get(title, 0) + 1
        unique = f"{title} ({titles[title]})" if titles[title] > 1 else title
        samples.append(_sample(unique, sample))
    return {
        "samples": tuple("\n".join(pycode.indented(sample)) for sample in samples),
        "refusals": tuple(
            "\n".join(pycode.indented(_refusal(refusal))) for refusal in spec.refusals
        ),
        "other_dtype": "float32" if is_double else "float64",
        "exported_calls": (
            f"{spec.namespace}.{schema.name}.default",
            *([f"aten.{schema.name}.{schema.overload or 'default'}"] if schema.exists else []),
        ),
    }


def _title(sample: dict[str, SampleValue]) -> str:
    parts = [
        f"{name} {value.notation if isinstance(value, RandomTensor) else value.expression}"
        for name, value in sample.items()
    ]
    return ", ".join(parts)


def _draw(value: SampleValue) -> str:
    if isinstance(value, Literal):
        return f"literal({value.expression})"
    words = [f"torch.{value.dtype}", *map(str, value.shape)]
    words += [f"{word}={pyexpr.literal(bound)}" for word, bound in _bounds(value)]
    return f"random({', '.join(words)})"


def _bounds(value: RandomTensor) -> list[tuple[str, float | int]]:
    pairs = [("low", value.low), ("high", value.high)]
    return [(word, bound) for word, bound in pairs if bound is not None]


def _draws(values: dict[str, SampleValue]) -> Lines:
    if not values:
        return ["    {},"]
    items = [f'"{name}": {_draw(value)}' for name, value in values.items()]
    one_line = f"    {{{', '.join(items)}}},"
    if len(one_line) + 4 <= pycode.WIDTH:
        return [one_line]
    return ["    {", *(f"        {item}," for item in items), "    },"]


def _sample(title: str, values: dict[str, SampleValue]) -> Lines:
    grows = all(isinstance(v, RandomTensor) or not v.is_tensor for v in values.values())
    tail = ["    can_grow=True,"] if grows else []
    return ["Sample(", f"    {pyexpr.string(title)},", *_draws(values), *tail, "),"]


def _refusal(refusal: Refusal) -> Lines:
    title = f"{_title(refusal.values)}: {refusal.raises}".lstrip(": ")
    return [
        "Refusal(",
        f"    {pyexpr.string(title)},",
        *_draws(refusal.values),
        f"    {refusal.raises},",
        f"    {pyexpr.string(refusal.match)},",
        "),",
    ]


def _readme(spec: Spec) -> dict[str, Any]:
    """The example that the package's README shows, from the first sample."""
    schema, sample = spec.schema, spec.samples[0]
    scalars = {a.name: sample[a.name] for a in schema.scalars if a.name in sample}
    constructor = [f"{name}={_expression(value)}" for name, value in scalars.items()]
    words: list[str] = []
    for argument in schema.arguments:
        if argument.is_tensor:
            words.append(argument.name)
        elif argument.name in scalars:
            words.append(f"{argument.name}={_expression(scalars[argument.name])}")
    positional = [word for word in words if "=" not in word]
    keywords = [word for word in words if "=" in word]
    named = [f"{a.name}={a.name}" for a in schema.tensors]
    is_plain = words == positional + keywords
    tensor_names = [argument.name for argument in schema.tensors]
    return {
        "readme_inputs": "\n".join(
            f"{a.name} = {_expression(sample[a.name])}" for a in schema.tensors
        ),
        "readme_call": f"result = {spec.package.name}.{schema.name}("
        f"{', '.join(words if is_plain else named + keywords)})",
        "readme_constructor": ", ".join(constructor),
        "readme_args": _tuple(tensor_names),
        "mapping_text": spec.mapping_text.strip(),
        "dynamo_span": _span(spec.mapping.dynamo),
        "torchscript_span": _span(spec.mapping.torchscript),
    }


def _expression(value: SampleValue) -> str:
    if isinstance(value, Literal):
        return f"torch.tensor({value.expression})" if value.is_tensor else value.expression
    sizes = ", ".join(map(str, value.shape))
    if value.dtype.startswith("float"):
        dtype = "" if value.dtype == "float32" else f", dtype=torch.{value.dtype}"
        return f"torch.rand({sizes or '()'}{dtype})"
    return f"torch.ones({sizes or '()'}, dtype=torch.{value.dtype})"


def _span(opset_range: range) -> str:
    if not opset_range:
        return "none: the mapping does not hold there"
    first, last = opset_range.start, opset_range.stop - 1
    return str(first) if first == last else f"{first} to {last}"
