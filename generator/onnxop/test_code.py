"""The generated tests' samples and refusals, as Python code."""

from __future__ import annotations

import ast
from typing import Any

from onnxop import pycode, pyexpr
from onnxop.pycode import Lines
from onnxop.spec import Refusal, Spec
from onnxop.tensors import Literal, RandomTensor, SampleValue


def test_code(spec: Spec) -> dict[str, Any]:
    first = next(iter(spec.samples[0].values()))
    is_double = isinstance(first, RandomTensor) and first.dtype == "float64"
    titles: dict[str, int] = {}
    samples: list[Lines] = []
    for sample in spec.samples:
        title = _title(sample)
        titles[title] = titles.get(title, 0) + 1
        unique = f"{title} ({titles[title]})" if titles[title] > 1 else title
        samples.append(_sample(unique, sample))
    return {
        "samples": tuple("\n".join(pycode.indented(sample)) for sample in samples),
        "refusals": tuple(
            "\n".join(pycode.indented(_refusal(refusal))) for refusal in spec.refusals
        ),
        "other_dtype": "float32" if is_double else "float64",
        "roundtrip_calls": _roundtrip_calls(spec),
        "test_constants": _constants(spec),
    }


def _constants(spec: Spec) -> Lines:
    name, class_name = spec.schema.name, spec.class_name
    return [
        *pycode.atom("FUNCTION: Callable[..., Tensor] = ", f"package.{name}"),
        *pycode.atom("MODULE = ", f"package.{class_name}"),
        *pycode.atom("AUTOGRAD_FUNCTION = ", f"package.{class_name}Function"),
        *pycode.atom("OPERATOR = ", f"torch.ops.{spec.overloads[0]}"),
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
    parts = [
        f"{name} {value.notation if isinstance(value, RandomTensor) else value.expression}"
        for name, value in sample.items()
    ]
    return ", ".join(parts)


def _draw(value: SampleValue) -> tuple[str, list[str]]:
    """The call that draws the value, and its arguments."""
    if isinstance(value, Literal):
        return "literal(", [value.expression]
    words = [f"torch.{value.dtype}", *map(str, value.shape)]
    words += [f"{word}={pyexpr.literal(bound)}" for word, bound in _bounds(value)]
    return "random(", words


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
    lines: Lines = []
    for head, words in calls:
        call = pycode.call(head, words, "),", indent=12)
        is_long = len(words) == 1 and len(call) > 1 and pycode.width(call[1]) > pycode.WIDTH
        lines += [call[0], *_nested(words[0], 16), call[-1]] if is_long else call
    return ["    {", *(line[4:] for line in lines), "    },"]


def _nested(expression: str, indent: int, tail: str = "") -> Lines:
    """A list of lists, broken where it is too long for a line."""
    line = f"{' ' * indent}{expression}{tail}"
    node = ast.parse(expression, mode="eval").body
    if pycode.width(line) <= pycode.WIDTH or not isinstance(node, ast.List):
        return [line]
    items = [line for item in node.elts for line in _nested(pyexpr.item(item), indent + 4, ",")]
    return [f"{' ' * indent}[", *items, f"{' ' * indent}]{tail}"]


def _sample(title: str, values: dict[str, SampleValue]) -> Lines:
    grows = all(isinstance(v, RandomTensor) or not v.is_tensor for v in values.values())
    tail = ["    can_grow=True,"] if grows else []
    return ["Sample(", f"    {pyexpr.string(title)},", *_draws(values), *tail, "),"]


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
