"""A file of the TorchScript exporter that is wrong → the lines that run under its trace alone."""

from __future__ import annotations

from functools import partial

import torch

from onnxop_runtime.messages import join_words
from onnxop_runtime.torch_internals import pytree
from onnxop_runtime.verification.differences import difference

from ...trial import places
from ...trial.call import Call
from ..calls import traces
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from ..source.shown_lines import MOST_LINES
from . import other_exporter


def cause(failed: FailedExport) -> Cause | None:
    """Return the lines that run under torch.jit.trace alone, if results of its model are wrong."""
    if failed.export.exporter != "TorchScript" or not failed.outcome.is_wrong:
        return None
    call = failed.report.target.call("TorchScript")
    if _is_traced_right(call):
        return None
    only = places.lines_run_only(call.returned, partial(traces.jit_trace, call))
    lines = [places.at(file, line) for file, line in only[:MOST_LINES]]
    if not lines:
        return None
    shown = join_words(line.with_code for line in lines)
    return Cause(
        f"PyTorch runs these lines under torch.jit.trace alone: {shown}",
        tuple(lines),
        other_exporter.advice(failed.report, failed.export.exporter),
    )


def _is_traced_right(call: Call) -> bool:
    """Return whether the traced model gives PyTorch's results for the same inputs."""
    try:
        with torch.no_grad():
            results = traces.jit_trace(call)(*(tensor.detach().clone() for tensor in call.tensors))
        return not difference(pytree.tree_leaves(results), call.results())
    except Exception:  # noqa: BLE001 - of the user's model, or of the trace
        return False
