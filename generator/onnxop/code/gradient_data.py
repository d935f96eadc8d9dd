"""[autograd] → the tensors that a ``torch.autograd.Function`` saves, and its gradients."""

from __future__ import annotations

import ast
from collections.abc import Container, Sequence
from dataclasses import dataclass
from itertools import chain, count

from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.arguments import Argument

from .. import names
from ..kernel.kernel_kinds import Elementwise, Source
from ..spec.model import Spec

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
        return f"gradients[{self.position}] = {self.formula}"


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


@dataclass(frozen=True)
class _Locals:
    """The locals of the Function's methods.

    Attributes:
        arguments: those of the arguments, by name.
        results: those of the results, by name.
        shapes: those of the shapes that the forward pass saves, by the local of their tensor.
    """

    arguments: dict[str, str]
    results: dict[str, str]
    shapes: dict[str, str]

    def shape_of(self, argument: str) -> ast.expr:
        """Return the expression for the shape of a tensor, saved or not."""
        local = self.arguments[argument]
        return ast.parse(self.shapes.get(local, f"{local}.shape"), mode="eval").body


def gradients(spec: Spec) -> Gradients:
    """Return the gradients. A local has the name of its argument, unless that name is taken."""
    arguments, formulas = spec.arguments, spec.derivatives
    broadcast = _broadcast(spec)
    locals_ = _locals(spec, broadcast)
    computed = spec.kernel_gradients + spec.reference_gradients
    entries: list[Gradient] = []
    for position, argument in enumerate(arguments):
        name, code = argument.name, ""
        if formula := formulas.get(name):
            shape = locals_.shape_of(name) if name in broadcast else None
            code = _code(formula.code, locals_, shape)
        is_missing = argument.is_tensor and name not in (*formulas, *computed)
        entries.append(Gradient(name, position, code, is_missing, _is_wanted(argument, position)))
    used = _used(spec, broadcast)
    saved = [locals_.arguments[a.name] for a in arguments if a.is_tensor and a.name in used]
    kept = [locals_.arguments[a.name] for a in arguments if not a.is_tensor and a.name in used]
    saved_results = [result for name, result in locals_.results.items() if name in used]
    by_formula = [gradient.argument for gradient in entries if gradient.formula]
    having = tuple(a.name for a in arguments if a.name in (*by_formula, *spec.kernel_gradients))
    is_compiled = isinstance(spec.kernel, Source) and spec.kernel.reference is None
    return Gradients(
        of=tuple(entries),
        inputs=_unpacked([*locals_.arguments.values()], {*saved, *kept, *locals_.shapes}),
        saved=tuple(saved),
        saved_results=tuple(saved_results),
        results=_unpacked([*locals_.results.values()], saved_results),
        kept=tuple(kept),
        shapes=locals_.shapes,
        computed=computed,
        names=having,
        twice=tuple(by_formula) if is_compiled else having,
    )


def _broadcast(spec: Spec) -> list[str]:
    """Return the tensors that may be broadcast and have a formula, which gives a gradient to sum to
    their shapes.
    """
    tensors = spec.schema.tensors
    if not isinstance(spec.kernel, Elementwise) or len(tensors) == 1:
        return []
    return [tensor.name for tensor in tensors if spec.derivatives.get(tensor.name)]


def _locals(spec: Spec, broadcast: Sequence[str]) -> _Locals:
    """Return the locals of the arguments, of the results, and of the shapes of broadcast
    tensors.
    """
    taken = {*_TAKEN, *(argument.name for argument in spec.arguments)}
    arguments: dict[str, str] = {}
    for argument in spec.arguments:
        name = argument.name
        arguments[name] = names.claim_name(name, taken) if name in _TAKEN else name
    results = {"result": "result"}
    if spec.schema.has_several:
        results = {name: names.claim_name(name, taken) for name in spec.schema.results}
    shapes: dict[str, str] = {}
    if not spec.reference_gradients:  # with them, the tensors themselves are saved
        for name in broadcast:
            shapes[arguments[name]] = names.claim_name(f"{arguments[name]}_shape", taken)
    return _Locals(arguments, results, shapes)


def _used(spec: Spec, broadcast: Sequence[str]) -> set[str]:
    """Return the names of the arguments and results that the backward pass uses."""
    used: set[str] = set()
    for formula in spec.derivatives.values():
        if formula:
            used.update(formula.uses)
    if spec.reference_gradients:
        used.update(broadcast)
    return used


def _code(formula: str, locals_: _Locals, shape: ast.expr | None) -> str:
    """Return the code of a formula, in which locals are for names; summed to a shape unless that is
    None.
    """
    local_of = {**locals_.results, **locals_.arguments}
    tree = ast.parse(formula, mode="eval").body
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = local_of.get(node.id, node.id)
    if shape is not None:
        tree = ast.Call(ast.Attribute(tree, "sum_to_size"), [shape], [])
    return pyexpr.show(tree)


def _is_wanted(argument: Argument, position: int) -> str:
    """Return the condition for a gradient. ``needs_input_grad`` does not include omitted
    defaults.
    """
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
