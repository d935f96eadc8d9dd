"""A call of an ONNX op, held against ``onnx.defs``: inputs, attributes, functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import words
from .definitions import HIGHEST, NUMBERS, Definition, definition, versions
from .numbers import Number, Sizes, Unknown, plain
from .problems import MappingError, Problem, error
from .spelling import did_you_mean

EXAMPLES = {
    "INT": "1",
    "FLOAT": "1.0",
    "STRING": "'linear'",
    "INTS": "[1, 1]",
    "FLOATS": "[1.0, 1.0]",
    "STRINGS": "['a', 'b']",
}
SPOKEN = {
    "INT": "an integer",
    "FLOAT": "a float",
    "STRING": "a string",
    "INTS": "a list of integers",
    "FLOATS": "a list of floats",
    "STRINGS": "a list of strings",
}
_REPLACED = {
    "Upsample": "use op.Resize",
    "Scatter": "use op.ScatterElements",
    "GroupNormalization": "write opset = 21, or the formula",
}
_GRAPH_EXAMPLES = {
    "If": "op.If(condition, then_branch=lambda: op.Neg(x), else_branch=lambda: x)",
    "Loop": "op.Loop(n, None, x, body=lambda i, keep, y: (keep, y * 2.0))",
}
RENAMED = {"k": "K", "value": "constant_value"}
"""Attributes that became inputs of another name."""


def definition_of(op: str, opset: int) -> Definition:
    """Return an op at an opset. Raises MappingError where a mapping cannot call it."""
    found = definition(op, opset)
    if found is None:
        first = next(iter(versions().get(op, ())), None)
        if first is None:
            hint = did_you_mean(op, versions()).replace("did you mean ", "did you mean op.")
            hint = hint or "write it with those at https://onnx.ai/onnx/operators"
            raise error(f"op.{op} is not an ONNX op at opset {opset}", hint, part="op")
        remedy = f"write opset = {first}"
        if first > HIGHEST:
            remedy = f"which no exporter writes: write it with ops up to {HIGHEST}"
        remedy = f"it came with opset {first}: {remedy}"
        raise error(f"op.{op} does not exist at opset {opset}", remedy, part="op")
    if found.deprecated:
        remedy = _REPLACED.get(op, "use the operator that replaced it")
        raise error(f"op.{op} is deprecated at opset {opset}", remedy, part="op")
    graphs = [key for key, kind in found.attributes.items() if kind == "GRAPH"]
    if graphs and op not in _GRAPH_EXAMPLES:
        raise error(
            f"op.{op} holds a graph that the TorchScript exporter cannot write",
            "write op.Loop, whose body takes op.Gather(x, i, axis=0) in round i, say",
            part="op",
        )
    return found


def placed(
    of: Definition,
    opset: int,
    inputs: Sequence[Any],
    keywords: dict[str, Any],
    words: Sequence[str] = (),
) -> list[Any]:
    """Return the inputs in ONNX's order, those taken from ``keywords`` included.

    ``words`` are the inputs as the mapping writes them, for messages.

    Raises:
        MappingError: there are too many or too few, or one is given twice.
    """
    found = list(inputs)
    formals = [formal.name for formal in of.inputs]
    for name in [n for n in keywords if n in formals and n not in of.attributes]:
        place = formals.index(name)
        if place < len(inputs):
            raise error(
                f"input {name} of op.{of.name} is given twice", "remove one of them", part=name
            )
        found += [None] * (place + 1 - len(found))
        found[place] = keywords.pop(name)
    if not of.min_input <= len(found) <= of.max_input:
        expected = count_of(of.min_input, of.max_input, "input")
        given = f"{len(found)} {'is' if len(found) == 1 else 'are'}"
        raise error(
            f"op.{of.name} takes {expected} at opset {opset}, but {given} given",
            f"write {usage(of, words, {})}",
            part="count",
        )
    for place, value in enumerate(found):
        formal = of.input_at(place)
        if value is None and formal.option != "Optional":
            raise error(
                f"input {formal.name} of op.{of.name} cannot be left out",
                "give a tensor",
                part=place,
            )
    return found


def attributes(
    of: Definition,
    opset: int,
    given: Mapping[str, Any],
    inputs: Sequence[str] = (),
    *,
    is_converted: bool = False,
) -> dict[str, Any]:
    """Return the attributes as their kinds are.

    Args:
        of: the op.
        opset: the opset of the call.
        given: the attributes.
        inputs: the inputs as the mapping writes them, for messages.
        is_converted: whether PyTorch converts the call from another opset, words that are new included.

    Raises:
        MappingError: all that is wrong with them.
    """
    found: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in given.items():
        try:
            _check_name(of, opset, name)
            for one in value.literals if isinstance(value, Expression) else [value]:
                if one is not None:
                    found[name] = attribute(of, name, one, is_converted=is_converted)
        except MappingError as problem:
            problems += problem.problems
    is_given = {name for name, value in given.items() if value is not None}
    if missing := sorted(of.required - is_given - GRAPH_NAMES):
        what = "attributes" if len(missing) > 1 else "attribute"
        own = {name: str(given[name]) for name in given if name in of.attributes}
        fact = f"op.{of.name} needs the {what} {' and '.join(missing)}"
        problems.append(Problem(fact, f"write {usage(of, inputs, own)}"))
    if problems:
        raise MappingError(problems)
    return found


GRAPH_NAMES = frozenset(("then_branch", "else_branch", "body"))


@dataclass(frozen=True)
class Expression:
    """A value in a mapping's text, and the literals that it may come to, as far as they are written out."""

    text: str
    literals: Sequence[Any]

    def __str__(self) -> str:
        return self.text


