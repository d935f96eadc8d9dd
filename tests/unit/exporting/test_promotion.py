"""PyTorch's type promotion around mappings: models of integers compute PyTorch's values in its
dtypes.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.exporting.rules.promotion import promoted_rule

from .graphs import check_values, exported, op_types, registered
from .samples import OPSET, asinh, existing

INTEGERS, FLOATS = torch.tensor([1, 2, 3], dtype=torch.int32), torch.tensor([0.5, 1.5, 2.5])
pytestmark = pytest.mark.filterwarnings("ignore")


def test_an_operator_without_mapping() -> None:
    with pytest.raises(ValueError, match=r"has no mapping to standard nodes$"):
        promoted_rule(existing("aten::asinh.default"), OPSET)
    with pytest.raises(ValueError, match=r"has no mapping to standard nodes at opset 9$"):
        promoted_rule(asinh(), 9)


def test_integers_become_floats() -> None:
    with registered(asinh()):
        model = exported(torch.asinh, INTEGERS, dynamo=False)
    assert op_types(model) == ["Cast", "Asinh"]
    check_values(model, torch.asinh, INTEGERS)


def test_floats_stay() -> None:
    with registered(asinh()):
        model = exported(torch.asinh, FLOATS, dynamo=False)
    assert op_types(model) == ["Asinh"]


@pytest.mark.parametrize("others", [INTEGERS, FLOATS], ids=["integers", "mixed"])
def test_two_tensors(others: Tensor) -> None:
    operator = existing("aten::fmod.Tensor", "op.Mod(self, other, fmod=1)")
    with registered(operator):
        model = exported(torch.fmod, INTEGERS, others + 1, dynamo=False)
    check_values(model, torch.fmod, INTEGERS, others + 1)


def test_types_that_an_op_lacks() -> None:
    """Where takes no booleans in ONNX Runtime, so they pass through int64."""
    operator = existing("aten::logical_xor.default", "op.Where(self, op.Not(other), other)")
    booleans = torch.tensor([True, False]), torch.tensor([True, True])
    with registered(operator):
        model = exported(torch.logical_xor, *booleans, dynamo=False)
    assert "Cast" in op_types(model)
    check_values(model, torch.logical_xor, *booleans)


def test_rounding_an_integer_copies_it() -> None:
    operator = existing("aten::trunc.default", "op.Floor(self)")
    with registered(operator):
        model = exported(torch.trunc, INTEGERS, dynamo=False)
    assert op_types(model) == ["Identity"]


def test_a_number_in_place_of_a_tensor() -> None:
    operator = existing("aten::special_zeta.default", "op.Add(self, other)")

    def zeta(x: Tensor) -> Any:
        return torch.special.zeta(x, 2.0)

    with registered(operator):
        model = exported(zeta, FLOATS, dynamo=True)
    check_values(model, lambda x: x + 2, FLOATS)
