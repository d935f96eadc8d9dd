"""Strings that no sample has, and that an operator may take."""

from __future__ import annotations

from typing import Any

import torch

from onnxop_runtime.testing.draws.choices.compared_texts import compared_texts
from onnxop_runtime.testing.draws.choices.scalars import others_of
from onnxop_runtime.testing.samples import Error, Sample, fixed, random
from tests.unit.testing.draws.drawn_operators import class_of, scalar

X = random("float32", 3)


def padded(x: torch.Tensor, mode: str = "zeros") -> torch.Tensor:
    """Pad a row; "a text" is no mode."""
    if mode == "edge" or "wrap" == mode:
        return x
    if mode in ("mirror", "symmetric"):
        return x.flip(0)
    match mode:
        case "twice" | "thrice":
            return x.repeat(2)
    return x * {"ones": 1, "twos": 2}[mode]


def test_compared_strings_are_other_values() -> None:
    errors = [Error(RuntimeError, "mode must be no, edge or (full)", x=X, mode=fixed("none"))]
    errors.append(Error(RuntimeError, "x is empty", x=X))
    mode = scalar("mode", "str", "zeros")
    tests = class_of(padded, Sample(x=X), scalars=[mode], errors=errors)
    compared = ["edge", "wrap", "mirror", "symmetric", "twice", "thrice", "ones", "twos"]
    words = ["mode", "must", "be", "no", "or", "full"]
    assert {*compared_texts(tests, "mode")} == {*compared, *words}
    others = others_of(tests, tests.samples[0])["mode"]
    assert {other.value for other in others} == {*compared, *words}
    assert all(other.may_refuse for other in others)


def test_a_reference_without_source_has_none() -> None:
    reference: Any = torch.neg
    tests = class_of(reference, Sample(x=X), scalars=[scalar("mode", "str", "zeros")])
    assert [*compared_texts(tests, "mode")] == []
