"""The generated tests' samples and refusals, as Python code."""

from __future__ import annotations

from typing import Any

from onnxop import pycode, pyexpr
from onnxop.pycode import Lines
from onnxop.spec import Refusal, Spec
from onnxop.tensors import Literal, RandomTensor, SampleValue


def test_code(spec: Spec) -> dict[str, Any]:
    schema = spec.schema
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
        "exported_calls": (
            f"{spec.namespace}.{schema.name}.default",
            *([f"aten.{schema.name}.{schema.overload or 'default'}"] if schema.exists else []),
        ),
    }


def _title(sample: dict[str, SampleValue]) -> str:
    parts = [
        f"{name} {value.notation if isinstance(value, RandomTensor) else value.expression}"
        for name, value in sample.items()
    ]
    return ", ".join(parts)


def _draw(value: SampleValue) -> str:
    if isinstance(value, Literal):
        return f"literal({value.expression})"
    words = [f"torch.{value.dtype}", *map(str, value.shape)]
    words += [f"{word}={pyexpr.literal(bound)}" for word, bound in _bounds(value)]
    return f"random({', '.join(words)})"


def _bounds(value: RandomTensor) -> list[tuple[str, float | int]]:
    pairs = [("low", value.low), ("high", value.high)]
    return [(word, bound) for word, bound in pairs if bound is not None]


def _draws(values: dict[str, SampleValue]) -> Lines:
    if not values:
        return ["    {},"]
    items = [f'"{name}": {_draw(value)}' for name, value in values.items()]
    one_line = f"    {{{', '.join(items)}}},"
    if len(one_line) + 4 <= pycode.WIDTH:
        return [one_line]
    return ["    {", *(f"        {item}," for item in items), "    },"]


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
