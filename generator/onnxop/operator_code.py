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
from onnxop.pystatements import Statements
from onnxop.schema import Argument
from onnxop.signatures import parameters, passed
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
    function = f"{spec.class_name}Function"
    inner = without_self(arguments)
    tensor_names = [argument.name for argument in schema.tensors]
    several = len(tensor_names) > 1
    operators = {spec.op: None, f"{schema.namespace}::{schema.name}": None}
    first_opset = str(spec.mapping.torchscript.start)
    positional = sum(not argument.keyword_only for argument in arguments)
    return {
        "dtypes": spec.dtypes,
        "first_tensor": tensor_names[0],
        "several_tensors": several,
        "scalars": tuple(argument.name for argument in schema.scalars),
        "test_tensors": name_list("TENSORS", tensor_names),
        "test_scalars": name_list("SCALARS", [argument.name for argument in schema.scalars]),
        "keyword_only": any(argument.keyword_only for argument in arguments),
        "call_operator": pycode.call(
            "result: Tensor = _operator(",
            passed(arguments, [a.name for a in arguments]),
            indent=4,
        ),
        "op_constant": pycode.atom("OP = ", f'"{spec.op}"'),
        "operator_constant": pycode.atom("_operator = ", f"torch.ops.{spec.overloads[0]}"),
        "function_class": pycode.call(f"class {function}(", ["torch.autograd.Function"], "):"),
        "module_class": pycode.call(f"class {spec.class_name}(", ["torch.nn.Module"], "):"),
        "call_setup_context": pycode.call(
            f"{function}.setup_context(",
            ["ctx", "(*inputs, *keyword_only_inputs.values())", "output"],
            indent=4,
        ),
        "return_backward": Statements({"ctx", "grad", function}).assign(
            "return ",
            ast.parse(f"{function}.backward(ctx, grad)[:{positional}]", mode="eval").body,
            4,
        ),
        "register_symbolic": [
            line
            for target in operators
            for line in pycode.call("_register(", [f'"{target}"', "symbolic", first_opset])
        ],
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
        "op_call": pycode.call(
            "result: Tensor = _operator(", passed(arguments, [a.name for a in inner]), indent=8
        ),
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
    opening = f"return {tensor_names[0]}.new_empty("
    if len(tensor_names) == 1:
        return lines + pycode.call(opening, [f"{tensor_names[0]}.shape"], indent=4)
    shapes = [f"{name}.shape" for name in tensor_names]
    shape = names.free("shape", tensor_names)
    lines += pycode.call(f"{shape} = _broadcast_shapes(", shapes, indent=4)
    return lines + pycode.call(opening, [shape], indent=4)


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
    return pycode.docstring("\n".join(body), indent=4)


# What ``setup_context`` and ``backward`` name already.
_METHOD_NAMES = frozenset("Any OP Tensor ctx grad inputs output result torch".split())


def _gradients(spec: Spec) -> dict[str, Any]:
    """The bodies of ``setup_context`` and ``backward``.

    Locals are named after the arguments, but for those that the methods name themselves.
    """
    schema = spec.schema
    taken = {*_METHOD_NAMES} | {argument.name for argument in schema.arguments}
    local = {a.name: a.name for a in schema.arguments}
    local |= {name: _claim(name, taken) for name in local if name in _METHOD_NAMES}
    formulas = spec.derivatives or {}
    used = {name for formula in formulas.values() if formula for name in formula.uses}
    saved = [local[a.name] for a in schema.tensors if a.name in used]
    scalars = [local[a.name] for a in schema.scalars if a.name in used]
    reduced = [a for a in schema.tensors if formulas.get(a.name)] if len(schema.tensors) > 1 else []
    shapes = {a.name: _claim(f"{local[a.name]}_shape", taken) for a in reduced}

    setup: Lines = []
    wanted = {*saved, *scalars, *(local[a.name] for a in reduced)}
    if wanted:
        words = pycode.unpacked(list(local.values()), wanted)
        setup += pycode.unpack(words, "inputs", indent=8)
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
        body += pycode.unpack(list(shapes.values()), "ctx.shapes", indent=8)
    if scalars:
        body += pycode.unpack(scalars, "ctx.scalars", indent=8)
    results = {a.name: "None" for a in schema.arguments}
    for name in (a.name for a in schema.arguments if formulas.get(a.name)):
        results[name] = _claim(f"grad_{name}", taken)
    statements = Statements(taken)
    for position, argument in enumerate(schema.arguments):
        formula = formulas.get(argument.name)
        wants = f"if ctx.needs_input_grad[{position}]:"
        if formula:
            node = _gradient(formula, local, shapes.get(argument.name, ""))
            grad = results[argument.name]
            body += [f"        {grad} = None", f"        {wants}"]
            body += statements.assign(f"{grad} = ", node, 12)
        elif argument.is_tensor and argument.name not in formulas:
            message = f'f"{{OP}}: [autograd] in op.toml gives no formula for {argument.name}"'
            body.append(f"        {wants}")
            body += pycode.call("raise NotImplementedError(", [message], indent=12)
    body += pycode.tuple_of("return ", list(results.values()), indent=8)
    found = [a.name for a in schema.tensors if formulas.get(a.name)]
    return {
        "setup_context": setup or ["        pass"],
        "backward": body,
        "backward_type": "tuple[Tensor | None, ...]",
        "differentiable": bool(found),
        "test_differentiable": name_list("DIFFERENTIABLE", found),
        "several_differentiable": len(found) > 1,
    }


def _claim(wanted: str, taken: set[str]) -> str:
    """The wanted name or, where it is taken, one made of it; it is taken from now on."""
    name = names.free(wanted, taken)
    taken.add(name)
    return name


def _gradient(formula: Formula, local: dict[str, str], shape: str) -> ast.expr:
    """The formula over the locals, and reduced to a shape where it may have been broadcast."""
    code = pyexpr.show(ast.parse(formula.code, mode="eval").body, local)
    node: ast.expr = ast.parse(code, mode="eval").body
    if shape:
        node = ast.Call(ast.Attribute(node, "sum_to_size"), [ast.Name(shape)], [])
    return node


def _module(spec: Spec) -> dict[str, Any]:
    """The ``nn.Module``: tensors go to ``forward``, everything else to the constructor."""
    schema = spec.schema
    taken = {*_MODULE_ATTRIBUTES} | {argument.name for argument in schema.scalars}
    kept = {
        a.name: _claim(a.name, taken) if a.name in _MODULE_ATTRIBUTES else a.name
        for a in schema.scalars
    }
    given = {a.name: "input" if a.name == "self" else a.name for a in schema.tensors}
    if len(set(given.values())) < len(given):
        given["self"] = names.free("input", given.values())
    values = [given.get(a.name) or f"self.{kept[a.name]}" for a in schema.arguments]
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
            ["self", *(f"{given[a.name]}: Tensor" for a in schema.tensors)],
            ") -> Tensor:",
            indent=4,
        ),
        "module_call": pycode.call(
            f"return {schema.name}(", passed(schema.arguments, values), indent=8
        ),
        "extra_repr": pycode.atom("return ", f'f"{shown}"', indent=8),
    }
