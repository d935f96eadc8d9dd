"""`torch.onnx.export` called by others' code: it uses the rules of all imported packages."""

from __future__ import annotations

import io
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import onnx
import torch

from ... import torch_internals
from ...mapping.opsets import DYNAMO
from ...operator import registry
from ...operator.export_context import ExportContext, current_export
from ...operator.model import Operator
from . import dynamo_export, lost_writes, model_arguments, torchscript_export, watched
from .call_sizes import CallSizes, sizes_of_calls
from .checked_export import as_running_export, export
from .other_sizes import OneSidedTrace

STRICT = "ONNXOP_STRICT"
"""The environment variable with which plain exports have all checks of `export`."""

_OPSET = 20
"""The default opset version of `torch.onnx.export`."""


@cache
def use_rules() -> None:
    """Have `torch.onnx.export` use the rules of registered operators, in this process."""
    torch_internals.wrap_exporters(dynamo=_watched_by_dynamo, torchscript=_watched_by_torchscript)


def _watched_by_dynamo(
    stock: Callable[..., Any], model: object, args: object = (), f: object = None, **options: object
) -> object:
    """Export by the dynamo exporter, as `onnxop run` may watch it."""
    with watched.watching(model, args, f, options, dynamo=True) as call:
        call.program = _export_by_dynamo(stock, model, args, f, **options)
    return call.program


def _watched_by_torchscript(
    stock: Callable[..., Any], model: object, args: object, f: object, **options: object
) -> None:
    """Export by the TorchScript exporter, as `onnxop run` may watch it."""
    with watched.watching(model, args, f, options, dynamo=False):
        _export_by_torchscript(stock, model, args, f, **options)


def _export_by_dynamo(
    stock: Callable[..., Any], model: object, args: object, f: Any, **options: Any
) -> object:
    """Export as the stock dynamo exporter does, by the rules of all packages."""
    if _exports_by_pytorch_alone():
        return stock(model, args, f, **options)
    if _is_strict(model):
        return _export_strictly(model, args, f, dynamo=True, **options)
    requested = options.get("opset_version") or _OPSET
    caller_table = options.get("custom_translation_table") or {}
    # The exporter builds at least at its lowest opset; then it converts.
    with _exporting(dynamo=True, opset=max(requested, DYNAMO.start)) as context:
        options["custom_translation_table"] = dynamo_export.prepare(context, caller_table)
        may_fall_back = options.get("fallback", False)  # to TorchScript, which writes the file
        program = stock(model, args, f if may_fall_back else None, **options)
        if context.log.fell_back_to_torchscript:
            return program
        dynamo_export.check_program(program, context)
        if context.written_nodes():
            program.model.graph.sort()
            dynamo_export.complete(program, program.model.opset_imports[""], context)
    if isinstance(f, io.BytesIO):
        onnx.save(program.model_proto, f)
    elif f is not None:
        dynamo_export.save(program, f, options)
    return program


def _export_by_torchscript(
    stock: Callable[..., Any], model: object, args: object, f: Any, **options: Any
) -> None:
    """Export as the stock TorchScript exporter does, and add function bodies to the file."""
    if outer := _falling_back():
        outer.log.fell_back_to_torchscript = True
    elif _exports_by_pytorch_alone():
        stock(model, args, f, **options)
        return
    if _is_strict(model):
        _export_strictly(model, args, f, dynamo=False, **options)
        return
    start = f.tell() if isinstance(f, io.BytesIO) else 0

    def trace() -> None:
        _cut(f, start)  # what an earlier trace wrote
        stock(model, args, f, **options)

    opset = options.get("opset_version") or _OPSET
    with _exporting(dynamo=False, opset=opset) as context:
        sizes = _sizes_of_calls(model, args, options)
        torchscript_export.with_sizes_of_calls(trace, sizes, context)
        if context.written_nodes():
            _complete_file(f, start, context)


def _sizes_of_calls(model: Any, args: Any, options: Mapping[str, Any]) -> CallSizes | None:
    """Return the sizes of tensors at the calls of operators; None for calls that only the stock
    exporter takes.
    """
    if not options.get("dynamic_axes") or not isinstance(model, torch.nn.Module):
        return None
    kwargs = options.get("kwargs")
    try:
        inputs = model_arguments.input_tensors(model, args, kwargs, options.get("input_names"))
        outputs = options.get("output_names") or ()
        axes = model_arguments.checked_axes(options["dynamic_axes"], inputs, outputs)
        call = model, *model_arguments.split_arguments(args, kwargs)
        return sizes_of_calls(call, [*inputs], axes)
    except (TypeError, ValueError):
        return None


def _complete_file(f: Any, start: int, context: ExportContext) -> None:
    """Complete the model in a file, or in a stream from a position on."""
    if isinstance(f, io.BytesIO):
        model = onnx.load_from_string(f.getvalue()[start:])
    else:
        model = onnx.load(f, load_external_data=False)
    torchscript_export.complete(model, context)
    _cut(f, start)
    onnx.save(model, f)


def _cut(f: object, start: int) -> None:
    """Remove what has been written to a stream from a position on; leave files as they are."""
    if isinstance(f, io.BytesIO):
        f.seek(start)
        f.truncate()


def _falling_back() -> ExportContext | None:
    """Return the plain export by the dynamo exporter that calls the TorchScript exporter, or None.
    PyTorch 2.10 does, with ``fallback=True``, for a model that torch.export refuses.
    """
    outer = current_export()
    return outer if outer is not None and outer.is_plain and outer.dynamo else None


def _exports_by_pytorch_alone() -> bool:
    """Return whether PyTorch exports alone: there are no rules, or `export` has made the call."""
    return current_export() is not None or not registry.operators()


@contextmanager
def _exporting(dynamo: bool, opset: int) -> Iterator[ExportContext]:
    """Register a plain export, which belongs to no package, for the duration of the block."""
    context = ExportContext((), dynamo, opset, is_plain=True)
    with as_running_export(context):
        yield context
    lost_writes.warn(context.log.lost_writes)
    lost_writes.warn_of_views(context.log.writes_to_views)


# ---- With all checks ----


class _AllPackages:
    """The caller of an export that belongs to no package."""

    operators: Sequence[Operator] = ()


def _is_strict(model: object) -> bool:
    """Return whether `export` has been asked for, which takes no models of ``torch.jit``."""
    is_scripted = isinstance(model, torch.jit.ScriptModule | torch.jit.ScriptFunction)
    return os.environ.get(STRICT, "") not in ("", "0") and not is_scripted


def _export_strictly(model: Any, args: Any, f: Any, *, dynamo: bool, **options: Any) -> Any:
    """Export with all checks of `export`. Raise ValueError where `export` warns that the file holds
    for one side of a condition on a size.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", OneSidedTrace)
        try:
            return _export_with_checks(model, args, f, dynamo=dynamo, **options)
        except OneSidedTrace as error:
            raise ValueError(str(error)) from None


def _export_with_checks(model: Any, args: Any, f: Any, *, dynamo: bool, **options: Any) -> Any:
    """Export by `export`, into a file or a stream."""
    for name in ("verify", "fallback", *torch_internals.INTERNAL_OPTIONS):
        options.pop(name, None)
    if not isinstance(f, io.BytesIO):
        return export(_AllPackages(), model, args, f, dynamo=dynamo, **options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        options["external_data"] = False
        program = export(_AllPackages(), model, args, path, dynamo=dynamo, **options)
        f.write(path.read_bytes())
    return program
