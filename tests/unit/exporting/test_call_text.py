"""Replacements of functions as text."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.exporting.replacement import call_text


def scale(x: float, factor: float = 2.0) -> float:
    return x * factor


def negative(x: float) -> float:
    return -x


def replacement(text: str) -> tuple[Any, bool]:
    named = {"negative": negative, "ops.negative": negative}.__getitem__
    return call_text.replacement_of("model.scale", text, scale, named)


def test_a_name_is_its_function() -> None:
    assert replacement("ops.negative") == (negative, False)


@pytest.mark.parametrize(
    ("text", "result"),
    [("negative(x)", -3.0), ("negative(x * factor)", -6.0), ("negative(x=1)", -1)],
)
def test_a_call_is_a_function_of_its_arguments(text: str, result: float) -> None:
    function, is_call = replacement(text)
    assert is_call
    assert function(3.0) == result


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("negative(", "is not Python"),
        ("x + 1", "is neither a dotted name nor a call of one"),
        (
            "negative(facto)",
            "uses facto, but the parameters of model.scale are x and factor; did you mean factor",
        ),
    ],
)
def test_a_wrong_text(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replacement(text)


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, times: int = 2) -> Tensor:
        return x * times


def test_parameters_of_a_function_s_apply() -> None:
    assert [*call_text.parameters_of("Doubled.apply", Doubled.apply).parameters] == ["x", "times"]


def test_the_function_of_a_class() -> None:
    assert call_text.function_of_class("model.Relu", torch.nn.ReLU) == ("forward", True)
    assert call_text.function_of_class("model.Doubled", Doubled) == ("apply", False)
    with pytest.raises(TypeError, match=r"neither a torch.nn.Module nor a torch.autograd.Function"):
        call_text.function_of_class("model.Int", int)
