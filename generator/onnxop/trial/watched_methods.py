"""Methods of tensors that note how a model calls them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch

Method = Callable[..., Any]


@contextmanager
def watched_methods(watch: Mapping[str, Callable[[Method], Method]]) -> Iterator[None]:
    """Put other methods in place of those of `torch.Tensor` within the block: by name, each is what
    a function of ``watch`` makes of the original.
    """
    with ExitStack() as stack:
        for name, watched in watch.items():
            stack.callback(_restore, name, vars(torch.Tensor).get(name))
            setattr(torch.Tensor, name, watched(getattr(torch.Tensor, name)))
        yield


def _restore(name: str, method: Method | None) -> None:
    """Set a method of tensors to its own one, or delete it: the base class has one."""
    if method is None:
        delattr(torch.Tensor, name)
    else:
        setattr(torch.Tensor, name, method)
