"""[autograd] → what a ``torch.autograd.Function`` saves, and the gradients that it computes from it."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain, count

from .. import names, pyexpr
from ..kernel.kinds import Elementwise, Source
from ..schema.signature import Argument
from ..spec.model import Spec
from .lines import skipped

# What the Function's methods name already, and so no local of theirs can be called.
_TAKEN = frozenset("Any OP Tensor ctx grad gradients grads inputs output result torch".split())


@dataclass(frozen=True)
class Gradient:
    """The gradient with respect to one argument.

    ``formula`` is its code; empty where the kernel or autograd through the reference computes it, where
    there is none (``is_missing``: asking for it is an error), or where it is None for good.
    ``is_wanted`` is the condition in ``backward``.
    """

    argument: str
    position: int
    formula: str
    is_missing: bool
    is_wanted: str

    @property
    def statement(self) -> str:
        return skipped(f"gradients[{self.position}] = {self.formula}", indent=12)


@dataclass(frozen=True)
class Gradients:
    """The gradients of an operator, and the locals that their formulas use.

    ``inputs`` are what the arguments are called, ``results`` the results, those that nothing uses with an
    underscore in front; ``saved`` are the tensors and results that are saved, ``kept`` the numbers,
    ``shapes`` the locals of shapes by those of their tensors. ``names`` are the arguments that have a
    gradient, ``twice`` those whose gradient can be differentiated again: not what compiled code computes.
    ``computed`` are those that the kernel or the reference is asked for.
    """

    of: tuple[Gradient, ...]
    inputs: tuple[str, ...]
    saved: tuple[str, ...]
    saved_results: tuple[str, ...]
    results: tuple[str, ...]
    kept: tuple[str, ...]
    shapes: dict[str, str]
    computed: tuple[str, ...]
    names: tuple[str, ...]
    twice: tuple[str, ...]

    @property
    def by_formula(self) -> tuple[str, ...]:
        return tuple(gradient.argument for gradient in self.of if gradient.formula)


def gradients(spec: Spec) -> Gradients:
    """Return the gradients; locals are named after the arguments, but for what the methods name already."""
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
    shapes: dict[str, str] = {}
    shape_of = {name: f"{local[name]}.shape" for name in reduced}
    if spec.reference_gradients:  # for which all arguments are saved
        used.update(reduced)
    else:
        shapes = {local[name]: names.claim(f"{local[name]}_shape", taken) for name in reduced}
        shape_of = {name: shapes[local[name]] for name in reduced}
    computed = spec.kernel_gradients + spec.reference_gradients
    found: list[Gradient] = []
    for position, argument in enumerate(arguments):
        name, code = argument.name, ""
        if formula := formulas.get(name):
            tree = ast.parse(formula.code, mode="eval").body
            for node in ast.walk(tree):
                if isinstance(node, ast.Name):
                    node.id = {**results, **local}.get(node.id, node.id)
            if name in shape_of:
                shape = ast.parse(shape_of[name], mode="eval").body
                tree = ast.Call(ast.Attribute(tree, "sum_to_size"), [shape], [])
            code = pyexpr.show(tree)
        is_missing = argument.is_tensor and name not in (*formulas, *computed)
        found.append(Gradient(name, position, code, is_missing, _is_wanted(argument, position)))
    saved = tuple(local[a.name] for a in arguments if a.is_tensor and a.name in used)
    kept = tuple(local[a.name] for a in arguments if not a.is_tensor and a.name in used)
    saved_results = tuple(word for name, word in results.items() if name in used)
    by_formula = [gradient.argument for gradient in found if gradient.formula]
    having = tuple(a.name for a in arguments if a.name in (*by_formula, *spec.kernel_gradients))
    is_compiled = isinstance(spec.kernel, Source) and spec.kernel.reference is None
    return Gradients(
        of=tuple(found),
        inputs=_unpacked([*local.values()], {*saved, *kept, *shapes}),
        saved=saved,
        saved_results=saved_results,
        results=_unpacked([*results.values()], saved_results),
        kept=kept,
        shapes=shapes,
        computed=computed,
        names=having,
        twice=tuple(by_formula) if is_compiled else having,
    )


def _is_wanted(argument: Argument, position: int) -> str:
    """Return whether a gradient is wanted; the dispatcher says nothing of defaults that were left out."""
    if argument.is_list:
        return f"any(ctx.needs_input_grad[{position}])"
    if argument.has_default:
        return f"any(ctx.needs_input_grad[{position}:{position + 1}])"
    return f"ctx.needs_input_grad[{position}]"


def _unpacked(words: Sequence[str], used: Container[str]) -> tuple[str, ...]:
    """Return the names to unpack into, all different: ``_name`` for those that are not used.

    ruff takes a name for unused where it starts with an underscore and ends with none.
    """
    found: list[str] = []
    for word in words:
        plain = word if word in used else f"_{word.rstrip('_')}"
        numbered = (f"{plain}_{number}" for number in count(2))
        found.append(next(name for name in chain([plain], numbered) if name not in found))
    return tuple(found)