def _check_name(of: Definition, opset: int, name: str) -> None:
    """Raise MappingError where a name is no attribute of the op."""
    known = [word for word in of.attributes if word not in GRAPH_NAMES]
    if name in known:
        return
    formals = [formal.name for formal in of.inputs]
    hint = did_you_mean(name, [*known, *formals])
    if (new := RENAMED.get(name)) in formals:
        hint = f"it is an input now: write {new}=..."
    has = f"it has {', '.join(known)}" if known else "it has none: remove this"
    raise error(
        f"op.{of.name} has no attribute {name} at opset {opset}", hint or has, part=f"{name}="
    )


def attribute(of: Definition, name: str, value: Any, *, is_converted: bool = False) -> Any:
    """Return the value of an attribute of its kind. Raises MappingError where it cannot be this."""
    kind = of.attributes[name]
    if kind not in EXAMPLES:
        fact = f"attribute {name} of op.{of.name} is a {kind.lower()}, which has no notation"
        raise error(fact, "leave it out", part=name)
    if isinstance(value, Unknown):
        value.refuse()
    found, is_list = None, isinstance(value, list | tuple | Sizes | range)
    if is_list and kind.endswith("S"):
        value = plain(value)
        # Items that a writer marked would be others.
        own = list.__iter__(value) if isinstance(value, list) else value
        pairs = [(_single(kind[:-1], item), item) for item in own]
        items = [one for one, _ in pairs]
        is_same = all(one is other for one, other in pairs)
        found = value if is_same else None if None in items else items
    elif not is_list and not kind.endswith("S"):
        found = _single(kind, value)
    if found is None:
        raise error(
            f"attribute {name} of op.{of.name} takes {SPOKEN[kind]}, not {_spoken(value)}",
            f"write {name}={EXAMPLES[kind]}, say",
            part=name,
        )
    if not is_converted and (why := words.problem_with(of, name, found)):
        raise error(*why, part=name, is_of_value=True)
    return found


def _single(kind: str, value: Any) -> Any:
    """Return a value of a kind of attribute; None of another one."""
    if not isinstance(value, int | float | str | bool):
        return None if _is_of_mapping(value) else value  # what the writer knows, and refuses
    if kind == "STRING":
        return value if isinstance(value, str) else None
    if isinstance(value, str):
        return None
    if kind == "FLOAT":
        is_one = isinstance(value, float) and not isinstance(value, Number)
        return value if is_one else float(value)
    if isinstance(value, float):
        return None
    return int(value) if isinstance(value, bool) else plain(value)


def _is_of_mapping(value: Any) -> bool:
    from .tracing import is_value

    return value is None or is_value(value) or callable(value) or isinstance(value, list | tuple)


def check_input(of: Definition, place: int, value: Any) -> None:
    """Raise MappingError where no tensor can be made of an input."""
    name = of.input_at(place).name
    if callable(value) and not isinstance(value, Unknown):
        raise error(
            f"input {name} of op.{of.name} is a function", "write what it returns", part=place
        )
    for item in value if isinstance(value, list | tuple) else [value]:
        if isinstance(item, Unknown):
            item.refuse()
        if isinstance(item, str):
            raise error(
                "text cannot be a tensor", "write a number, or an attribute's name", part=place
            )
        if item is not value and _is_of_mapping(item):
            raise error(
                f"input {name} of op.{of.name} is one tensor, not a list of them",
                "write tensors[0], or op.Concat(*tensors, axis=0), say",
                part=place,
            )


