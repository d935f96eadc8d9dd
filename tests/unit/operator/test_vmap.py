"""torch.vmap of operators whose kernel is Python."""

from __future__ import annotations

import torch

from .samples import scaled, weighted

X = torch.arange(6.0).reshape(2, 3)


def test_a_batch_of_one_argument() -> None:
    result = torch.vmap(scaled, in_dims=(0, None))(X, torch.ones(3))
    torch.testing.assert_close(result, X * X)


def test_the_dimension_of_the_batch() -> None:
    result = torch.vmap(scaled, in_dims=(1, None), out_dims=1)(X, torch.ones(2))
    torch.testing.assert_close(result, X * X)


def test_a_batch_of_lists() -> None:
    result = torch.vmap(lambda x: weighted([x, x], torch.ones(3)))(X)
    torch.testing.assert_close(result, 2 * X)


def test_gradients_per_item() -> None:
    gradients = torch.vmap(torch.func.grad(lambda x: scaled(x, torch.ones(3)).sum()))(X)
    torch.testing.assert_close(gradients, 2 * X)
