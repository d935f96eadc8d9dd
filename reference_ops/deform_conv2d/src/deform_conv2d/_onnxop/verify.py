"""Compares PyTorch with ONNX Runtime and with ``onnx.reference`` on an exported model."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from . import nodes
from .export import Domain, Model, export, input_tensors, split_arguments
from .operator import OPERATORS
from .runtime import session_options

Runner = Callable[[dict[str, Any]], Any]

_RUNTIME, _REFERENCE = "ONNX Runtime", "onnx.reference"
_NATIVE = "native kernel"
_BARE = "has no function body"

_TOLERANCES = {
    torch.bfloat16: (5e-2, 2e-2),
    torch.float16: (1e-2, 1e-3),
    torch.float32: (1e-4, 1e-5),
    torch.float64: (1e-7, 1e-8),
}
"""The relative and the absolute error that are allowed, by dtype of the output."""


@dataclass(frozen=True)
class Verification:
    """How far each runtime is from PyTorch on one exported model.

    Attributes:
        exporter: ``"dynamo"`` or ``"TorchScript"``.
        opset: the opset of the exported model.
        errors: the worst absolute error by runtime: ``"ONNX Runtime"``, ``"onnx.reference"`` and,
            where the model has the operator as a node of its domain, ``"native kernel"``: ONNX
            Runtime with the package's library.
        missing: why a runtime could not be compared, by runtime.
        failures: what was out of tolerance, one sentence each.
    """

    exporter: str
    opset: int
    errors: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.exporter}, opset {self.opset}: worst absolute error against PyTorch"]
        lines += [f"  {runtime}: {error:.1e}" for runtime, error in self.errors.items()]
        lines += [f"  {runtime}: not compared ({why})" for runtime, why in self.missing.items()]
        return "\n".join([*lines, *(f"  {failure}" for failure in self.failures)])


def verify(
    model: Model,
    args: Tensor | tuple[Any, ...] = (),
    *,
    kwargs: dict[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    domain: Domain | None = None,
    others: Sequence[tuple[Any, ...]] = (),
    rtol: float | None = None,
    atol: float | None = None,
    **options: Any,
) -> Verification:
    """Exports a model and compares PyTorch with what ONNX Runtime and ``onnx.reference`` compute.

    Args:
        model: the model; it is called in the mode it is in.
        args: the arguments to export it with and to compare it on.
        kwargs: its keyword arguments.
        input_names: the names of the inputs, as in `export`.
        opset_version: the opset, as in `export`.
        dynamo: which exporter, as in `export`.
        domain: the domain, as in `export`.
        others: more arguments to compare it on, of other sizes where axes are dynamic.
        rtol: the relative error allowed; by default 1e-4 for float32 (bfloat16 5e-2, float16 1e-2,
            float64 1e-7).
        atol: the absolute error allowed; by default 1e-5 for float32 (bfloat16 2e-2, float16 1e-3,
            float64 1e-8).
        options: passed on to `export`: ``dynamic_axes``, ``dynamic_shapes`` and so on.

    Returns:
        The worst absolute errors.

    Raises:
        AssertionError: a result is out of tolerance, or of another shape or dtype, or nothing can
            run the model; its text is the whole comparison.
        TypeError: a tensor is of a dtype that neither numpy nor onnx can hold in an array.
    """
    if isinstance(model, torch.export.ExportedProgram) and not args and not kwargs:
        args, kwargs = model.example_inputs or ((), {})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        program = export(
            model,
            args,
            path,
            kwargs=kwargs,
            input_names=input_names,
            opset_version=opset_version,
            dynamo=dynamo,
            domain=domain,
            **{"verbose": False, **options},
        )
        runners, missing = _runners(path, nodes.checked_domains(domain))
        inputs, written = _inputs_and_opset(path)
        errors: dict[str, float] = {}
        failures: dict[str, list[str]] = {}
        for call in (args, *others):
            tensors = input_tensors(model, call, kwargs, input_names)
            feeds = {name: _numpy(tensor) for name, tensor in tensors.items()}
            expected = _expected(model, *split_arguments(call, kwargs))
            for runtime, run in runners.items():
                # An input that the model does not use may be gone from the graph.
                actual = _run(run, {name: feeds[name] for name in inputs}, runtime, missing)
                if actual is None:
                    continue
                error, found = _compare(expected, actual, rtol, atol)
                errors[runtime] = float(np.maximum(error, errors.get(runtime, 0.0)))
                failures.setdefault(runtime, []).extend(found)
    if failures.get(_REFERENCE) and failures.get(_RUNTIME) == []:
        # It has mistakes of its own, in RoiAlign before opset 16 among others.
        missing[_REFERENCE] = f"PyTorch and ONNX Runtime agree, but {failures.pop(_REFERENCE)[0]}"
        del errors[_REFERENCE]
    sentences = [f"{runtime}: {found}" for runtime in failures for found in failures[runtime]]
    result = Verification(
        "TorchScript" if program is None else "dynamo", written, errors, missing, tuple(sentences)
    )
    if sentences or not (errors or any(why.endswith(_BARE) for why in missing.values())):
        raise AssertionError(str(result))
    return result


def _run(run: Runner, feeds: dict[str, Any], runtime: str, missing: dict[str, str]) -> Any:
    """What the runtime computes; None once it is noted that ``onnx.reference`` cannot: it covers
    some operators in part, ``GridSample`` before opset 20 among them.
    """
    if runtime in missing:
        return None
    try:
        return run(feeds)
    except Exception as error:
        if runtime != _REFERENCE:
            raise
        missing[runtime] = f"{type(error).__name__}: {error}"
        return None


def _runners(path: Path, domains: Mapping[str, str]) -> tuple[dict[str, Runner], dict[str, str]]:
    """What can run the model, which has the operators as nodes of their domains where they have one;
    and why the others cannot.
    """
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]
    from onnx.reference import ReferenceEvaluator
    from onnxruntime.capi import onnxruntime_pybind11_state as state  # type: ignore[import-untyped,unused-ignore]

    runners: dict[str, Runner] = {}
    found, bare = _nodes(path)
    missing = dict.fromkeys((_RUNTIME, _REFERENCE), f"{bare[0]} {_BARE}") if bare else {}
    if not bare:
        try:
            session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
            runners[_RUNTIME] = _runner(session)
        except state.NotImplemented as error:
            missing[_RUNTIME] = str(error).rpartition("NOT_IMPLEMENTED : ")[2]
        # Made when it runs: what it does not cover, it says already then.
        runners[_REFERENCE] = lambda feeds: ReferenceEvaluator(os.fspath(path)).run(None, feeds)
    served = [
        operator
        for operator in OPERATORS
        if operator.is_native and (domains[str(operator)], operator.op_type) in found
    ]
    if served:
        options = session_options(domain={str(o): domains[str(o)] for o in served})
        native = onnxruntime.InferenceSession(path, options)
        runners[_NATIVE] = _runner(native)
    return runners, missing


def _runner(session: Any) -> Runner:
    """Runs the session on arrays. ONNX Runtime's own have no bfloat16: such values go in as their
    bits, and come out as PyTorch's tensors.
    """
    from onnxruntime import OrtValue

    ports = [*session.get_inputs(), *session.get_outputs()]
    if all(port.type != "tensor(bfloat16)" for port in ports):
        return lambda feeds: session.run(None, feeds)

    def to_value(array: Any) -> Any:
        if array.dtype != _bfloat16():
            return OrtValue.ortvalue_from_numpy(array)
        return OrtValue.ortvalue_from_numpy_with_onnx_type(array.view(np.uint16), _BFLOAT16)

    def to_array(value: Any) -> Any:
        if value.element_type() != _BFLOAT16:
            return value.numpy()
        return _numpy(torch.utils.dlpack.from_dlpack(value._ortvalue.to_dlpack()))

    def run(feeds: dict[str, Any]) -> Any:
        values = {name: to_value(array) for name, array in feeds.items()}
        return [to_array(value) for value in session.run_with_ort_values(None, values)]

    return run


def _nodes(path: Path) -> tuple[set[tuple[str, str]], list[str]]:
    """The domains and the op types of the model's nodes; and those of domains other than ONNX's
    that have no function body.
    """
    import onnx

    model = onnx.load(path, load_external_data=False)
    functions = {(function.domain, function.name) for function in model.functions}
    nodes = {(node.domain, node.op_type) for node in model.graph.node}
    own = sorted(f"{domain}::{name}" for domain, name in nodes - functions if domain)
    return nodes, [name for name in own if not name.startswith("ai.onnx")]


def _inputs_and_opset(path: Path) -> tuple[list[str], int]:
    import onnx

    model = onnx.load(path, load_external_data=False)
    opsets = {entry.domain: int(entry.version) for entry in model.opset_import}
    return [entry.name for entry in model.graph.input], opsets[""]


def _expected(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Tensor]:
    called = model.module() if isinstance(model, torch.export.ExportedProgram) else model
    with torch.no_grad():
        outputs = called(*args, **kwargs)
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


_BFLOAT16 = 16  # in onnx.TensorProto


def _bfloat16() -> Any:
    """The dtype of arrays that onnx reads as bfloat16: numpy has none of its own."""
    from onnx import helper

    return helper.tensor_dtype_to_np_dtype(_BFLOAT16)


def _numpy(tensor: Tensor) -> Any:
    tensor = tensor.detach().cpu()
    if tensor.dtype == torch.bfloat16:
        return tensor.contiguous().view(torch.int16).numpy().view(_bfloat16())
    return tensor.numpy()


def _compare(
    expected: Sequence[Tensor], actual: Sequence[Any], rtol: float | None, atol: float | None
) -> tuple[float, list[str]]:
    """The worst absolute error over the outputs, and what is out of tolerance."""
    worst, failures = 0.0, []
    for position, (tensor, found) in enumerate(zip(expected, actual, strict=True)):
        wanted = _numpy(tensor)
        if wanted.shape != found.shape or wanted.dtype != found.dtype:
            failures.append(
                f"output {position} is {found.dtype}{list(found.shape)}, "
                f"not {wanted.dtype}{list(wanted.shape)}"
            )
            continue
        default_rtol, default_atol = _TOLERANCES.get(tensor.dtype, (0.0, 0.0))
        relative = default_rtol if rtol is None else rtol
        absolute = default_atol if atol is None else atol
        with np.errstate(invalid="ignore"):
            difference = np.abs(wanted.astype(np.float64) - found.astype(np.float64))
        same = (wanted == found) | (np.isnan(wanted) & np.isnan(found))
        difference = np.where(same, 0.0, difference)
        worst = float(np.maximum(worst, difference.max(initial=0.0)))  # NaN stays NaN
        close = same | (difference <= absolute + relative * np.abs(wanted.astype(np.float64)))
        if not close.all():
            failures.append(
                f"output {position}: {np.count_nonzero(~close)} of {close.size} elements differ "
                f"by more than {absolute} + {relative} * |expected|"
            )
    return worst, failures
