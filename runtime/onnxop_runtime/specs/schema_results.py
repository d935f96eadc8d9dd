"""The results of a schema: their names, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import names
from .arguments import Argument
from .parser import ParsedSchema, Part


def problem_with_results(
    signature: ParsedSchema,
    arguments: Sequence[Argument],
    *,
    exists: bool,
    writes: Sequence[str] = (),
) -> str | None:
    """Return why an operator cannot have these results; None if it can. ``writes``: the aliases of
    the arguments that it writes to.
    """
    results = signature.results
    if writes and any(part.alias for part in results):
        return f"the operator returns {signature.returns}, a tensor that it writes to; write -> ()"
    if writes and not results:
        return None
    types = [part.type for part in results]
    if types == ["Tensor[]"] and exists:
        return None
    if not types or {*types} != {"Tensor"}:
        remedy = "it cannot be exported" if exists else "write -> Tensor, or -> (Tensor, Tensor)"
        fact = f"the operator returns {signature.returns}, but ONNX has only tensors"
        return f"{fact}: {remedy}"
    if len(results) == 1 or exists:
        return None
    return _problem_with_result_names([part.name for part in results if part.name], arguments)


def _problem_with_result_names(
    result_names: Sequence[str], arguments: Sequence[Argument]
) -> str | None:
    """Return why several results cannot have these names; ``grads`` is the tuple of their
    gradients.
    """
    reserved = "is reserved for the generated code"
    for name in result_names:
        why = reserved if name == "grads" else names.problem_with_argument(name)
        if why:
            return f"the name {name!r} {why}; rename it"
        if result_names.count(name) > 1:
            return f"two results are named {name}; rename one"
    if any(argument.name == "grads" for argument in arguments):
        return f"the name 'grads' {reserved}; rename it"
    return None


def result_names(results: Sequence[Part], arguments: Iterable[Argument]) -> tuple[str, ...]:
    """Return the names of the results, as torchgen makes them."""
    if len(results) == 1:
        return ("result",)
    taken = {argument.name for argument in arguments}
    result_names = [part.name or f"result{position}" for position, part in enumerate(results)]
    return tuple(f"{name}_return" if name in taken else name for name in result_names)


def results_of_writes(signature: ParsedSchema, writes: Sequence[str]) -> list[Part]:
    """Return the written tensors as further results; an only result has no name."""
    if not signature.results and len(writes) == 1:
        return [Part("", "Tensor", signature.place_of_returns)]
    return [Part(f"{name}_written", "Tensor", signature.place_of_returns) for name in writes]
