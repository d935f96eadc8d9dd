"""Comparison of PyTorch with ONNX Runtime, ``onnx.reference`` and OpenVINO on an exported model."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..exporting.call.export import Domain, Exporter, export
from ..exporting.call.model_arguments import Model, input_tensors, split_arguments
from ..exporting.domain_nodes.missing_kernels import NoKernelWarning
from ..messages import join_words
from ..optional_imports import need
from .runners import (
    BARE,
    LIMIT,
    NATIVE,
    NATIVE_ON_CUDA,
    ONNX_RUNTIME,
    OPENVINO,
    REFERENCE,
    Runners,
    as_array,
)

TOLERANCES = {
    "bfloat16": (5e-2, 2e-2),
    "float16": (1e-2, 1e-3),
    "float32": (1e-4, 1e-5),
    "float64": (1e-7, 1e-8),
}
"""The allowed relative and absolute errors, by dtype of the output."""


@dataclass(frozen=True)
class Verification:
    """The errors of each runtime against PyTorch on one exported model."""

    exporter: str
    """``"dynamo"`` or ``"TorchScript"``; the file's name if nothing was exported."""
    opset: int
    errors: dict[str, float] = field(default_factory=dict)
    """The worst absolute error by runtime: ``"ONNX Runtime"``, ``"onnx.reference"``,
    ``"native kernel"`` (ONNX Runtime with the package's library, if the model has the operators as
    nodes of custom domains), ``"native kernel, CUDA"`` (on the CUDA provider, if the package is built
    for it and the machine has onnxruntime-gpu and a GPU), and ``"OpenVINO"`` (if installed, and the
    package is built for it).
    """
    missing: dict[str, str] = field(default_factory=dict)
    """The reason why a runtime was not compared, by runtime."""
    failures: tuple[str, ...] = ()
    """The results out of tolerance, one sentence each."""
    native: int = 0
    """The number of nodes that the library computed in ``"native kernel"``."""
    nodes: int = 0
    """The number of the operators' nodes, with subgraphs and functions."""
    against: str = "PyTorch"
    inlined: tuple[str, ...] = ()
    """The nodes whose functions were inlined for OpenVINO, which has no functions."""
    cuda: int = 0
    """The number of nodes that the library for CUDA computed in ``"native kernel, CUDA"``."""

    def __str__(self) -> str:
        against = f"{self.against}{self._note(self.against)}"
        lines = [f"{self.exporter}, opset {self.opset}: worst absolute error against {against}"]
        lines += [
            f"  {runtime}: {error:.1e}{self._note(runtime)}"
            for runtime, error in self.errors.items()
        ]
        lines += [f"  {runtime}: not compared ({why})" for runtime, why in self.missing.items()]
        return "\n".join([*lines, *(f"  {failure}" for failure in self.failures)])

    def _note(self, runtime: str) -> str:
        """Return what to add to the line of a runtime, in parentheses; "" for nothing."""
        if runtime == OPENVINO and self.inlined:
            return f" (functions inlined: {', '.join(self.inlined)})"
        computed = {NATIVE: self.native, NATIVE_ON_CUDA: self.cuda}
        if runtime not in computed:
            return ""
        noun = "node" if self.nodes == 1 else "nodes"
        return f" ({computed[runtime]} of {self.nodes} {noun})"


class NoKernel(AssertionError):
    """The error if no runtime can run a model as a node has no kernel; ``missing`` says which."""

    def __init__(self, verification: Verification) -> None:
        super().__init__(str(verification))
        self.missing = verification.missing


