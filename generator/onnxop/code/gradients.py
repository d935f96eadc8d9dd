"""[autograd] → what a ``torch.autograd.Function`` saves, and the gradients that it computes from it."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from dataclasses import dataclass

from ..kernel.kinds import Elementwise, Source
from ..spec.model import Spec
from ..words import names, pyexpr
from .lines import skipped

# What the Function's methods name already, and so no local of theirs can be called.
_TAKEN = frozenset("Any OP Tensor ctx grad gradients grads inputs output result torch".split())


@dataclass(frozen=True)
class Gradient:
    """The gradient with respect to one argument.

    ``formula`` is its code; empty where the kernel computes it (``by_kernel``), where autograd takes it
    through the reference (``by_reference``), where there is none (``missing``: asking for it is an
    error), or where it is None for good.
    """

    argument: str
    position: int
    formula: str = ""
    by_kernel: bool = False
    by_reference: bool = False
    missing: bool = False
    has_default: bool = False
    is_list: bool = False

    @property
    def statement(self) -> str:
        return skipped(f"gradients[{self.position}] = {self.formula}", indent=12)

    @property
    def is_wanted(self) -> str:
        """Whether it is wanted; the dispatcher says nothing of defaults that were left out."""
        if self.is_list:
            return f"any(ctx.needs_input_grad[{self.position}])"
        if self.has_default:
            return f"any(ctx.needs_input_grad[{self.position}:{self.position + 1}])"
        return f"ctx.needs_input_grad[{self.position}]"


@dataclass(frozen=True)
class Gradients:
    """The gradients of an operator, and the locals that their formulas use.

    ``inputs`` are what the arguments are called, ``results`` the results, those that nothing uses with an
    underscore in front; ``saved`` are the tensors and results that are saved, ``kept`` the numbers,
    ``shapes`` the locals of shapes by those of their tensors.
    """

    of: tuple[Gradient, ...]
    inputs: tuple[str, ...]
    saved: tuple[str, ...]
    saved_results: tuple[str, ...]
    results: tuple[str, ...]
    kept: tuple[str, ...]
    shapes: dict[str, str]
    is_compiled: bool

    @property
    def by_kernel(self) -> tuple[Gradient, ...]:
        return tuple(gradient for gradient in self.of if gradient.by_kernel)

    @property
    def by_reference(self) -> tuple[Gradient, ...]:
        return tuple(gradient for gradient in self.of if gradient.by_reference)

    @property
    def computed(self) -> tuple[Gradient, ...]:
        """Those that machinery asks the kernel or the reference for."""
        return self.by_kernel + self.by_reference

    @property
    def by_formula(self) -> tuple[Gradient, ...]:
        return tuple(gradient for gradient in self.of if gradient.formula)

    @property
    def is_missed(self) -> bool:
        """Whether asking for one of them is an error."""
        return any(gradient.missing for gradient in self.of)

    @property
    def twice(self) -> tuple[str, ...]:
        """Those whose gradient can be differentiated again: not what compiled code computes."""
        if self.is_compiled:
            return tuple(gradient.argument for gradient in self.by_formula)
        return self.names

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments that have a gradient."""
        return tuple(
            gradient.argument for gradient in self.of if gradient.formula or gradient.by_kernel
        )


def gradients(spec: Spec) -> Gradients:
    """Locals are named after the arguments, but for what the methods name already."""
    arguments, formulas = spec.arguments, spec.derivatives
    taken = {*_TAKEN, *(argument.name for argument in arguments)}
    local = {a.name: names.claim(a.name, taken) if a.name in _TAKEN else a.name for a in arguments}
    results = {"result": "result"}
    if spec.schema.has_several:
        results = {name: names.claim(name, taken) for name in spec.schema.results}
    used = {name for formula in formulas.values() if formula for name in formula.uses}
    # A broadcast argument's gradient is summed to its shape.
    is_broadcast = isinstance(spec.kernel, Elementwise) and len(spec.schema.tensors) > 1
    reduced = [t.name for t in spec.schema.tensors if is_broadcast and formulas.get(t.name)]
    if spec.reference_gradients:  # for which all arguments are saved
        used.update(reduced)
        shapes, of_saved = {}, {local[name]: f"{local[name]}.shape" for name in reduced}
    else:
        shapes = {local[n]: names.claim(f"{local[n]}_shape", taken) for n in reduced}
        of_saved = {}
    found: list[Gradient] = []
    for position, argument in enumerate(arguments):
        name, formula = argument.name, formulas.get(argument.name)
        code = ""
        if formula:
            tree = ast.parse(formula.code, mode="eval").body
            for node in ast.walk(tree):
                if isinstance(node, ast.Name):
                    node.id = {**results, **local}.get(node.id, node.id)
            code = pyexpr.show(_reduced(tree, (shapes | of_saved).get(local[name], "")))
        by_kernel = name in spec.kernel_gradients
        by_reference = name in spec.reference_gradients
        found.append(
            Gradient(
                name,
                position,
                code,
                by_kernel,
                by_reference,
                argument.is_tensor and not (name in formulas or by_kernel or by_reference),
                argument.has_default,
                argument.is_list,
            )
        )
    saved = tuple(local[a.name] for a in arguments if a.is_tensor and a.name in used)
    kept = tuple(local[a.name] for a in arguments if not a.is_tensor and a.name in used)
    saved_results = tuple(word for name, word in results.items() if name in used)
    return Gradients(
        tuple(found),
        tuple(_unpacked([*local.values()], {*saved, *kept, *shapes})),
        saved,
        saved_results,
        tuple(_unpacked([*results.values()], saved_results)),
        kept,
        shapes,
        isinstance(spec.kernel, Source) and spec.kernel.reference is None,
    )


def _unpacked(words: Sequence[str], used: Container[str]) -> list[str]:
    """The names to unpack into, all different: ``_name`` for those that are not used.

    ruff takes a name for unused where it starts with an underscore and ends with none.
    """
    found: list[str] = []
    for word in words:
        name = plain = word if word in used else f"_{word.rstrip('_')}"
        number = 2
        while name in found:
            name, number = f"{plain}_{number}", number + 1
        found.append(name)
    return found


def _reduced(gradient: ast.expr, shape: str) -> ast.expr:
    """The gradient summed to a shape, where it may be that of a broadcast."""
    if not shape:
        return gradient
    sum_to_size = ast.Attribute(gradient, "sum_to_size")
    return ast.Call(sum_to_size, [ast.parse(shape, mode="eval").body], [])
