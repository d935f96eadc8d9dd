"""`torch.onnx.export` for models that call registered operators: checks what it is given, and delivers."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor

from .. import registry
from ..operator.description import Operator
from ..registry import Exporting
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
    """Who exports: a package, whose operators come before those of others."""

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
    **options: Any,
) -> torch.onnx.ONNXProgram | None:
    """`torch.onnx.export` for a model that calls the package's operators: its arguments, and ``domain``.

    A file appears once it has passed the checks.

    Args:
        model: the model, in the mode (``eval()``) in which it is to be exported; none of ``torch.jit``.
            It may call the operators of other packages that onnxop made, too.
        args: its positional arguments; a dictionary at the end holds keyword arguments, where
            ``kwargs`` is None. Tensors become the graph's inputs, anything else is fixed.
        f: the file to write; its folder must exist.
        kwargs: its keyword arguments, likewise.
        input_names: the names of the graph's inputs, in order; by default those of
            ``model.forward``.
        output_names: the names of the graph's outputs.
        opset_version: the opset of the default ONNX domain; by default 20, or the nearest at which
            the exporter can write the package's operator, if it has one alone.
        dynamo: True for the dynamo exporter, False for the TorchScript exporter.
        dynamic_shapes: the dynamic dimensions, as ``torch.export.export`` takes them; for the dynamo
            exporter alone, as in PyTorch. One that torch.export fixes at a size, or at near sizes of
            which PyTorch goes another way through the model, is refused, but for ``Dim.AUTO``.
        dynamic_axes: the same for either exporter, by the name of an input and the dimension:
            ``{"x": {0: "batch"}}`` or ``{"x": [0]}``.
        domain: "" for standard nodes; a name of your own for one node of that domain a call, with
            the mapping as its function body; a dictionary where the operators differ:
            ``{"my_lib::my_add": "my_lib"}``. By default what the specs say. The package's library
            serves the operators' own domains, and others that `session_options` is given.
        function_bodies: False for nodes without functions, which run only where the library is
            registered, or an engine knows them, and nowhere else by mistake.
        custom_translation_table: rules that come before all others.
        options: other arguments of ``torch.onnx.export``, but for ``verify``.

    Returns:
        What ``torch.onnx.export`` returns: of the dynamo exporter a program, which is what is in
        the file; of the TorchScript exporter nothing.

    Raises:
        ValueError: the exporter cannot write the opset or the file, or names do not fit the inputs.
        TypeError: an argument is of a wrong type.
        RuntimeError: the exporter wrote another opset than asked for, or an invalid model.
    """
    need("export", "onnx", "onnxscript")
    # Where it has been through torch.export, there is nothing left for TorchScript.
    is_program = isinstance(model, torch.export.ExportedProgram)
    dynamo = dynamo or is_program
    _check_model_type(model)
    _check_destination(f, dynamo)
    if options.pop("verify", False):
        raise ValueError("export takes no verify=True; call verify(model, args) for that")
    if dynamic_shapes and not dynamo:
        raise ValueError(
            "dynamic_shapes is for the dynamo exporter; with dynamo=False write "
            'dynamic_axes={"x": {0: "batch"}}'
        )
    if dynamic_axes and is_program:
        raise ValueError(
            "dynamic_axes comes too late for an ExportedProgram, whose axes are dynamic or not; "
            "write torch.export.export(..., dynamic_shapes=...)"
        )
    own = package.operators
    domains = nodes.checked_domains(own, domain)
    if not function_bodies and not any(domains.values()):
        raise ValueError(
            'function_bodies=False is for nodes of a domain; give domain="my_lib", too'
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
    target = None if f is None else Path(f)
    # On the disk where the file is to be.
    temporary = tempfile.TemporaryDirectory(dir=target and target.parent, prefix=".onnxop-")
    with _exporting(Exporting(own, dynamo, opset, domains, function_bodies)), temporary as folder:
        path = Path(folder, target.name if target else "model.onnx")
        program: torch.onnx.ONNXProgram | None = None
        if dynamo:
            program = _dynamo.write(call, path, options)
        else:
            _torchscript.write(call, path, options)
        if target is not None:  # the model itself last
            for file in sorted(Path(folder).iterdir(), key=lambda file: file == path):
                os.replace(file, target.parent / file.name)
    return program


def _with_names(call: Call, inputs: Mapping[str, Tensor], options: dict[str, Any]) -> Call:
    """Return the call as the exporter takes it, and have ``options`` name its inputs and dynamic axes."""
    bound = calls.bind(*call)
    outputs = options["output_names"] or ()
    axes = calls.checked_axes(options["dynamic_axes"] or {}, inputs, outputs)
    if options["dynamo"]:
        if axes and options["dynamic_shapes"] is None:
            options["dynamic_shapes"] = calls.dynamic_shapes(bound, iter(inputs), axes)
        options |= {"dynamic_axes": None, "input_names": list(inputs)}
        return call[0], bound.args, bound.kwargs
    of_parameters = (options["input_names"] or [])[len(inputs) :]
    options |= {"dynamic_axes": axes, "input_names": [*inputs, *of_parameters]}
    if calls.takes_tensors_only(bound):
        return call[0], bound.args, bound.kwargs
    return calls.TensorsOnly(call[0], bound.args, bound.kwargs), tuple(inputs.values()), {}


@contextmanager
def _exporting(export: Exporting) -> Iterator[None]:
    """While it lasts, the export is under way.

    Raises:
        ValueError: the model calls an operator that the exporter cannot write there; it says more
            than what the exporter makes of it.
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
            f"export takes no {type(model).__name__} of torch.jit; give the module that it was made of, or "
            "call torch.onnx.export(..., dynamo=False), which knows the rules of imported packages"
        )
    if not isinstance(model, torch.nn.Module | torch.export.ExportedProgram):
        raise TypeError(
            f"model must be a torch.nn.Module, but it is a {type(model).__name__}; call it from a "
            "module's forward"
        )


def _check_destination(f: Any, dynamo: bool) -> None:
    if f is None and not dynamo:
        raise ValueError(
            f"f is missing: {opsets.NAMES[False]} returns nothing; give the path of a file"
        )
    if f is None:
        return
    path = Path(f)
    if path.is_dir() or not path.name:
        raise ValueError(f"cannot write {path}: it is a folder; give the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: the folder {path.parent} does not exist")
