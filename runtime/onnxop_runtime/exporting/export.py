"""`torch.onnx.export` for models that call registered operators: checks the arguments, exports, checks the file."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from .. import debug_info
from ..operator import registry
from ..operator.model import Operator
from ..operator.registry import Exporting
from ..torch_internals import is_onnx_log_enabled, set_onnx_log_enabled
from ..wanted import need
from . import calls, nodes, opsets
from . import dynamo as _dynamo
from . import torchscript as _torchscript
from .calls import Call, Model

DynamicAxes = Mapping[str, Mapping[int, str]] | Mapping[str, Sequence[int]]
DynamicShapes = dict[str, Any] | tuple[Any, ...] | list[Any]
Table = dict[Callable[..., Any], Callable[..., Any]]

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
    **options: Any,
) -> torch.onnx.ONNXProgram | None:
    """Export a model that calls the package's operators, as `torch.onnx.export` does, and check the file.

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
        opset_version: the version of the default ONNX domain. The default is 20, or, for a package of
            one operator, the nearest at which the exporter can write it.
        dynamo: True for the dynamo exporter, False for the TorchScript exporter.
        dynamic_shapes: the dynamic dimensions, as in ``torch.export.export``; dynamo exporter only.
            A dimension is refused if torch.export specialises it to a size, or if PyTorch runs other
            operators at sizes near the example's. ``Dim.AUTO`` lifts both checks.
        dynamic_axes: the dynamic dimensions by input name, for either exporter:
            ``{"x": {0: "batch"}}`` or ``{"x": [0]}``.
        domain: "" for standard nodes. A name of your own, such as "my_lib", for one node of that domain
            per call, with the mapping as its function body. A dictionary if operators differ:
            ``{"my_lib::my_add": "my_lib"}``. By default as the specs say. The package's library serves
            the operators' own domains, and those that `session_options` is given.
        function_bodies: False for nodes without function bodies. They run only in engines that know
            them, such as ONNX Runtime with the package's library.
        strip: True to leave out what the exporter writes for people: source lines with their paths, and
            names of modules and operators. Then the same call in another folder writes the same bytes.
        custom_translation_table: rules that take precedence over all others.
        options: other arguments of ``torch.onnx.export``, except ``verify``.

    Returns:
        The program in the file from the dynamo exporter, None from the TorchScript exporter.

    Raises:
        ValueError: the exporter cannot write the opset or the file, or names do not match the inputs.
        TypeError: an argument has a wrong type.
        RuntimeError: the exporter wrote another opset than requested, or an invalid model.
    """
    need("export", "onnx", "onnxscript")
    # The TorchScript exporter cannot take an ExportedProgram.
    is_program = isinstance(model, torch.export.ExportedProgram)
    dynamo = dynamo or is_program
    _check_model_type(model)
    target = _destination(f, dynamo)
    if options.pop("verify", False):
        raise ValueError("export takes no verify=True; call verify(model, args) for that")
    if dynamic_shapes and not dynamo:
        raise ValueError(
            "dynamic_shapes is for the dynamo exporter; with dynamo=False write "
            'dynamic_axes={"x": {0: "batch"}}'
        )
    if dynamic_axes and is_program:
        raise ValueError(
            "dynamic_axes cannot change an ExportedProgram; "
            "write torch.export.export(..., dynamic_shapes=...)"
        )
    own = package.operators
    domains = nodes.checked_domains(own, domain)
    if not function_bodies and not any(domains.values()):
        raise ValueError(
            'function_bodies=False needs nodes of a custom domain; also give domain="my_lib"'
        )
    opset = opsets.checked(own, dynamo, opset_version, domains)
    inputs = calls.input_tensors(model, args, kwargs, input_names)
    options |= {
        "dynamo": dynamo,
        "opset_version": opset,
        "input_names": input_names,
        "output_names": output_names,
        "dynamic_shapes": dynamic_shapes,
        "dynamic_axes": dynamic_axes,
        "custom_translation_table": custom_translation_table,
    }
    call: Call = (model, *calls.split_arguments(args, kwargs))
    if not is_program:
        call = _with_names(call, inputs, options)
    # On the same disk as the file, so that os.replace works.
    temporary = tempfile.TemporaryDirectory(dir=target and target.parent, prefix=".onnxop-")
    with under_way(Exporting(own, dynamo, opset, domains, function_bodies)), temporary as folder:
        path = Path(folder, target.name if target else "model.onnx")
        program: torch.onnx.ONNXProgram | None = None
        if dynamo:
            program = _dynamo.write(call, path, options)
        else:
            _torchscript.write(call, path, options)
        if strip:
            debug_info.strip_file(path)
            if program is not None:
                debug_info.strip_program(program.model)
        if target is not None:  # the model last, after its weights
            for file in sorted(Path(folder).iterdir(), key=lambda file: file == path):
                place = target.parent / file.name
                if place.exists():
                    shutil.copymode(place, file)
                os.replace(file, place)
    return program


def _with_names(call: Call, inputs: Mapping[str, Tensor], options: dict[str, Any]) -> Call:
    """Return the call as the exporter takes it; add the names of inputs and dynamic axes to ``options``."""
    bound = calls.bind(*call)
    outputs = options["output_names"] or ()
    axes = calls.checked_axes(options["dynamic_axes"] or {}, inputs, outputs)
    if options["dynamo"]:
        if axes and options["dynamic_shapes"] is None:
            options["dynamic_shapes"] = calls.dynamic_shapes(bound, iter(inputs), axes)
        options |= {"dynamic_axes": None, "input_names": list(inputs)}
        return call[0], bound.args, bound.kwargs
    parameter_names = (options["input_names"] or [])[len(inputs) :]
    options |= {"dynamic_axes": axes, "input_names": [*inputs, *parameter_names]}
    if calls.takes_tensors_only(bound):
        return call[0], bound.args, bound.kwargs
    return calls.TensorsOnly(call[0], bound.args, bound.kwargs), tuple(inputs.values()), {}


@contextmanager
def under_way(export: Exporting) -> Iterator[None]:
    """Register the export as under way for the duration of the block. The ValueError of an
    operator that the exporter cannot write replaces the exporter's error, which says less.
    """
    is_logged = is_onnx_log_enabled()
    try:
        with registry.under_way(export):
            yield
    except Exception:
        if export.refused:
            raise export.refused[0] from None
        raise
    finally:
        set_onnx_log_enabled(is_logged)


def _check_model_type(model: Any) -> None:
    if isinstance(model, torch.jit.ScriptModule | torch.jit.ScriptFunction):
        raise TypeError(
            f"export takes no {type(model).__name__} of torch.jit; give the original module, or call "
            "torch.onnx.export(..., dynamo=False), which uses the rules of imported packages"
        )
    if not isinstance(model, torch.nn.Module | torch.export.ExportedProgram):
        raise TypeError(
            f"model must be a torch.nn.Module, but it is a {type(model).__name__}; wrap it in a "
            "module that calls it in forward"
        )


def _destination(f: Any, dynamo: bool) -> Path | None:
    """Return the file to write, a link's target. Raise ValueError if there can be none."""
    if f is None and not dynamo:
        exporter = opsets.NAMES[False]
        raise ValueError(f"f is missing: {exporter} only writes files; give the path of a file")
    if f is None:
        return None
    path = Path(f).resolve()
    if path.exists() and not path.is_file():
        raise ValueError(f"cannot write {f}: it is not a file; give the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {f}: the folder {path.parent} does not exist")
    return path