def verify(
    package: Exporter,
    /,
    model: Model | str | os.PathLike[str],
    args: Tensor | tuple[Any, ...] = (),
    *,
    f: str | os.PathLike[str] | None = None,
    kwargs: dict[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    domain: Domain | None = None,
    others: Sequence[tuple[Any, ...]] = (),
    rtol: float | None = None,
    atol: float | None = None,
    budget: float = 20.0,
    **options: Any,
) -> Verification:
    """Export a model and compare the results of PyTorch with those of the runtimes.

    Args:
        model: the model, called in its current mode; or the path of an ONNX file, on which the runtimes
            are compared with each other.
        args: the arguments to export the model with and to compare on.
        f: an ONNX file to compare the model with, instead of an export.
        kwargs: the keyword arguments.
        input_names: the names of the inputs, as in `export`.
        domain: the domain, as in `export`.
        others: more arguments to compare on, with other sizes of dynamic axes.
        rtol: the allowed relative error; by default 1e-4 for float32 (bfloat16 5e-2, float16 1e-2,
            float64 1e-7).
        atol: the allowed absolute error; by default 1e-5 for float32 (bfloat16 2e-2, float16 1e-3,
            float64 1e-8).
        budget: the seconds that ``onnx.reference``, which is slow, may take. It is skipped if it needs
            more, or if the model has 16 MB or more.
        options: arguments of `export`: ``dynamo``, ``opset_version``, ``dynamic_axes`` and so on.

    Returns:
        The worst absolute errors.

    Raises:
        AssertionError: a result is out of tolerance, or has another shape or dtype, or no runtime can
            run the model; the text is the whole comparison.
        TypeError: a tensor's dtype has no numpy or onnx array.
        ValueError: the file is not an ONNX model, or its inputs are not the given ones; or there is nothing
            to export, and options for an export.
    """
    need("verify", "onnx", "onnxruntime")
    is_file = isinstance(model, str | os.PathLike)
    _check_is_export(is_file, f, options)
    if isinstance(model, torch.export.ExportedProgram) and not args and not kwargs:
        args, kwargs = model.example_inputs or ((), {})
    with tempfile.TemporaryDirectory() as folder:
        path, exporter = Path(f or (model if is_file else Path(folder, "model.onnx"))), ""  # type: ignore[arg-type]
        if not is_file and f is None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NoKernelWarning)  # the result says so
                program = export(
                    package,
                    model,  # type: ignore[arg-type]
                    args,
                    path,
                    kwargs=kwargs,
                    input_names=input_names,
                    domain=domain,
                    **{"verbose": False, **options},
                )
            exporter = "TorchScript" if program is None else "dynamo"
        runners = Runners(package, path, domain, budget)
        comparison = _Comparison("" if is_file else "PyTorch", rtol, atol)
        for call in (args, *others):
            if is_file:
                tensors = _by_place(path, runners.inputs, call)
                expected = None
            else:
                tensors = input_tensors(model, call, kwargs, input_names)  # type: ignore[arg-type]
                expected = _expected(model, *split_arguments(call, kwargs))
            if unknown := [name for name in runners.inputs if name not in tensors]:
                raise ValueError(
                    f"{path} has an input {unknown[0]}, but the model has {[*tensors]}; give input_names"
                )
            # The graph may lack inputs that the model does not use.
            feeds = {name: as_array(tensors[name]) for name in runners.inputs}
            comparison.add(expected, runners.answers(feeds))
        return comparison.result(exporter or str(path), runners)


def _check_is_export(
    is_file: bool, f: str | os.PathLike[str] | None, options: Mapping[str, object]
) -> None:
    """Raise ValueError for arguments without effect where a file is compared, and nothing is exported."""
    if is_file and f is not None:
        raise ValueError(
            f"verify got two files, the model and f={os.fspath(f)!r}; give a model to compare with f, or one file"
        )
    if options and (is_file or f is not None):
        raise ValueError(
            f"verify got {join_words([*options])}, which only an export takes, but it compares a file and exports "
            "nothing; remove it, or leave f out"
        )


def _by_place(path: Path, names: Sequence[str], call: Any) -> dict[str, Tensor]:
    """Return the tensors by the names of a file's inputs."""
    tensors = call if isinstance(call, tuple) else (call,)
    if len(tensors) != len(names):
        raise ValueError(f"{path} has the inputs {names}; give a tensor for each")
    for name, tensor in zip(names, tensors, strict=True):
        if not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(f"{path}: the input {name} must be a tensor, but it is a {kind}")
    return dict(zip(names, tensors, strict=True))


