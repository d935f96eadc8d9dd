"""The call that skips the dispatcher's autograd: what it must leave to the dispatcher."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad

from onnxop_runtime import torch_internals as internals
from onnxop_runtime.operator import dispatch

from .samples import SCALED, scaled, weighted

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit:FutureWarning")

make_dual: Any = forward_ad.make_dual  # untyped in torch
unpack_dual: Any = forward_ad.unpack_dual
trace: Any = torch.jit.trace
X = torch.linspace(-1, 2, 4)
WEIGHT = torch.full((4,), 3.0)
EXPECTED = X * X * WEIGHT


@pytest.fixture
def dispatched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the calls that go through the dispatcher's autograd."""
    calls: list[str] = []
    call = dispatch.call

    def recorded(operator: Any, *arguments: Any) -> object:
        calls.append(str(operator))
        return call(operator, *arguments)

    monkeypatch.setattr(dispatch, "call", recorded)
    return calls


def test_plain_tensors_skip_autograd(dispatched: list[str]) -> None:
    torch.testing.assert_close(scaled(X, WEIGHT), EXPECTED)
    torch.testing.assert_close(scaled(X, weight=WEIGHT, alpha=2.0), 2 * EXPECTED)
    assert dispatched == []


def test_without_gradients_nothing_is_recorded(dispatched: list[str]) -> None:
    x = X.clone().requires_grad_()
    with torch.no_grad():
        assert not scaled(x, WEIGHT).requires_grad
    assert dispatched == []


def test_a_tensor_with_gradients_is_recorded(dispatched: list[str]) -> None:
    x = X.clone().requires_grad_()
    scaled(x, WEIGHT).sum().backward()
    torch.testing.assert_close(x.grad, 2 * X * WEIGHT)
    assert dispatched == [str(SCALED)]


def test_a_list_with_gradients_is_recorded() -> None:
    tensors = [X.clone(), X.clone().requires_grad_()]
    assert weighted(tensors, WEIGHT).requires_grad


def test_a_subclass_keeps_its_type() -> None:
    class Tagged(Tensor):
        pass

    assert isinstance(scaled(X.as_subclass(Tagged), WEIGHT), Tagged)


def in_vmap() -> Any:
    return torch.vmap(scaled, in_dims=(0, None))(X[None], WEIGHT)[0]


def in_grad() -> Any:
    (gradient,) = torch.func.grad(lambda x: scaled(x, WEIGHT).sum(), argnums=(0,))(X)
    return gradient * X / 2


def in_forward_mode() -> Any:
    with forward_ad.dual_level():
        result = scaled(make_dual(X, torch.ones_like(X)), WEIGHT)
        tangent = unpack_dual(result).tangent
    assert tangent is not None
    return tangent * X / 2


def in_inference_mode() -> Any:
    with torch.inference_mode():
        return scaled(X, WEIGHT).clone()


def in_trace() -> Any:
    traced = trace(lambda x: scaled(x, WEIGHT), (X,))
    assert "unit_ops::scaled" in str(traced.graph)
    return traced(X)


@pytest.mark.parametrize(
    "compute", [in_vmap, in_grad, in_forward_mode, in_inference_mode, in_trace]
)
def test_modes(compute: Callable[[], Any]) -> None:
    torch.testing.assert_close(compute(), EXPECTED)


def test_autograd_is_there_again_after_an_error() -> None:
    with pytest.raises((RuntimeError, TypeError)):
        scaled(X, torch.ones(3))
    assert not internals.is_excluded(internals.AUTOGRAD)
    assert scaled(X.clone().requires_grad_(), WEIGHT).requires_grad
