"""A schema's text → its parts, by PyTorch's own parser (``torchgen``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..words import facts


@dataclass(frozen=True)
class ParsedArgument:
    """``annotation`` is what marks an alias, as in ``Tensor(a!)``."""

    name: str
    type: str
    keyword_only: bool = False
    annotation: str = ""
    is_write: bool = False


@dataclass(frozen=True)
class ParsedReturn:
    """A result; its name may be empty."""

    name: str
    type: str


@dataclass(frozen=True)
class Parsed:
    """``name(arguments) -> (returns)``."""

    arguments: tuple[ParsedArgument, ...]
    returns: tuple[ParsedReturn, ...]


def parse(signature: str) -> Parsed:
    """The parts of a signature. Raises ValueError with what PyTorch's parser says of it."""
    answer = facts.ask(f"parts of {signature}", lambda: _ask(signature))
    if isinstance(answer, str):
        raise ValueError(answer)  # noqa: TRY004 - what it says is wrong with the text
    return Parsed(
        tuple(ParsedArgument(**argument) for argument in answer["arguments"]),
        tuple(ParsedReturn(**result) for result in answer["returns"]),
    )


def is_type(word: str) -> bool:
    """Whether the parser knows the base type."""
    return bool(facts.ask(f"{word} is a type in a schema", lambda: _is_type(word)))


def _is_type(word: str) -> bool:
    from torchgen.model import BaseTy  # type: ignore[import-untyped]

    return any(kind.name == word for kind in BaseTy)


def _ask(signature: str) -> dict[str, Any] | str:
    from torchgen.model import FunctionSchema

    try:
        function = FunctionSchema.parse(signature)
    except Exception as error:  # noqa: BLE001 - AssertionError, RuntimeError, ValueError, ...
        return str(error).split("\n")[0] or "it does not parse"
    keyword_only = {argument.name for argument in function.arguments.flat_kwarg_only}
    arguments = [
        {
            "name": str(argument.name),
            "type": str(argument.type),
            "keyword_only": argument.name in keyword_only,
            "annotation": str(argument.annotation or ""),
            "is_write": argument.is_write,
        }
        for argument in function.arguments.flat_all
    ]
    return {  # a package keeps what says something
        "arguments": [{key: word for key, word in a.items() if word} for a in arguments],
        "returns": [{"name": str(r.name or ""), "type": str(r.type)} for r in function.returns],
    }
