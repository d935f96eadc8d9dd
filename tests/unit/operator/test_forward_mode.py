"""Tangents of results, computed from the gradients of an operator."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.autograd import forward_ad
from torch.func import jacfwd, jacrev

from onnxop_runtime.operator import forward_mode

from .samples import normalized, scaled, weighted

# PyTorch scripts its decompositions at the first use.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script")
make_dual: Any = forward_ad.make_dual  # untyped in torch
unpack_dual: Any = forward_ad.unpack_dual
jvp: Any = torch.func.jvp
X = torch.linspace(-1, 2, 4, dtype=torch.float64)
WEIGHT = torch.full((4,), 3.0, dtype=torch.float64)
TANGENT = torch.tensor([1.0, 0.0, -2.0, 0.5], dtype=torch.float64)


def test_tangent_of_a_result() -> None:
    result, tangent = jvp(lambda x: scaled(x, WEIGHT), (X,), (TANGENT,))
    torch.testing.assert_close(result, X * X * WEIGHT)
    torch.testing.assert_close(tangent, 2 * X * WEIGHT * TANGENT)


def test_tangents_without_torch_func() -> None:
    with forward_ad.dual_level():
        dual = make_dual(X, TANGENT)
        assert forward_mode.has_tangents([1.0, [dual]])
        assert not forward_mode.has_tangents([X, [X]])
        result = unpack_dual(scaled(dual, WEIGHT))
        torch.testing.assert_close(result.tangent, 2 * X * WEIGHT * TANGENT)
    assert not forward_mode.has_tangents([X])


def test_an_integer_result_has_no_tangent() -> None:
    index = torch.tensor([1, 2])
    with forward_ad.dual_level():
        result, numbers = normalized(make_dual(X, TANGENT), index)
        assert unpack_dual(result).tangent is not None
        assert unpack_dual(numbers).tangent is None


def test_a_lost_tangent_is_refused() -> None:
    """The gradient of ``weight`` has no formula, so its tangent would be lost."""
    with pytest.raises(NotImplementedError, match="weight"):
        jvp(lambda weight: scaled(X, weight), (WEIGHT,), (TANGENT,))


def test_both_modes_agree() -> None:
    def function(x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = normalized(x, torch.tensor([3, 0]))[0]
        return result

    torch.testing.assert_close(jacfwd(function)(X), jacrev(function)(X))


def test_tangents_of_a_list() -> None:
    _, tangent = jvp(lambda a, b: weighted([a, b], WEIGHT), (X, X), (TANGENT, 2 * TANGENT))
    torch.testing.assert_close(tangent, 3 * TANGENT * WEIGHT)


def test_unpacked_and_with_tangents() -> None:
    assert forward_mode.unpacked(3) == (3, None)
    with forward_ad.dual_level():
        pair = forward_mode.with_tangents((X, X), [TANGENT, None])
        assert [forward_mode.unpacked(tensor)[1] is None for tensor in pair] == [False, True]
        single = forward_mode.with_tangents(X, [TANGENT])
        assert isinstance(single, torch.Tensor)
