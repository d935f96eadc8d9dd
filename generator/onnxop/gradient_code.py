"""The gradients: the bodies of ``setup_context`` and ``backward``, from formulas or by a kernel."""

from __future__ import annotations

import ast
from typing import Any

from . import pycode, pyexpr
from .derivatives import Formula
from .names import claim
from .pycode import Lines
from .pystatements import Statements
from .schema import Argument
from .spec import Elementwise, Source, Spec

# What ``setup_context`` and ``backward`` name already.
_METHOD_NAMES = frozenset(
    "Any OP Tensor arguments ctx grad inputs output result torch wants".split()
)
# And where there are several results.
_SEVERAL_NAMES = frozenset({"grads", "integers"})


def gradient_code(spec: Spec) -> dict[str, Any]:
    if spec.kernel is None:
        return {
            "differentiable": False,
            "twice_differentiable": False,
            "test_twice_differentiable": "",
            "kernel_gradients": (),
            "several_differentiable": False,
        }
    by_formula = {name for name, formula in (spec.derivatives or {}).items() if formula}
    found = [
        tensor.name
        for tensor in spec.schema.tensors
        if tensor.name in by_formula or tensor.name in spec.kernel_gradients
    ]
    once = set(spec.kernel_gradients) if isinstance(spec.kernel, Source) else set()
    twice = [name for name in found if name not in once]
    methods = _Methods(spec)
    return {
        "setup_context": methods.setup_context() or ["        pass"],
        "backward": methods.backward(),
        "backward_type": "tuple[Tensor | None, ...]",
        "grad_parameter": f"{'*grads' if spec.schema.has_several else 'grad'}: Tensor",
        "differentiable": bool(found),
        "test_differentiable": name_list("DIFFERENTIABLE", found),
        "twice_differentiable": bool(twice),
        "test_twice_differentiable": name_list("TWICE_DIFFERENTIABLE: list[str]", twice),
        "several_differentiable": len(found) > 1,
        **_kernel_gradients(spec),
    }


def name_list(variable: str, words: list[str]) -> Lines:
    return pycode.display(f"{variable} = [", [f'"{word}"' for word in words], "]")


