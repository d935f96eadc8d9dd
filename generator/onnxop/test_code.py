"""The generated tests' samples and refusals, as Python code."""

from __future__ import annotations

import ast
import re
from typing import Any

from . import pycode, pyexpr
from .pycode import Lines
from .spec import Refusal, Spec
from .tensors import Literal, RandomTensor, SampleValue

_MAX_TITLE = 200


def test_code(spec: Spec) -> dict[str, Any]:
    first = next(iter(spec.samples[0].values()))
    is_double = isinstance(first, RandomTensor) and first.dtype == "float64"
    titles: set[str] = set()
    samples = [_sample(_unique(_title(sample), titles), sample) for sample in spec.samples]
    return {
        "samples": tuple("\n".join(pycode.indented(sample)) for sample in samples),
        "refusals": tuple(
            "\n".join(pycode.indented(_refusal(refusal))) for refusal in spec.refusals
        ),
        "other_dtype": "float32" if is_double else "float64",
        "roundtrip_calls": _roundtrip_calls(spec),
        "test_constants": _constants(spec),
        "autograd_function_lines": [
            *pycode.atom(
                "autograd_function: Any = ", f"package.{spec.class_name}Function", indent=4
            ),
            *pycode.atom("schema = ", f"torch.ops.{spec.overloads[0]}._schema.arguments", indent=4),
        ],
    }


def _constants(spec: Spec) -> Lines:
    name, class_name = spec.schema.name, spec.class_name
    returned = "tuple[Tensor, ...]" if spec.schema.has_several else "Tensor"
    return [
        *pycode.atom(f"FUNCTION: Callable[..., {returned}] = ", f"package.{name}"),
        *pycode.atom("MODULE = ", f"package.{class_name}"),
        *(
            pycode.atom("AUTOGRAD_FUNCTION = ", f"package.{class_name}Function")
            if spec.kernel
            else []
        ),
        *pycode.atom("OPERATOR = ", f"torch.ops.{spec.overloads[0]}"),
        *(
            pycode.atom("EXISTING = ", f"torch.ops.{overload}")[0]
            for overload in spec.overloads[1:]
        ),
    ]


def _roundtrip_calls(spec: Spec) -> Lines:
    """The operator of the package and, where there is one, that of PyTorch."""
    return [
        line
        for operator in spec.overloads
        for line in pycode.call(
            "roundtrip(",
            [f"torch.ops.{operator}", "SAMPLES[0]", "dynamo", "opset", "dynamic=False"],
            indent=4,
        )
    ]


def _title(sample: dict[str, SampleValue]) -> str:
    """The values in words; where they are many, literal tensors by their shapes, then cut."""
    title = ", ".join(f"{name} {_words(value)}" for name, value in sample.items())
    if len(title) > _MAX_TITLE:
        title = ", ".join(f"{name} {_words(value, brief=True)}" for name, value in sample.items())
    return title if len(title) <= _MAX_TITLE else f"{title[: _MAX_TITLE - 3]}..."


def _words(value: SampleValue, *, brief: bool = False) -> str:
    if isinstance(value, RandomTensor) or (brief and value.is_tensor):
        return value.notation
    return value.expression if value.is_inferred else f"{value.dtype} {value.expression}"


def _unique(title: str, taken: set[str]) -> str:
    """The title, with a number behind it where a sample before has the same."""
    unique, number = title, 2
    while unique in taken:
        unique, number = f"{title} ({number})", number + 1
    taken.add(unique)
    return unique


def _draw(value: SampleValue) -> tuple[str, list[str]]:
    """The call that draws the value, and its arguments."""
    if isinstance(value, Literal):
        return ("tensor(" if value.is_tensor else "fixed("), value.words
    words = [f"torch.{value.dtype}", *map(str, value.shape)]
    if value.larger != value.shape:
        words.append(f"larger={_tuple(value.larger)}")
    words += [f"{word}={pyexpr.literal(bound)}" for word, bound in _bounds(value)]
    return "random(", words


def _tuple(sizes: tuple[int, ...]) -> str:
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"


def _bounds(value: RandomTensor) -> list[tuple[str, float | int]]:
    pairs = [("low", value.low), ("high", value.high)]
    return [(word, bound) for word, bound in pairs if bound is not None]


def _draws(values: dict[str, SampleValue]) -> Lines:
    """The dictionary of the draws, for an indent of 4 behind that of these lines."""
    if not values:
        return ["    {},"]
    calls: list[tuple[str, list[str]]] = []
    for name, value in values.items():
        opening, words = _draw(value)
        calls.append((f'"{name}": {opening}', words))
    items = [f"{head}{', '.join(words)})" for head, words in calls]
    one_line = f"    {{{', '.join(items)}}},"
    if pycode.width(one_line) + 4 <= pycode.WIDTH:
        return [one_line]
    lines = [line for head, words in calls for line in _call(head, words)]
    return ["    {", *(line[4:] for line in lines), "    },"]


def _call(head: str, words: list[str]) -> Lines:
    """A call in the dictionary of the draws, at the indent that it ends up with."""
    call = pycode.call(head, words, "),", indent=12)
    if len(call) == 1 or max(map(pycode.width, call[1:-1])) <= pycode.WIDTH:
        return call
    # ruff writes no comma behind an argument that stands alone and is itself broken.
    tail = "," if len(words) > 1 else ""
    return [call[0], *(line for word in words for line in _nested(word, 16, tail)), call[-1]]


def _nested(word: str, indent: int, tail: str = "") -> Lines:
    """A list of lists, or a tuple behind ``larger=``, broken where it is too long for a line."""
    line = f"{' ' * indent}{word}{tail}"
    keyword = re.match(r"([a-z]+=)?", word)
    head = keyword.group() if keyword else ""
    node = ast.parse(word[len(head) :], mode="eval").body
    if pycode.width(line) <= pycode.WIDTH or not isinstance(node, ast.List | ast.Tuple):
        return [line]
    items = [line for item in node.elts for line in _nested(pyexpr.item(item), indent + 4, ",")]
    opening, closing = ("[", "]") if isinstance(node, ast.List) else ("(", ")")
    pad = " " * indent
    return [f"{pad}{head}{opening}", *items, f"{pad}{closing}{tail}"]


def _sample(title: str, values: dict[str, SampleValue]) -> Lines:
    return ["Sample(", f"    {pyexpr.string(title)},", *_draws(values), "),"]


def _refusal(refusal: Refusal) -> Lines:
    title = f"{_title(refusal.values)}: {refusal.raises}".lstrip(": ")
    return [
        "Refusal(",
        f"    {pyexpr.string(title)},",
        *_draws(refusal.values),
        f"    {refusal.raises},",
        f"    {pyexpr.string(refusal.match)},",
        "),",
    ]