def _expected(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
    called = model.module() if isinstance(model, torch.export.ExportedProgram) else model
    with torch.no_grad():
        outputs = called(*args, **kwargs)
    return [*map(as_array, outputs if isinstance(outputs, list | tuple) else [outputs])]


def _is_beyond_int32(array: Any) -> bool:
    return (
        array.dtype.kind in "iu"
        and array.size > 0
        and not -(2**31) <= array.min() <= array.max() < 2**31
    )


@dataclass
class _Comparison:
    """A comparison in progress. Without PyTorch, the first runtime is the one to compare with."""

    against: str
    rtol: float | None
    atol: float | None
    errors: dict[str, float] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)
    too_large: str = ""

    def add(self, expected: Sequence[Any] | None, answers: Iterable[tuple[str, Any]]) -> None:
        for runtime, actual in answers:
            if expected is None:
                self.against, expected = runtime, actual
                continue
            if runtime == OPENVINO and any(map(_is_beyond_int32, expected)):
                self.too_large = "on CPUs it computes int64 in int32, and a result is out of range"
                continue
            error, failures = compare(expected, actual, *self._tolerance(runtime, expected))
            self.errors[runtime] = float(np.maximum(error, self.errors.get(runtime, 0.0)))
            self.failures.setdefault(runtime, []).extend(failures)

    def _tolerance(self, runtime: str, expected: Sequence[Any]) -> Sequence[float | None]:
        """Return rtol and atol; for OpenVINO those of float32, because it computes float64 in float32 on CPUs."""
        is_rounded = runtime == OPENVINO and any(array.dtype == np.float64 for array in expected)
        rtol, atol = TOLERANCES["float32"] if is_rounded else (None, None)
        return rtol if self.rtol is None else self.rtol, atol if self.atol is None else self.atol

    def result(self, exporter: str, runners: Runners) -> Verification:
        errors, failures, missing = self.errors, self.failures, runners.missing
        if self.too_large:
            missing[OPENVINO] = self.too_large
            errors.pop(OPENVINO, None)
        if failures.get(REFERENCE) and not failures.get(ONNX_RUNTIME, [""]):
            # onnx.reference has bugs, such as in RoiAlign before opset 16.
            difference = failures.pop(REFERENCE)[0]
            missing[REFERENCE] = f"{LIMIT}: PyTorch and ONNX Runtime agree, but {difference}"
            del errors[REFERENCE]
        verification = Verification(
            exporter,
            runners.opset,
            errors,
            missing,
            tuple(f"{runtime}: {text}" for runtime in failures for text in failures[runtime]),
            runners.native,
            runners.nodes,
            self.against,
            tuple(runners.inlined),
            runners.cuda,
        )
        if verification.failures:
            raise AssertionError(str(verification))
        is_bare = any(reason.endswith(BARE) for reason in missing.values())
        if not self.against or not (errors or is_bare):
            raise NoKernel(verification)
        return verification


def compare(
    expected: Sequence[Any],
    actual: Sequence[Any],
    rtol: float | None = None,
    atol: float | None = None,
) -> tuple[float, list[str]]:
    """Compare arrays; every comparison uses this definition of correct results.

    The allowed errors are by default those of `verify`, by dtype.

    Returns:
        The worst absolute error over the results, and the results out of tolerance, one sentence each.
    """
    if len(expected) != len(actual):
        return 0.0, [f"{len(actual)} outputs instead of {len(expected)}"]
    worst, failures = 0.0, []
    for position, (wanted, result) in enumerate(zip(expected, actual, strict=True)):
        if wanted.shape != result.shape or wanted.dtype != result.dtype:
            failures.append(
                f"output {position} is {result.dtype}{list(result.shape)}, "
                f"not {wanted.dtype}{list(wanted.shape)}"
            )
            continue
        default_rtol, default_atol = TOLERANCES.get(str(wanted.dtype), (0.0, 0.0))
        relative = default_rtol if rtol is None else rtol
        absolute = default_atol if atol is None else atol
        with np.errstate(invalid="ignore"):
            difference = np.abs(wanted.astype(np.float64) - result.astype(np.float64))
        same = (wanted == result) | (np.isnan(wanted) & np.isnan(result))
        difference = np.where(same, 0.0, difference)
        worst = float(np.maximum(worst, difference.max(initial=0.0)))  # NaN stays NaN
        close = same
        if relative or absolute:  # nothing but itself is near an infinity
            allowed = absolute + relative * np.abs(wanted.astype(np.float64))
            close = same | (np.isfinite(allowed) & (difference <= allowed))
        if not close.all():
            bound = f" by more than {absolute} + {relative} * |expected|"
            fact = f"output {position}: {np.count_nonzero(~close)} of {close.size} elements differ"
            failures.append(fact + bound * bool(relative or absolute))
    return worst, failures
