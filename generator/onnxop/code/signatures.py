"""The operator's signature as Python parameters and as PyTorch's schema text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import names, pyexpr
from ..schema.signature import Argument, OpSchema
from ..spec.model import Spec


def schema_text(spec: Spec) -> str:
    """The schema that the package registers, without its namespace."""
    parts = [
        f"{a.type} {a.name}" + (f"={a.schema_default}" if a.has_default else "")
        for a in spec.schema.free
    ]
    words = ", ".join(with_star(spec.schema.free, parts))
    return f"{spec.schema.called}({words}) -> {spec.schema.returns}"


def returned_type(schema: OpSchema) -> str:
    """The type of what the operator returns in Python."""
    if schema.returns_list:
        return "list[Tensor]"
    if not schema.has_several:
        return "Tensor"
    few = len(schema.results) <= _MOST_WRITTEN_OUT
    items = ", ".join(["Tensor"] * len(schema.results)) if few else "Tensor, ..."
    return f"tuple[{items}]"


_MOST_WRITTEN_OUT = 6


def gradient_names(schema: OpSchema) -> list[str]:
    """What the gradients with respect to the results are called beside the arguments."""
    if not schema.has_several:
        return ["grad"]
    taken = [argument.name for argument in schema.arguments]
    return [names.free(f"grad_{result}", taken) for result in schema.results]


def parameters(arguments: tuple[Argument, ...], types: Mapping[str, str]) -> list[str]:
    """Python parameters; ``types`` are those that are called otherwise than elsewhere."""
    found = [f"{a.name}: {types.get(a.type, a.python_type)}" for a in arguments]
    found = [
        f"{word} = {pyexpr.literal(a.default)}" if a.has_default else word
        for a, word in zip(arguments, found, strict=True)
    ]
    return with_star(arguments, found)


def with_star(arguments: Sequence[Argument], words: Sequence[str]) -> list[str]:
    """A word an argument, with a ``*`` before the first that is passed by keyword only."""
    first = next((i for i, a in enumerate(arguments) if a.keyword_only), len(words))
    return [*words[:first], *(["*"] if first < len(words) else []), *words[first:]]


def backward_schema(spec: Spec) -> str:
    """The schema of the operator that computes gradients: those wanted, the others empty. Those of a
    list are one after the other, as all of them are then.
    """
    words = [f"Tensor {name}" for name in gradient_names(spec.schema)]
    words += [f"{a.type} {a.name}" for a in spec.arguments]
    chosen = [a for a in spec.arguments if a.name in spec.kernel_gradients]
    returned = f"({', '.join('Tensor' for _ in chosen)})" if len(chosen) > 1 else "Tensor"
    returned = "Tensor[]" if any(a.is_list for a in chosen) else returned
    return f"{spec.schema.called}_backward({', '.join(words)}, bool[] wants) -> {returned}"
