"""The TorchScript exporter's registry: which rule a call gets."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.onnx import errors

from onnxop_runtime.exporting.rules import symbolic_registry

from .graphs import exported, op_types, registered
from .samples import OPSET, asinh, existing

X = torch.linspace(-1, 1, 5)
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_rule_holds_while_it_is_registered() -> None:
    with registered(asinh()):
        assert op_types(exported(torch.asinh, X, dynamo=False)) == ["Asinh"]
    with pytest.raises(errors.UnsupportedOperatorError):
        exported(torch.asinh, X, dynamo=False)


def negated(g: Any, x: Any) -> Any:
    return g.op("Neg", x)


def test_the_former_rule_returns() -> None:
    symbolic_registry.register_symbolic("aten::asinh", negated, OPSET)
    try:
        with registered(asinh()):
            assert op_types(exported(torch.asinh, X, dynamo=False)) == ["Asinh"]
        assert op_types(exported(torch.asinh, X, dynamo=False)) == ["Neg"]
    finally:
        symbolic_registry.unregister_symbolic("aten::asinh", OPSET)


def test_a_later_rule_of_others_stays() -> None:
    try:
        with registered(asinh()):
            symbolic_registry.register_symbolic("aten::asinh", negated, OPSET)
        assert op_types(exported(torch.asinh, X, dynamo=False)) == ["Neg"]
    finally:
        symbolic_registry.unregister_symbolic("aten::asinh", OPSET)


def test_other_overloads_keep_pytorch_s_rule() -> None:
    operator = existing("aten::sum.dim_IntList", "op.Neg(self)")

    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.sum(), x.sum([0])

    with registered(operator):
        assert sorted(op_types(exported(both, X, dynamo=False))) == ["Neg", "ReduceSum"]


def test_two_packages_have_a_rule() -> None:
    with (
        registered(asinh(), asinh(owner="other_lib")),
        pytest.raises(ValueError, match="the packages my_lib and other_lib both have a rule"),
    ):
        exported(torch.asinh, X, dynamo=False)
