"""Writes to inputs and buffers of a model, which a file does not have."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping

import torch
from torch.export.graph_signature import OutputKind

from ...messages import join_words
from ...operator.export_context import ExportContext

_WRITES = (OutputKind.USER_INPUT_MUTATION, OutputKind.BUFFER_MUTATION)


def warn(by_operator: Mapping[str, Collection[str]]) -> None:
    """Warn of the writes of operators to these arguments, which are inputs or buffers of
    the model.
    """
    _warn(
        by_operator,
        "an input or a buffer of the model, which the file cannot: what is written is one more "
        "result of the operator, so return the tensor from forward to have it as an output",
    )


def warn_of_views(by_operator: Mapping[str, Collection[str]]) -> None:
    """Warn of the writes of operators to these arguments, which are views, in a plain export by the
    TorchScript exporter.
    """
    _warn(
        by_operator,
        "a view of another tensor, to which PyTorch's TorchScript exporter writes nothing back, so "
        "that the file may be wrong; export with dynamo=True, by the package's export, or with "
        "ONNXOP_STRICT=1",
    )


def _warn(by_operator: Mapping[str, Collection[str]], what_is_written: str) -> None:
    """Warn of the writes of operators to arguments, if there are any, and say what these are."""
    if by_operator:
        writes = [f"{name} writes to {join_words(sorted(to))}" for name, to in by_operator.items()]
        warnings.warn(f"{join_words(writes)}, {what_is_written}", stacklevel=3)


def note(program: torch.onnx.ONNXProgram, context: ExportContext) -> None:
    """Record the operators that write to arguments, if the program writes to inputs or buffers."""
    exported = program.exported_program
    specs = exported.graph_signature.output_specs if exported is not None else ()
    if any(spec.kind in _WRITES for spec in specs):
        writing = [operator for operator in context.log.calls if operator.writes]
        context.log.lost_writes |= {o.declared_name: {*o.writes} for o in writing}
