"""Recurrent modules of PyTorch, which take inputs of any number of features in some cases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.nn.utils.rnn import PackedSequence


@contextmanager
def checked_features() -> Iterator[None]:
    """Let `torch.nn.LSTM`, `GRU` and `RNN` raise ValueError for another number of features than
    theirs. PyTorch 2.15 does not check that of packed sequences of one length, and computes with
    other weights' numbers.
    """
    handle = register_module_forward_pre_hook(_check)
    try:
        yield
    finally:
        handle.remove()


def _check(module: torch.nn.Module, args: tuple[Any, ...]) -> None:
    if not isinstance(module, torch.nn.RNNBase) or not args:
        return
    inputs = args[0].data if isinstance(args[0], PackedSequence) else args[0]
    if inputs.shape[-1] != module.input_size:
        raise ValueError(
            f"the input has {inputs.shape[-1]} features, and the module takes {module.input_size}"
        )
