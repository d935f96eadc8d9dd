"""A model → the lines that it runs in exports alone, if its results differ there."""

from __future__ import annotations

from functools import partial

import torch

from onnxop_runtime import processes
from onnxop_runtime.exporting.replacement.replaced import in_place
from onnxop_runtime.verification.differences import difference

from ...trial import places
from ...trial.call import Call
from ...trial.places import Place
from ...trial.trial import IS_IN_EXPORT

_MOST = 4  # lines to tell


def lines(call: Call) -> tuple[Place, ...]:
    """Return lines that the model runs where `torch.onnx.is_in_onnx_export` is true, if its results
    differ there in PyTorch itself. Raises the model's errors.
    """
    with processes.quiet():
        expected, _ = _results(call, is_in_export=False)
        results, is_asked = _results(call, is_in_export=True)
        if not is_asked or not difference(results, expected):
            return ()
        run = partial(_results, call)
        only = places.lines_run_only(
            partial(run, is_in_export=False), partial(run, is_in_export=True)
        )
    return tuple(places.at(file, line) for file, line in only[:_MOST])


def _results(call: Call, *, is_in_export: bool) -> tuple[list[torch.Tensor], bool]:
    """Return the model's results, and whether it has asked if it is exported."""
    torch.manual_seed(0)
    with torch.no_grad(), in_place({IS_IN_EXPORT: lambda: is_in_export}) as calls:
        results = call.results()
    return results, any(calls.values())
