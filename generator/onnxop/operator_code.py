"""The Python side of the package: the operator's function, gradients and module."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace
from typing import Any

from . import names, opsets, pycode
from .composed import Composed, Function
from .errors import listed
from .gradient_code import gradient_code, name_list
from .names import claim
from .pycode import Lines
from .pystatements import Statements
from .schema import Argument, OpSchema
from .signatures import parameters, passed, returned_type
from .spec import Elementwise, Source, Spec

# What a module has already, so that an argument of that name is kept under another one.
_MODULE_ATTRIBUTES = frozenset(
    "T apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu "
    "load_state_dict modules mtia named_buffers named_children named_modules named_parameters "
    "parameters requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty "
    "train training type xpu zero_grad self".split()
)


def operator_code(spec: Spec) -> dict[str, Any]:
    schema, arguments = spec.schema, spec.arguments
    tensor_names = [argument.name for argument in schema.tensors]
    operators = {spec.op: None, f"{schema.namespace}::{schema.name}": None}
    returned = returned_type(schema)
    span = spec.mapping.torchscript
    if spec.default_domain and not schema.exists:
        span = opsets.TORCHSCRIPT
    return {
        "has_kernel": spec.kernel is not None,
        "is_composed": isinstance(spec.kernel, Composed),
        "requires": spec.requires,
        "op_imports": _imports(spec),
        "requires_list": pycode.display("_REQUIRES = [", [f'"{m}"' for m in spec.requires], "]"),
        "dtypes": spec.dtypes,
        "first_tensor": tensor_names[0],
        "several_tensors": len(tensor_names) > 1,
        "scalars": tuple(argument.name for argument in schema.scalars),
        "test_tensors": name_list("TENSORS", tensor_names),
        "test_scalars": name_list("SCALARS", [argument.name for argument in schema.scalars]),
        "keyword_only": any(argument.keyword_only for argument in arguments),
        "has_sequences": any(argument.is_list for argument in arguments),
        "call_operator": pycode.call(
            f"result: {returned} = _operator(",
            passed(arguments, [a.name for a in arguments]),
            indent=4,
        ),
        "several_outputs": schema.has_several,
        "result_names": name_list("RESULTS", list(schema.results)),
        "result_count": len(schema.results),
        "grad_word": "grads" if schema.has_several else "grad",
        "grad_items": "*grads" if schema.has_several else "grad",
        "returned_type": returned,
        "op_constant": pycode.atom("OP = ", f'"{spec.op}"'),
        "operator_constant": pycode.atom("_operator = ", f"torch.ops.{spec.overloads[0]}"),
        "module_class": pycode.call(f"class {spec.class_name}(", ["torch.nn.Module"], "):"),
        "symbolic_targets": name_list("_TARGETS", list(operators)),
        "symbolic_opsets": f"OPSETS = range({span.start}, {span.stop})",
        "tensor_names": name_list("_TENSORS", tensor_names),
        "function_def": pycode.call(
            f"def {schema.name}(", parameters(arguments), f") -> {returned}:"
        ),
        "function_docstring": _function_docstring(spec),
        **_fake(spec),
        **_function(spec),
        **gradient_code(spec),
        **_module(spec),
    }


def _imports(spec: Spec) -> Lines:
    modules, taken = {"torch"}, {("torch", "Tensor")}
    if isinstance(spec.kernel, Composed) and spec.kernel.fake:
        modules.update(spec.kernel.fake.modules)
        taken.update(spec.kernel.fake.names)
    if any(argument.is_list for argument in spec.arguments) or spec.kernel_gradients:
        taken.add(("collections.abc", "Sequence"))
    if spec.kernel:
        taken.add(("typing", "Any"))
    if isinstance(spec.kernel, Source) and spec.kernel.backward:
        taken.add(("collections.abc", "Callable"))
    return pycode.imports(modules, taken)


def _function(spec: Spec) -> dict[str, Any]:
    """The ``torch.autograd.Function``."""
    function, arguments = f"{spec.class_name}Function", spec.arguments
    inner = without_self(arguments)
    positional = sum(not argument.keyword_only for argument in arguments)
    returned = returned_type(spec.schema)
    grads = "*grads" if spec.schema.has_several else "grad"
    return {
        "function_class": pycode.call(f"class {function}(", ["torch.autograd.Function"], "):"),
        "setup_context_def": pycode.call(
            "def setup_context(",
            ["ctx: Any", "inputs: tuple[Any, ...]", f"output: {returned}"],
            ") -> None:",
            indent=4,
        ),
        "keyword_setup_context_def": pycode.call(
            "def _setup_context(",
            [
                "ctx: Any",
                "inputs: tuple[Any, ...]",
                "keyword_only_inputs: dict[str, Any]",
                f"output: {returned}",
            ],
            ") -> None:",
        ),
        "call_setup_context": pycode.call(
            f"{function}.setup_context(",
            ["ctx", "(*inputs, *keyword_only_inputs.values())", "output"],
            indent=4,
        ),
        "return_backward": Statements({"ctx", "grad", function}).assign(
            "return ",
            ast.parse(f"{function}.backward(ctx, {grads})[:{positional}]", mode="eval").body,
            4,
        ),
        "register_autograd": pycode.call(
            "torch.library.register_autograd(",
            ["OP", f"{function}.backward", f"setup_context={function}.setup_context"],
        ),
        "forward_def": pycode.call(
            "def forward(", parameters(inner, plain=True), f") -> {returned}:", indent=4
        ),
        "op_call": pycode.call(
            f"result: {returned} = _operator(",
            passed(arguments, [a.name for a in inner]),
            indent=8,
        ),
    }


def without_self(arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """The arguments as a method's parameters: ``self`` is called ``input``, as in PyTorch's docs."""
    new = names.free("input", [argument.name for argument in arguments])
    return tuple(replace(a, name=new) if a.name == "self" else a for a in arguments)


def _fake(spec: Spec) -> dict[str, Any]:
    arguments = [argument.name for argument in spec.arguments]
    if not spec.kernel:
        return {"fake_makes_sizes": False}
    match spec.kernel:
        case Elementwise():
            body = _elementwise_fake([argument.name for argument in spec.schema.tensors])
        case Source():
            body = _inferred_fake(arguments, spec.schema)
        case Composed(fake=None):
            body = _composed_fake(spec, arguments)
        case Composed(fake=Function(body=text)):
            body = pycode.indented(text.split("\n"))
    fake = spec.kernel.fake if isinstance(spec.kernel, Composed) else None
    return {
        "fake_def": pycode.call(
            "def _fake(", parameters(spec.arguments), f") -> {returned_type(spec.schema)}:"
        ),
        "fake_body": body,
        "fake_makes_sizes": bool(fake and fake.makes_sizes),
    }


def _elementwise_fake(tensor_names: list[str]) -> Lines:
    lines = pycode.call("_check(", tensor_names, indent=4)
    opening = f"return {tensor_names[0]}.new_empty("
    if len(tensor_names) == 1:
        return lines + pycode.call(opening, [f"{tensor_names[0]}.shape"], indent=4)
    shapes = [f"{name}.shape" for name in tensor_names]
    shape = names.free("shape", tensor_names)
    lines += pycode.call(f"{shape} = _broadcast_shapes(", shapes, indent=4)
    return lines + pycode.call(opening, [shape], indent=4)


def _composed_fake(spec: Spec, arguments: list[str]) -> Lines:
    """The kernel itself, its results without their values."""
    count = len(spec.schema.results)
    name = names.free("result" if count == 1 else "results", arguments)
    lines = pycode.call(
        f"{name} = _kernel.{spec.schema.name}(", passed(spec.arguments, arguments), indent=4
    )
    keep = "memory_format=torch.contiguous_format"
    if count == 1:
        return lines + pycode.call("return torch.empty_like(", [name, keep], indent=4)
    words = [f"torch.empty_like({name}[{place}], {keep})" for place in range(count)]
    return lines + pycode.tuple_of("return ", words, indent=4)


def _inferred_fake(arguments: list[str], schema: OpSchema) -> Lines:
    first = schema.tensors[0].name
    if schema.has_several:
        outputs = names.free("outputs", arguments)
        words = [f"_empty({first}, {outputs}[{place}])" for place in range(len(schema.results))]
        lines = pycode.call(f"{outputs} = _kernel._infer_{schema.name}(", arguments, indent=4)
        return lines + pycode.tuple_of("return ", words, indent=4)
    dtype, sizes = names.free("dtype", arguments), names.free("sizes", arguments)
    return [
        *pycode.call(f"(({dtype}, {sizes}),) = _kernel._infer_{schema.name}(", arguments, indent=4),
        *pycode.call(
            f"return {first}.new_empty(", [f"_known({sizes})", f"dtype={dtype}"], indent=4
        ),
    ]


_KINDS = {
    "float": ("a float", "floats"),
    "int": ("an integer", "integers"),
    "bool": ("a boolean", "booleans"),
    "str": ("a string", "strings"),
    "Scalar": ("a number", "numbers"),
}


def _function_docstring(spec: Spec) -> Lines:
    body = [spec.doc, "", "Args:"]
    is_elementwise = isinstance(spec.kernel, Elementwise)
    several = is_elementwise and len(spec.schema.tensors) > 1
    broadcast = "; the shapes broadcast together" if several else ""
    for argument in spec.arguments:
        if argument.is_tensor:
            what = "a tensor of any shape" if is_elementwise else "a tensor"
        else:
            one, many = _KINDS[argument.kind]
            what = one if not argument.is_list else many
            what = f"{argument.length} {many}" if argument.is_list and argument.length else what
        what += " or None" if argument.is_optional else ""
        default = f"; {argument.default!r} by default" if argument.has_default else ""
        body.append(f"    {argument.name}: {what}{default}{broadcast * argument.is_tensor}.")
    body += ["", "Returns:", *_returned(spec, broadcast)]
    if isinstance(spec.kernel, Elementwise):
        refusal = f"RuntimeError: the dtype is not {listed(spec.dtypes, 'or')}"
        refusal += ", or the tensors differ in dtype or device, or do not broadcast" * several
    elif isinstance(spec.kernel, Source):
        refusal = f"RuntimeError: ops/{spec.kernel.file} refuses the arguments"
    else:
        return pycode.docstring("\n".join(body), indent=4)
    wrapped = textwrap.wrap(f"{refusal}.", width=pycode.WIDTH - 8, subsequent_indent="    ")
    body += ["", "Raises:", *(f"    {line}" for line in wrapped)]
    return pycode.docstring("\n".join(body), indent=4)


def _returned(spec: Spec, broadcast: str) -> list[str]:
    if spec.kernel is None:
        return [f"    What PyTorch's {spec.op} returns."]
    if spec.schema.has_several:
        return [f"    {listed(spec.schema.results)}: contiguous tensors, in a tuple."]
    if not isinstance(spec.kernel, Elementwise):
        return ["    A contiguous tensor."]
    shape = "of the broadcast shape" if broadcast else "of the same shape"
    return [f"    A contiguous tensor {shape} and of the same dtype."]


def _module(spec: Spec) -> dict[str, Any]:
    """The ``nn.Module``: tensors go to ``forward``, everything else to the constructor."""
    schema = spec.schema
    taken = {*_MODULE_ATTRIBUTES} | {argument.name for argument in schema.scalars}
    kept = {
        a.name: claim(a.name, taken) if a.name in _MODULE_ATTRIBUTES else a.name
        for a in schema.scalars
    }
    given = {a.name: "input" if a.name == "self" else a.name for a in schema.tensors}
    if len(set(given.values())) < len(given):
        given["self"] = names.free("input", given.values())
    values = [given.get(a.name) or f"self.{kept[a.name]}" for a in spec.arguments]
    scalars = schema.scalars
    shown = ", ".join(f"{a.name}={{self.{kept[a.name]}}}" for a in scalars)
    return {
        "module_note": f", with {listed([f'`{a.name}`' for a in scalars])} fixed"
        if scalars
        else "",
        "init_def": pycode.call(
            "def __init__(", ["self", *parameters(scalars)], ") -> None:", indent=4
        ),
        "init_lines": [
            line
            for a in scalars
            for line in pycode.atom(f"self.{kept[a.name]} = ", a.name, indent=8)
        ],
        "module_forward_def": pycode.call(
            "def forward(",
            [
                "self",
                *parameters(
                    tuple(
                        replace(a, name=given[a.name], keyword_only=False) for a in schema.tensors
                    )
                ),
            ],
            f") -> {returned_type(schema)}:",
            indent=4,
        ),
        "module_call": pycode.call(
            f"return {schema.name}(", passed(spec.arguments, values), indent=8
        ),
        "extra_repr": pycode.atom("return ", f'f"{shown}"', indent=8),
    }