class _Methods:
    """The two methods; their locals are named after the arguments, but for what they name already."""

    def __init__(self, spec: Spec) -> None:
        self.arguments, self.by_kernel = spec.arguments, spec.kernel_gradients
        self.tensors = [argument for argument in self.arguments if argument.is_tensor]
        self.formulas = spec.derivatives or {}
        self.has_several = spec.schema.has_several
        kept = _METHOD_NAMES | (_SEVERAL_NAMES if self.has_several else frozenset())
        self.taken = {*kept} | {argument.name for argument in self.arguments}
        self.local = {a.name: a.name for a in self.arguments}
        for name in self.local:
            if name in kept:
                self.local[name] = claim(name, self.taken)
        self.results = {"result": "result"}
        if self.has_several:
            self.results = {name: claim(name, self.taken) for name in spec.schema.results}
        used = {name for formula in self.formulas.values() if formula for name in formula.uses}
        if self.by_kernel:
            used |= set(self.local)
        self.saved_results = [local for name, local in self.results.items() if name in used]
        self.saved = [self.local[a.name] for a in self.tensors if a.name in used]
        scalars = [argument for argument in self.arguments if not argument.is_tensor]
        self.scalars = [self.local[a.name] for a in scalars if a.name in used]
        # A broadcast argument's gradient is summed to its shape.
        broadcasts = isinstance(spec.kernel, Elementwise) and len(self.tensors) > 1
        self.reduced = [a for a in self.tensors if self.formulas.get(a.name) and broadcasts]
        self.shapes = {
            a.name: claim(f"{self.local[a.name]}_shape", self.taken) for a in self.reduced
        }

    def setup_context(self) -> Lines:
        lines: Lines = []
        wanted = {*self.saved, *self.scalars, *(self.local[a.name] for a in self.reduced)}
        if wanted:
            words = pycode.unpacked(list(self.local.values()), wanted)
            lines += pycode.unpack(words, "inputs", indent=8)
        values = self.saved + self.saved_results
        if self.has_several and self.saved_results:
            words = pycode.unpacked(list(self.results.values()), self.saved_results)
            lines += pycode.unpack(words, "output", indent=8)
        elif self.saved_results:
            values = [*self.saved, "output"]
        if values:
            lines += pycode.call("ctx.save_for_backward(", values, indent=8)
        if self.reduced:
            shapes = [f"{self.local[a.name]}.shape" for a in self.reduced]
            lines += pycode.tuple_of("ctx.shapes = ", shapes, indent=8)
        if self.scalars:
            lines += pycode.tuple_of("ctx.scalars = ", self.scalars, indent=8)
        if self.has_several:
            is_float = "(each.is_floating_point() or each.is_complex())"
            lines.append(f"        integers = [each for each in output if not {is_float}]")
            lines.append("        ctx.mark_non_differentiable(*integers)")
        return lines

    def backward(self) -> Lines:
        lines: Lines = []
        loaded = self.saved + self.saved_results
        if loaded:
            lines += pycode.unpack(loaded, "ctx.saved_tensors", indent=8)
        if self.reduced:
            lines += pycode.unpack(list(self.shapes.values()), "ctx.shapes", indent=8)
        if self.scalars:
            lines += pycode.unpack(self.scalars, "ctx.scalars", indent=8)
        results = {a.name: "None" for a in self.arguments}
        for argument in self.arguments:
            if self.formulas.get(argument.name) or argument.name in self.by_kernel:
                results[argument.name] = claim(f"grad_{argument.name}", self.taken)
        lines += self._by_kernel(results)
        statements = Statements(self.taken)
        for position, argument in enumerate(self.arguments):
            lines += self._by_formula(position, argument, results[argument.name], statements)
        return lines + pycode.tuple_of("return ", list(results.values()), indent=8)

    def _by_kernel(self, results: dict[str, str]) -> Lines:
        if not self.by_kernel:
            return []
        positions = [i for i, a in enumerate(self.arguments) if a.name in self.by_kernel]
        wants = [f"ctx.needs_input_grad[{position}]" for position in positions]
        return [
            *pycode.tuple_of("arguments = ", list(self.local.values()), indent=8),
            *pycode.display("wants = [", wants, "]", indent=8),
            *pycode.unpack(
                [results[name] for name in self.by_kernel],
                f"_kernel_gradients({'grads' if self.has_several else 'grad'}, arguments, wants)",
                indent=8,
            ),
        ]

    def _by_formula(
        self, position: int, argument: Argument, result: str, statements: Statements
    ) -> Lines:
        formula = self.formulas.get(argument.name)
        wants = f"        if ctx.needs_input_grad[{position}]:"
        if formula:
            local = {**self.results, **self.local}
            node = _gradient(formula, local, self.shapes.get(argument.name, ""))
            return [
                f"        {result} = None",
                wants,
                *statements.assign(f"{result} = ", node, 12),
            ]
        is_given = argument.name in self.formulas or argument.name in self.by_kernel
        if not argument.is_tensor or is_given:
            return []
        message = f'f"{{OP}}: [autograd] in op.toml gives no formula for {argument.name}"'
        return [wants, *pycode.call("raise NotImplementedError(", [message], indent=12)]


def _gradient(formula: Formula, local: dict[str, str], shape: str) -> ast.expr:
    """The formula over the locals, and reduced to a shape where it may have been broadcast."""
    code = pyexpr.show(ast.parse(formula.code, mode="eval").body, local)
    node: ast.expr = ast.parse(code, mode="eval").body
    if shape:
        node = ast.Call(ast.Attribute(node, "sum_to_size"), [ast.Name(shape)], [])
    return node


def _kernel_gradients(spec: Spec) -> dict[str, Any]:
    """The operator that computes gradients: its name and its fake kernel."""
    wanted = spec.kernel_gradients
    if not wanted:
        return {"kernel_gradients": ()}
    file = spec.kernel.file if isinstance(spec.kernel, Source) else ""
    return {
        "kernel_gradients": wanted,
        "refuse_gradients": pycode.call(
            "_autograd.refuse(", ["_backward_operator", f'"csrc/{file}"']
        ),
        "backward_operator_constant": pycode.atom(
            "_backward_operator = ",
            f"torch.ops.{spec.namespace}.{spec.schema.name}_backward.default",
        ),
        "gradient_names": name_list("_DIFFERENTIABLE", list(wanted)),
        "argument_names": name_list("_ARGUMENTS", [argument.name for argument in spec.arguments]),
    }
