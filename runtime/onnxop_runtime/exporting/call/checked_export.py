"""`torch.onnx.export` for models that call registered operators: checks the arguments, exports,
checks the file.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from ... import debug_info
from ...messages import join_words
from ...operator import export_context
from ...operator.export_context import ExportContext
from ...operator.model import Operator
from ...optional_imports import need
from ...torch_internals import is_onnx_log_enabled, set_onnx_log_enabled
from ..domain_nodes import domains
from ..exported_module import TensorsOnly
from ..exporter_names import NAMES
from ..rules import opsets
from ..rules.translations import Table
from . import dynamo_export, lost_writes, model_arguments, torchscript_export, watched
from .model_arguments import Model
from .request import DynamicShapes, ExportRequest

DynamicAxes = Mapping[str, Mapping[int, str]] | Mapping[str, Sequence[int]]
Domain = str | Mapping[str, str]


class Exporter(Protocol):
    """The exporting package: its operators take precedence over those of other packages."""

    @property
    def operators(self) -> Sequence[Operator]: ...


def export(
    package: Exporter,
    /,
    model: Model,
    args: Tensor | tuple[Any, ...] = (),
    f: str | os.PathLike[str] | None = None,
    *,
    kwargs: dict[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    dynamic_shapes: DynamicShapes | None = None,
    dynamic_axes: DynamicAxes | None = None,
    custom_translation_table: Table | None = None,
    domain: Domain | None = None,
    function_bodies: bool = True,
    strip: bool = False,
    **options: object,
) -> torch.onnx.ONNXProgram | None:
    """Export a model that calls the package's operators, as `torch.onnx.export` does, and check the
    file.

    The file appears only after it has passed the checks.

    Args:
        model: the model, in the mode (``eval()``) to export; a module or an exported program, not a
            ``torch.jit`` one. It may also call operators of other packages made by onnxop.
        args: the positional arguments. If ``kwargs`` is None, a dictionary at the end holds keyword
            arguments. Tensors become inputs of the graph, other values become constants.
        f: the file to write; its folder must exist.
        kwargs: the keyword arguments, treated alike.
        input_names: the names of the graph's inputs, in order; by default the parameters of
            ``model.forward``.
        output_names: the names of the graph's outputs.
        opset_version: the version of the default ONNX domain. The default is 20, or, for a package
            of one operator, the nearest at which the exporter can write it.
        dynamo: True for the dynamo exporter, False for the TorchScript exporter. The latter then
            records what `torch.jit.trace` makes constants: sizes in `torch.tensor`,
            `torch.as_tensor` and `torch.linspace`, integers of ``tolist()``, and overlapping
            windows of ``as_strided()``.
        dynamic_shapes: the dynamic dimensions, as in ``torch.export.export``; dynamo exporter only.
            A dimension is refused if torch.export specialises it to a size, or if PyTorch runs
            other operators at sizes near the example's. ``Dim.AUTO`` lifts both checks.
        dynamic_axes: the dynamic dimensions by input name, for either exporter:
            ``{"x": {0: "batch"}}`` or ``{"x": [0]}``. Where the TorchScript exporter records other
            operators at sizes near the example's, as of a condition or a loop over a size, this
            warns, and names the line of the model.
        domain: "" for standard nodes. A name of your own, such as "my_lib", for one node of that
            domain per call, with the mapping as its function body. A dictionary if operators
            differ: ``{"my_lib::my_add": "my_lib"}``. By default as the specs say. The package's
            library serves the operators' own domains, and those that `session_options` is given.
        function_bodies: False for nodes without function bodies. They run only in engines that know
            them, such as ONNX Runtime with the package's library.
        strip: True to leave out what the exporter writes for people: source lines with their paths,
            and names of modules and operators. Then the same call in another folder writes the same
            bytes.
        custom_translation_table: rules that take precedence over all others.
        options: other arguments of ``torch.onnx.export``, except ``verify``.

    Returns:
        The program in the file from the dynamo exporter, None from the TorchScript exporter.

    Raises:
        ValueError: the exporter cannot write the opset or the file, or names do not match the
            inputs.
        TypeError: an argument has a wrong type.
        RuntimeError: the exporter wrote another opset than requested, or an invalid model.
    """
    need("export", "onnx", "onnxscript")
    # The TorchScript exporter cannot take an ExportedProgram.
    dynamo = dynamo or isinstance(model, torch.export.ExportedProgram)
    _check_model_type(model)
    target = _destination(f, dynamo)
    if options.pop("verify", False):
        raise ValueError("export takes no verify=True; call verify(model, args) for that")
    _check_dynamic_arguments(model, dynamo, dynamic_shapes, dynamic_axes)
    context = _context(package.operators, dynamo, opset_version, domain, function_bodies)
    request = ExportRequest(
        call=(model, *model_arguments.split_arguments(args, kwargs)),
        input_names=input_names,
        output_names=output_names,
        dynamic_shapes=dynamic_shapes,
        table=custom_translation_table or {},
        options=options,
    )
    inputs = model_arguments.input_tensors(model, args, kwargs, input_names)
    if not isinstance(model, torch.export.ExportedProgram):
        request = _with_names(request, inputs, dynamic_axes or {}, dynamo)
    watched_options = {"kwargs": kwargs, "input_names": input_names}
    watching = watched.watching(model, args, target, watched_options, dynamo=dynamo)
    with watching as watched_call, as_running_export(context):
        program = _write_file_and_move(request, context, target, strip)
        watched_call.program = program
    lost_writes.warn(context.log.lost_writes)
    return program


def _check_dynamic_arguments(
    model: Model, dynamo: bool, dynamic_shapes: object, dynamic_axes: object
) -> None:
    """Raise ValueError for dynamic dimensions in the form that the exporter does not take."""
    if dynamic_shapes and not dynamo:
        raise ValueError(
            "dynamic_shapes is for the dynamo exporter; with dynamo=False write "
            'dynamic_axes={"x": {0: "batch"}}'
        )
    if dynamic_axes and isinstance(model, torch.export.ExportedProgram):
        raise ValueError(
            "dynamic_axes cannot change an ExportedProgram; "
            "write torch.export.export(..., dynamic_shapes=...)"
        )


def _context(
    operators: Sequence[Operator],
    dynamo: bool,
    opset_version: int | None,
    domain: Domain | None,
    function_bodies: bool,
) -> ExportContext:
    """Return what the export knows of operators. Raise ValueError for what the exporter cannot
    write.
    """
    requested = domains.checked_domains(operators, domain)
    if not function_bodies and not any(requested.values()):
        raise ValueError(
            'function_bodies=False needs nodes of a custom domain; also give domain="my_lib"'
        )
    opset = opsets.checked(operators, dynamo, opset_version, requested)
    return ExportContext(operators, dynamo, opset, requested, function_bodies)


def _with_names(
    request: ExportRequest, inputs: Mapping[str, Tensor], dynamic_axes: DynamicAxes, dynamo: bool
) -> ExportRequest:
    """Return the request with the names of inputs and dynamic axes, as the exporter takes them."""
    bound = model_arguments.bind(*request.call)
    axes = model_arguments.checked_axes(dynamic_axes, inputs, request.output_names or ())
    further_names = (request.input_names or [])[len(inputs) :]
    if dynamo:
        if further_names:
            raise ValueError(
                f"input_names has further names, {join_words(further_names)}: the inputs are "
                f"{list(inputs)}"
            )
        shapes = request.dynamic_shapes
        if axes and shapes is None:
            shapes = model_arguments.dynamic_shapes(bound, iter(inputs), axes)
        call = request.model, bound.args, bound.kwargs
        return replace(request, call=call, dynamic_shapes=shapes, input_names=list(inputs))
    if model_arguments.takes_tensors_only(bound):
        call = request.model, bound.args, bound.kwargs
    else:
        module = TensorsOnly(request.model, bound.args, bound.kwargs)
        call = module, tuple(inputs.values()), {}
    return replace(request, call=call, dynamic_axes=axes, input_names=[*inputs, *further_names])


def _write_file_and_move(
    request: ExportRequest, context: ExportContext, target: Path | None, strip: bool
) -> torch.onnx.ONNXProgram | None:
    """Write and check the file in a temporary folder, then move it to its target; return the
    program.
    """
    # On the same disk as the target, so that os.replace works.
    parent = None if target is None else target.parent
    with tempfile.TemporaryDirectory(dir=parent, prefix=".onnxop-") as folder:
        path = Path(folder, "model.onnx" if target is None else target.name)
        program = _write_file(request, context, path)
        if strip:
            debug_info.strip_file(path)
            if program is not None:
                debug_info.strip_program(program.model)
        if target is not None:
            _move_files(path, target)
    return program


def _write_file(
    request: ExportRequest, context: ExportContext, path: Path
) -> torch.onnx.ONNXProgram | None:
    """Write the file by the requested exporter, and check it."""
    if context.dynamo:
        return dynamo_export.write_file(request, context, path)
    torchscript_export.write_file(request, context, path)
    return None


def _move_files(path: Path, target: Path) -> None:
    """Move a model and its weights to their destination: the model last."""
    for file in sorted(path.parent.iterdir(), key=lambda file: file == path):
        destination = target.parent / file.name
        if destination.exists():
            shutil.copymode(destination, file)
        os.replace(file, destination)


@contextmanager
def as_running_export(context: ExportContext) -> Iterator[None]:
    """Make an export the current one in the block, for the rules that PyTorch calls and for `onnxop
    run`, which may watch it; afterwards restore whether onnxscript logs. The ValueError of a rule
    replaces the exporter's error, which says less.
    """
    is_logged = is_onnx_log_enabled()
    watched.set_context(context)
    try:
        with export_context.as_current(context):
            yield
    except Exception:
        if context.log.refusals:
            raise context.log.refusals[0] from None
        raise
    finally:
        set_onnx_log_enabled(is_logged)


def _check_model_type(model: object) -> None:
    """Raise TypeError for a model that is no module and no exported program."""
    if isinstance(model, torch.jit.ScriptModule | torch.jit.ScriptFunction):
        raise TypeError(
            f"export takes no {type(model).__name__} of torch.jit; give the original module, or "
            "call torch.onnx.export(..., dynamo=False), which uses the rules of imported packages"
        )
    if not isinstance(model, torch.nn.Module | torch.export.ExportedProgram):
        raise TypeError(
            f"model must be a torch.nn.Module, but it is a {type(model).__name__}; wrap it in a "
            "module that calls it in forward"
        )


def _destination(f: Any, dynamo: bool) -> Path | None:
    """Return the file to write, a link's target. Raise ValueError if there can be none."""
    if f is None and not dynamo:
        exporter = NAMES[False]
        raise ValueError(f"f is missing: {exporter} only writes files; give the path of a file")
    if f is None:
        return None
    path = Path(f).resolve()
    if path.exists() and not path.is_file():
        raise ValueError(f"cannot write {f}: it is not a file; give the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {f}: the folder {path.parent} does not exist")
    return path
