"""[autograd] → the tensors that a ``torch.autograd.Function`` saves, and its gradients."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain, count

from onnxop_runtime.specs.arguments import Argument

from .. import names, pyexpr
from ..kernel.kinds import Elementwise, Source
from ..spec.model import Spec
from .lines import skipped

# Names that the Function's methods use, so that no other local can have them.
_TAKEN = frozenset("Any OP Tensor ctx grad gradients grads inputs output result torch".split())


@dataclass(frozen=True)
class Gradient:
    """The gradient with respect to one argument.

    ``formula`` is its code. It is "" if the kernel or autograd through the reference computes the
    gradient, if there is none (``is_missing``: a request raises), or if it is always None.
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

    ``inputs`` and ``results`` are the locals of arguments and results; unused ones begin with an
    underscore. The forward pass saves the tensors ``saved``, the results ``saved_results`` and the
    numbers ``kept``. ``shapes`` maps a tensor's local to that of its shape. Arguments: ``computed``
    have their gradients from the kernel or the reference, ``names`` have any gradient, and
    ``twice`` have one that is differentiable again, unlike one from compiled code.
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
    """Return the gradients. A local has the name of its argument, unless that name is taken."""
    arguments, formulas = spec.arguments, spec.derivatives
    taken = {*_TAKEN, *(argument.name for argument in arguments)}
    local = {
        a.name: names.claim_name(a.name, taken) if a.name in _TAKEN else a.name for a in arguments
    }
    results = {"result": "result"}
    if spec.schema.has_several:
        results = {name: names.claim_name(name, taken) for name in spec.schema.results}
    used = {name for formula in formulas.values() if formula for name in formula.uses}
    # A broadcast argument's gradient is summed to its shape.
    is_broadcast = isinstance(spec.kernel, Elementwise) and len(spec.schema.tensors) > 1
    reduced = [t.name for t in spec.schema.tensors if is_broadcast and formulas.get(t.name)]
    shapes: dict[str, str] = {}
    shape_of = {name: f"{local[name]}.shape" for name in reduced}
    if spec.reference_gradients:  # then all arguments are saved
        used.update(reduced)
    else:
        shapes = {local[name]: names.claim_name(f"{local[name]}_shape", taken) for name in reduced}
        shape_of = {name: shapes[local[name]] for name in reduced}
    computed = spec.kernel_gradients + spec.reference_gradients
    entries: list[Gradient] = []
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
        entries.append(Gradient(name, position, code, is_missing, _is_wanted(argument, position)))
    saved = tuple(local[a.name] for a in arguments if a.is_tensor and a.name in used)
    kept = tuple(local[a.name] for a in arguments if not a.is_tensor and a.name in used)
    saved_results = tuple(result for name, result in results.items() if name in used)
    by_formula = [gradient.argument for gradient in entries if gradient.formula]
    having = tuple(a.name for a in arguments if a.name in (*by_formula, *spec.kernel_gradients))
    is_compiled = isinstance(spec.kernel, Source) and spec.kernel.reference is None
    return Gradients(
        of=tuple(entries),
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
    """Return the condition for a gradient. ``needs_input_grad`` does not include omitted defaults."""
    if argument.is_list:
        return f"any(ctx.needs_input_grad[{position}])"
    if argument.has_default:
        return f"any(ctx.needs_input_grad[{position}:{position + 1}])"
    return f"ctx.needs_input_grad[{position}]"


def _unpacked(locals_: Sequence[str], used: Container[str]) -> tuple[str, ...]:
    """Return the names to unpack into, all different. An unused name begins with an underscore.

    ruff considers a name unused if it begins with an underscore and does not end with one.
    """
    unpacked: list[str] = []
    for local in locals_:
        plain = local if local in used else f"_{local.rstrip('_')}"
        numbered = (f"{plain}_{number}" for number in count(2))
        unpacked.append(next(name for name in chain([plain], numbered) if name not in unpacked))
    return tuple(unpacked)
