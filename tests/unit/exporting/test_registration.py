"""The registration of operators with both exporters."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.exporting import registration
from onnxop_runtime.operator import registry

from .graphs import exported, op_types, registered
from .samples import asinh, existing

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.linspace(-1, 1, 5)


@pytest.mark.parametrize("dynamo", [True, False], ids=["dynamo", "torchscript"])
def test_a_later_description_of_an_operator_replaces_the_first(dynamo: bool) -> None:
    with registered(asinh()), registered(existing("aten::asinh.default", "op.Neg(self)")):
        assert op_types(exported(torch.asinh, X, dynamo=dynamo)) == ["Neg"]


def test_unregistered_operators_are_gone() -> None:
    operator, before = asinh(), registry.operators()
    registration.register(operator)
    assert operator in registry.operators()
    registration.unregister([operator])
    registration.unregister([operator])
    assert registry.operators() == before
