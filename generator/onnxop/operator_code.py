"""The Python side of the package: the operator's function, gradients and module."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import replace
from typing import Any

from onnxop import names, pycode, pyexpr
from onnxop.derivatives import Formula
from onnxop.errors import listed
from onnxop.pycode import Lines
from onnxop.schema import Argument
from onnxop.signatures import parameters
from onnxop.spec import Spec

# What a module has already, so that an argument of that name is kept under another one.
_MODULE_ATTRIBUTES = frozenset(
    "T apply bfloat16 buffers call_super_init children compile cpu cuda double dump_patches eval "
    "extra_repr float forward get_buffer get_extra_state get_parameter get_submodule half ipu "
    "load_state_dict modules mtia named_buffers named_children named_modules named_parameters "
    "parameters requires_grad_ set_extra_state set_submodule share_memory state_dict to to_empty "
    "train training type xpu zero_grad self".split()
)


def operator_code(spec: Spec) -> dict[str, Any]:
    schema = spec.schema
    arguments = schema.arguments
    function = f"{names.camel(schema.name)}Function"
    inner = without_self(arguments)
    call = [
        f"{a.name}={b.name}" if a.keyword_only else b.name
        for a, b in zip(arguments, inner, strict=True)
    ]
    tensor_names = [argument.name for argument in schema.tensors]
    several = len(tensor_names) > 1
    return {
        "dtypes": spec.dtypes,
        "first_tensor": tensor_names[0],
        "tensors": tuple(tensor_names),
        "several_tensors": several,
        "scalars": tuple(argument.name for argument in schema.scalars),
        "test_tensors": name_list("TENSORS", tensor_names),
        "test_scalars": name_list("SCALARS", [argument.name for argument in schema.scalars]),
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
        "tensor_names": name_list("_TENSORS", tensor_names),
        "fake_def": pycode.call("def _fake(", parameters(arguments), ") -> Tensor:"),
        "fake_body": _fake_body(tensor_names),
        "forward_def": pycode.call(
            "def forward(", parameters(inner, plain=True), ") -> Tensor:", indent=4
        ),
        "op_call": pycode.call("result: Tensor = _operator(", call, indent=8),
        "function_def": pycode.call(f"def {schema.name}(", parameters(arguments), ") -> Tensor:"),
        "function_docstring": _function_docstring(spec),
        **_gradients(spec),
        **_module(spec),
    }


def name_list(variable: str, words: list[str]) -> Lines:
    return pycode.display(f"{variable} = [", [f'"{word}"' for word in words], "]")


def without_self(arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
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
    refusal = f"RuntimeError: the dtype is not {listed(spec.dtypes, 'or')}"
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
        "test_differentiable": name_list("DIFFERENTIABLE", found),
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
            "def __init__(", ["self", *parameters(scalars)], ") -> None:", indent=4
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