def check_constant_kind(kind: str) -> None:
    """Raise MappingError where no number is of the element type."""
    if kind not in NUMBERS:
        raise error(
            f"a constant cannot be of the element type {kind}",
            "write op.Cast(a, to=1), say, for the tensor beside it",
        )


def check_is_tensor(value: Any, what: str, *, remedy: str = "") -> None:
    """Raise MappingError of a result that no tensor can be made of."""
    from .tracing import is_value

    if isinstance(value, Unknown):
        value.refuse()
    if not (is_value(value) or isinstance(value, int | float)):
        raise error(what, remedy or "write the output of an op.<Name>(...)")


def check_functions(op: str, wanted: Sequence[str], given: Mapping[str, Any]) -> None:
    """Raise MappingError where an op lacks its functions."""
    if missing := [name for name in wanted if name not in given]:
        raise error(
            f"op.{op} needs {' and '.join(missing)}", f"write {_GRAPH_EXAMPLES[op]}", part="op"
        )


def check_parameters(op: str, name: str, function: Callable[..., Any], count: int) -> None:
    """Raise MappingError of what is no function of so many parameters."""
    if isinstance(function, Unknown):
        function.refuse()
    code = getattr(function, "__code__", None)
    words = ["i", "keep", *(f"y{place}" if place else "y" for place in range(count - 2))][:count]
    example = f"lambda{' ' * bool(words)}{', '.join(words)}: ..."
    if code is None:
        raise error(
            f"{name} of op.{op} is a function",
            f"write {name}={example}, or the name of one that is defined above",
            part=name,
        )
    is_plain = not (code.co_flags & 0x0C or code.co_kwonlyargcount or code.co_posonlyargcount)
    if not is_plain or code.co_argcount != count:
        takes = count_of(count, count, "plain parameter") if count else "no parameters"
        raise error(
            f"{name} of op.{op} takes {takes} here",
            f"write {example}, or def step({', '.join(words)})",
            part=name,
        )


def check_branches(then: int, otherwise: int) -> None:
    """Raise MappingError where the branches of an If give not as many."""
    if then != otherwise:
        raise error(
            f"then_branch gives {count_of(then, then, 'tensor')} and else_branch {otherwise}, but op.If "
            "gives those of either",
            "return as many in both",
            part="op",
        )


def check_rounds(results: int, least: int) -> None:
    """Raise MappingError where the body of a Loop gives too few, or the Loop nothing."""
    words = ["keep", *(f"y{place}" if place else "y" for place in range(least - 1))]
    if results < least:
        raise error(
            f"the body of op.Loop gives {results}, but it must give {least} at least: whether there is "
            f"another round, and the {least - 1} carried",
            f"write return {', '.join(words)}",
            part="body",
        )
    if results == 1 and least == 1:
        raise error(
            "this op.Loop gives nothing", f"write {_GRAPH_EXAMPLES['Loop']}, say", part="op"
        )


def usage(of: Definition, inputs: Sequence[str], given: Mapping[str, str]) -> str:
    """Return a call of the op as a mapping writes it."""
    words = list(inputs[: of.max_input])
    words += [formal.name for formal in of.inputs[len(words) : max(of.min_input, 1)]]
    if of.inputs and of.inputs[-1].option == "Variadic" and not inputs:
        words.append("...")
    own = dict(given)
    for name in sorted(of.required - own.keys()):
        own[name] = EXAMPLES.get(of.attributes[name], "...")
    return (
        f"op.{of.name}({', '.join([*words, *(f'{name}={value}' for name, value in own.items())])})"
    )


def count_of(least: int, most: int, what: str) -> str:
    """Return how many there are, in words: ``2 to 3 inputs``."""
    plural = "" if least == 1 else "s"
    if least == most:
        return f"{least} {what}{plural}"
    return f"at least {least} {what}{plural}" if most > 1000 else f"{least} to {most} {what}s"


def _spoken(value: Any) -> str:
    from .tracing import is_value

    if is_value(value):
        return "a tensor"
    if isinstance(value, list | tuple | Sizes | range):
        return "a list"
    words = {bool: "a boolean", int: "an integer", float: "a float", str: "a string"}
    return next((word for kind, word in words.items() if isinstance(value, kind)), "this")
