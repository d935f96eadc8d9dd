"""Decomposed operators in the TorchScript exporter."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from .graphs import check_values, exported, registered
from .samples import existing

pytestmark = pytest.mark.filterwarnings("ignore")
BLOCKS = torch.ones(2, 3), torch.full((1, 2), 2.0)


@pytest.mark.slow
def test_the_nodes_are_those_of_the_dynamo_exporter() -> None:
    operator = existing("aten::block_diag.default", is_decomposed=True)

    def block_diag(a: Tensor, b: Tensor) -> Any:
        diagonal: Any = torch.block_diag
        return diagonal(a, b)

    with registered(operator):
        model = exported(block_diag, *BLOCKS, dynamo=False)
    check_values(model, block_diag, *BLOCKS)


def test_dynamic_sizes_broadcast() -> None:
    operator = existing("aten::xlogy.Tensor", is_decomposed=True)
    inputs = torch.rand(3, 1) + 1, torch.rand(1, 4) + 1
    with registered(operator):
        model = exported(
            torch.xlogy,
            *inputs,
            dynamo=False,
            input_names=["a", "b"],
            dynamic_axes={"a": {0: "n"}},
        )
    check_values(model, torch.xlogy, torch.rand(5, 1) + 1, inputs[1])


@pytest.mark.slow
@pytest.mark.parametrize("is_dynamic", [True, False])
def test_what_the_dynamo_exporter_refuses_is_not_sent_to_it(is_dynamic: bool) -> None:
    operator = existing("aten::masked_select.default", is_decomposed=True)
    axes = {"input_names": ["x"], "dynamic_axes": {"x": {0: "n"}}} if is_dynamic else {}
    remedy = "export it without dynamic axes, or register a mapping for it"
    with registered(operator), pytest.raises(ValueError, match="cannot decompose it") as raised:
        exported(lambda x: torch.masked_select(x, x > 0), torch.ones(3), dynamo=False, **axes)
    assert (remedy in str(raised.value)) == is_dynamic
    assert "; register a mapping for it" in str(raised.value) or is_dynamic
    assert "dynamo=True" not in str(raised.value)


def test_no_overload_takes_the_call() -> None:
    """An integer that the model computes is a constant for the dynamo exporter."""
    operator = existing("aten::tril.default", is_decomposed=True)

    def tril(x: Tensor) -> Tensor:
        return torch.tril(x, x.shape[0] - 2)

    with registered(operator):
        try:
            model = exported(
                tril,
                torch.ones(3, 3),
                dynamo=False,
                input_names=["x"],
                dynamic_axes={"x": {0: "n", 1: "n"}},
            )
        except ValueError as error:
            assert "an integer argument is dynamic; the TorchScript exporter needs" in str(error)
        else:
            check_values(model, tril, torch.ones(3, 3))
