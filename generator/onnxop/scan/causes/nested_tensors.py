"""A model with padded sequences whose file is wrong → that PyTorch alone computes with nested tensors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from onnxop_runtime.messages import join_words
from onnxop_runtime.verification.differences import difference

from ..report.cause import Cause
from ..report.failed_export import FailedExport

_ADVICE = (
    "Build torch.nn.TransformerEncoder with enable_nested_tensor=False, or set its use_nested_tensor "
    "to False: PyTorch then gives what the file gives, as in training. What the mask hides seldom "
    "has a meaning"
)


def cause(failed: FailedExport) -> Cause | None:
    """Return the modules that PyTorch computes with nested tensors, which no exporter does, if the
    model's results are others without these.
    """
    call, outcome = failed.report.target.call("TorchScript"), failed.outcome
    encoders = {} if call.is_program else _encoders(call.model)
    if not encoders or not outcome.is_wrong:
        return None
    call = call.with_tensors(outcome.inputs) if outcome.inputs else call
    try:
        own = call.results()
        with _without_nested_tensors(encoders):
            others = call.results()
    except Exception:  # noqa: BLE001 - of the user's model
        return None
    if not difference(others, own):
        return None
    noun = "module" if len(encoders) == 1 else "modules"
    return Cause(
        f"PyTorch alone computes the {noun} {join_words(encoders)} with nested tensors, which give 0 "
        "where src_key_padding_mask hides values; a file has what the layers compute there",
        advice=_ADVICE,
    )


def _encoders(model: torch.nn.Module) -> dict[str, torch.nn.TransformerEncoder]:
    """Return the modules that may compute with nested tensors, by name."""
    return {
        name or type(module).__name__: module
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.TransformerEncoder)
        and getattr(module, "use_nested_tensor", False)
    }


@contextmanager
def _without_nested_tensors(encoders: dict[str, torch.nn.TransformerEncoder]) -> Iterator[None]:
    for encoder in encoders.values():
        encoder.use_nested_tensor = False
    try:
        yield
    finally:
        for encoder in encoders.values():
            encoder.use_nested_tensor = True
