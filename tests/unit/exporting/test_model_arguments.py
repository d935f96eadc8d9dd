"""The arguments of a model, as a caller of `export` gives them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.exporting.call import model_arguments as arguments

A, B = torch.ones(2, 3), torch.ones(4)


class Model(torch.nn.Module):
    def forward(
        self, x: Tensor, states: list[Tensor], scale: float = 1.0, **others: Tensor
    ) -> Tensor:
        return x


def test_names_of_tensors() -> None:
    tensors = arguments.input_tensors(Model(), (A, [B, A]), {"scale": 2.0, "mask": B})
    assert [*tensors] == ["x", "states_0", "states_1", "others_mask"]
    assert [*tensors.values()] == [A, B, A, B]


def test_given_names_come_first() -> None:
    assert [*arguments.input_tensors(Model(), (A, [B]), None, ["image"])] == ["image", "states_0"]
    with pytest.raises(ValueError, match="input_names has a name twice"):
        arguments.input_tensors(Model(), (A, [B]), None, ["states_0"])


def test_tensors_of_a_program() -> None:
    class Sum(torch.nn.Module):
        def forward(self, x: Tensor, y: Tensor) -> Tensor:
            return x + y

    program = torch.export.export(Sum(), (A, A), strict=False)
    assert [*arguments.input_tensors(program, ())] == ["x", "y"]


def test_a_dictionary_at_the_end_has_keyword_arguments() -> None:
    assert arguments.split_arguments((A, {"scale": 2.0}), None) == ((A,), {"scale": 2.0})
    assert arguments.split_arguments(A, {"scale": 2.0}) == ((A,), {"scale": 2.0})
    last: dict[str, Any] = {}
    assert arguments.split_arguments((A, last), {"scale": 2.0}) == ((A, last), {"scale": 2.0})


@pytest.mark.parametrize(("args", "expected"), [((A, B), True), ((A, 1), False), ((A, [B]), False)])
def test_tensors_only(args: tuple[Any, ...], expected: bool) -> None:
    class Two(torch.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return x

    assert arguments.takes_tensors_only(arguments.bind(Two(), args, None)) is expected


def test_dynamic_shapes_are_nested_like_the_arguments() -> None:
    bound = arguments.bind(Model(), (A, [B, A]), {"mask": B})
    axes = {"x": {0: "n"}, "states_1": {1: "m"}, "others_mask": {0: "k"}}
    names = iter(["x", "states_0", "states_1", "others_mask"])
    assert arguments.dynamic_shapes(bound, names, axes) == {
        "x": {0: "n"},
        "states": [None, {1: "m"}],
        "mask": {0: "k"},
    }


def test_axes_are_named_as_pytorch_does() -> None:
    axes = {"x": [0, 1], "y": {-1: "m"}}
    assert arguments.checked_axes(axes, {"x": A, "y": A}, ()) == {
        "x": {0: "x_dynamic_axes_1", 1: "x_dynamic_axes_2"},
        "y": {1: "m"},
    }


@pytest.mark.parametrize(
    ("axes", "error", "match"),
    [
        ({"z": [0]}, ValueError, r"names 'z', but the inputs are \['x'\], the outputs \('y',\)"),
        ({"x": [2]}, ValueError, "x has no dimension 2, only 2"),
        (["x"], TypeError, "dynamic_axes maps inputs to dimensions, as in"),
        ({"x": 0}, TypeError, "dynamic_axes maps inputs to dimensions, as in"),
        ({"x": {"0": "n"}}, TypeError, "dynamic_axes maps inputs to dimensions, as in"),
    ],
)
def test_wrong_axes(axes: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        arguments.checked_axes(axes, {"x": A}, ("y",))
