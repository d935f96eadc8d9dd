"""What drawn tests ask of a call's tensors."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from onnxop_runtime.testing.draws import drawn_tests

TENSORS = {
    "strided": torch.rand(6).half()[::2],
    "overlapping": torch.rand(3).expand(4, 3),
    "scalar": torch.tensor(1.0),
    "flags": torch.tensor([True, False]),
    "complex": torch.tensor([1 + 2j]).conj(),
}


@pytest.mark.parametrize("name", TENSORS)
def test_a_tensor_and_its_copy_have_the_same_bytes(name: str) -> None:
    tensor: Tensor = TENSORS[name]
    assert drawn_tests._are_same({"x": tensor}, {"x": tensor.clone()})


def test_other_bytes_of_equal_numbers() -> None:
    zeros = torch.zeros(2)
    assert not drawn_tests._are_same({"x": zeros}, {"x": -zeros})


def test_an_empty_tensor_of_any_strides() -> None:
    tensor = torch.empty_strided((3, 0), (2, 2), dtype=torch.float16)
    assert drawn_tests._are_same({"x": tensor}, {"x": tensor})
