"""What a schema returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..words import names
from .arguments import Argument
from .torchparse import Parsed, ParsedReturn


def spaced(returned: str) -> str:
    """What is returned, spaced as PyTorch's parser wants it; of one in brackets, it alone."""
    text = " ".join(returned.split())
    if not (text.startswith("(") and text.endswith(")")):
        return text
    words = [word.strip() for word in text[1:-1].split(",")]
    words = words[:-1] if not words[-1] else words
    return words[0] if len(words) == 1 else f"({', '.join(words)})"


def problem_with_returns(function: Parsed, text: str, exists: bool) -> str | None:
    returns = function.returns
    if _is_list(returns) and exists:
        return None
    if not returns or any(returned.type != "Tensor" for returned in returns):
        remedy = "write -> Tensor, or -> (Tensor, Tensor)"
        remedy = "it cannot be exported" if exists else remedy
        return f"the operator returns {text}, but ONNX has values of tensors alone: {remedy}"
    if len(returns) == 1 or exists:
        return None
    if any(argument.name == "grads" for argument in function.arguments):
        return (
            "the argument name 'grads' is kept for the results' gradients in [autograd]; rename it"
        )
    found = [returned.name for returned in returns if returned.name]
    for name in found:
        kept = "is kept for the results' gradients in [autograd]" if name == "grads" else None
        if why := kept or names.problem_with_argument(name):
            return f"the result name {name!r} {why}; rename it"
        if found.count(name) > 1:
            return f"two results are named {name}; rename one"
    return None


def returned_types(returns: Sequence[ParsedReturn]) -> str:
    """What is returned, in PyTorch's schema language."""
    if _is_list(returns):
        return "Tensor[]"
    words = [f"Tensor {returned.name}" if returned.name else "Tensor" for returned in returns]
    return f"({', '.join(words)})" if len(words) > 1 else "Tensor"


def _is_list(returns: Sequence[ParsedReturn]) -> bool:
    return [returned.type for returned in returns] == ["Tensor[]"]


def result_names(returns: Sequence[ParsedReturn], arguments: Iterable[Argument]) -> tuple[str, ...]:
    """The names of the results, as torchgen gives them."""
    if len(returns) == 1:
        return ("result",)
    taken = {argument.name for argument in arguments}
    words = [returned.name or f"result{position}" for position, returned in enumerate(returns)]
    return tuple(f"{word}_return" if word in taken else word for word in words)
