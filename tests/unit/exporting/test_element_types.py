"""ONNX's element types and PyTorch's dtypes."""

from __future__ import annotations

import onnx
import pytest
import torch

from onnxop_runtime.exporting.element_types import (
    BY_NUMBER,
    NUMBERS,
    TORCH_TYPES,
    check_not_integer,
    is_integral,
    type_name,
)


@pytest.mark.parametrize("dtype", NUMBERS, ids=str)
def test_names_and_numbers_agree(dtype: torch.dtype) -> None:
    assert TORCH_TYPES[type_name(dtype)] is dtype
    assert BY_NUMBER[NUMBERS[dtype]] is dtype
    assert onnx.TensorProto.DataType.Name(NUMBERS[dtype]) == type_name(dtype)


def test_integral() -> None:
    assert is_integral(torch.bool)
    assert is_integral(torch.uint8)
    assert not any(map(is_integral, (torch.float16, torch.complex64, None)))


def test_integers_in_place_of_floats_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"y: PyTorch returns torch.float32, but the model torch.int64"
    ):
        check_not_integer("y", torch.int64, torch.float32)
    check_not_integer("y", torch.bool, torch.float32)
    check_not_integer("y", torch.int32, torch.int64)
    check_not_integer("y", torch.float64, torch.float32)
