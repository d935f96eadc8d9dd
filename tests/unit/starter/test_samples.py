"""Samples: their values for PyTorch, and as text."""

from __future__ import annotations

import torch

from onnxop.check.load import parse
from onnxop.starter import sample_values

SPEC = """
[op]
schema = "my_lib::f(Tensor x, float y) -> Tensor"

[onnx]
domain = "my_lib"

[kernel]
python = "x * y"

[[samples]]
x = [nan, inf, -inf, 1.5]
y = -inf
"""


def test_what_is_not_a_number() -> None:
    (sample,) = parse(SPEC).samples
    values = sample_values.value_of(sample["x"])
    assert torch.equal(values.isnan(), torch.tensor([True, False, False, False]))
    assert values[1:].tolist() == [torch.inf, -torch.inf, 1.5]
    assert sample_values.value_of(sample["y"]) == -torch.inf
    assert sample_values.table(sample).split("\n")[:3] == [
        "[[samples]]",
        "x = [nan, inf, -inf, 1.5]",
        "y = -inf",
    ]
