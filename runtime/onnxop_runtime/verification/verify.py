"""Compares PyTorch with ONNX Runtime and with ``onnx.reference`` on an exported model."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from ..exporting.calls import Model, input_tensors, split_arguments
from ..exporting.export import Domain, Exporter, export
from ..wanted import need
from .runners import BARE, NATIVE, ONNX_RUNTIME, REFERENCE, Runners, as_array, told
from .session import Served

_TOLERANCES = {
    "bfloat16": (5e-2, 2e-2),
    "float16": (1e-2, 1e-3),
    "float32": (1e-4, 1e-5),
    "float64": (1e-7, 1e-8),
}
"""The relative and the absolute error that are allowed, by dtype of the output."""

_BUDGET = 20.0


@dataclass(frozen=True)
class Verification:
    """How far each runtime is from PyTorch on one exported model.

    Attributes:
        exporter: ``"dynamo"`` or ``"TorchScript"``; the file's name where none was exported.
        opset: the opset of the exported model.
        errors: the worst absolute error by runtime: ``"ONNX Runtime"``, ``"onnx.reference"`` and,
            where the model has the operator as a node of its domain, ``"native kernel"``: ONNX
            Runtime with the package's library.
        native: how many nodes of the operators the library computed in ``"native kernel"``.
        nodes: how many of them the model has, those in subgraphs and in functions included.
        missing: why a runtime could not be compared, by runtime.
        failures: what was out of tolerance, one sentence each.
    """

    exporter: str
    opset: int
    errors: dict[str, float] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    failures: tuple[str, ...] = ()
    native: int = 0
    nodes: int = 0
    against: str = "PyTorch"

    def __str__(self) -> str:
        count = f" ({self.native} of {self.nodes} node{'s' * (self.nodes != 1)})"
        lines = [
            f"{self.exporter}, opset {self.opset}: worst absolute error against {self.against}"
            + count * (self.against == NATIVE)
        ]
        lines += [
            f"  {runtime}: {error:.1e}{count * (runtime == NATIVE)}"
            for runtime, error in self.errors.items()
        ]
        lines += [f"  {runtime}: not compared ({why})" for runtime, why in self.missing.items()]
        return "\n".join([*lines, *(f"  {failure}" for failure in self.failures)])


class Verified(Exporter, Served, Protocol):
    """A package, as far as it is verified."""


class NoKernel(AssertionError):
    """Nothing here runs a model, for want of a kernel of one of its nodes.

    Attributes:
        missing: why each runtime does not, by its name.
    """

    def __init__(self, found: Verification) -> None:
        super().__init__(str(found))
        self.missing = found.missing


def verify(
    package: Verified,
    /,
    model: Model | str | os.PathLike[str],
    args: Tensor | tuple[Any, ...] = (),
    *,
    f: str | os.PathLike[str] | None = None,
    kwargs: dict[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    domain: Domain | None = None,
    others: Sequence[tuple[Any, ...]] = (),
    rtol: float | None = None,
    atol: float | None = None,
    budget: float = _BUDGET,
    **options: Any,
) -> Verification:
    """Exports a model and compares PyTorch with what ONNX Runtime and ``onnx.reference`` compute.

    Where that takes long, it says on stderr what is at work.

    Args:
        model: the model; it is called in the mode it is in. Or the path of an ONNX file, whose
            runtimes are compared with each other.
        args: the arguments to export it with and to compare it on.
        f: an ONNX file to compare the model with; nothing is exported then.
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
        budget: the seconds that each runtime may take; one that needs more is left out, by name.
            ``onnx.reference`` is slow, and left out where a model has 16 MB and more.
        options: passed on to `export`: ``dynamic_axes``, ``dynamic_shapes`` and so on.

    Returns:
        The worst absolute errors.

    Raises:
        AssertionError: a result is out of tolerance, or of another shape or dtype, or nothing can
            run the model; its text is the whole comparison.
        TypeError: a tensor is of a dtype that neither numpy nor onnx can hold in an array.
        ValueError: the file is no ONNX model, or an input is not of its dtype or sizes.
    """
    need("verify", "onnx", "onnxruntime")
    _check_numbers(rtol=rtol, atol=atol, budget=budget)
    if isinstance(model, str | os.PathLike):
        return _verify_file(package, Path(model), args, others, domain, rtol, atol, budget)
    if isinstance(model, torch.export.ExportedProgram) and not args and not kwargs:
        args, kwargs = model.example_inputs or ((), {})
    with tempfile.TemporaryDirectory() as folder:
        path, exporter = Path(f or Path(folder, "model.onnx")), str(f)
        if f is None:
            with told("the model is being exported"):
                program = export(
                    package,
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
            exporter = "TorchScript" if program is None else "dynamo"
        runners = Runners(package, path, domain, budget)
        comparison = _Comparison(rtol, atol)
        for call in (args, *others):
            tensors = input_tensors(model, call, kwargs, input_names)
            feeds = {name: as_array(tensor) for name, tensor in tensors.items()}
            expected = [as_array(t) for t in _expected(model, *split_arguments(call, kwargs))]
            if unknown := [name for name in runners.inputs if name not in feeds]:
                raise ValueError(f"{path} has the input {unknown[0]}, but the model {[*feeds]}")
            # An input that the model does not use may be gone from the graph.
            feeds = {name: feeds[name] for name in runners.inputs}
            runners.check(feeds)
            for runtime, actual in runners.answers(feeds):
                comparison.add(runtime, expected, actual)
        return comparison.result(exporter, runners)


def _verify_file(
    package: Verified,
    path: Path,
    args: Any,
    others: Sequence[tuple[Any, ...]],
    domain: Domain | None,
    rtol: float | None,
    atol: float | None,
    budget: float,
) -> Verification:
    """Compares the runtimes of a file with the first of them that runs it."""
    runners = Runners(package, path, domain, budget)
    comparison = _Comparison(rtol, atol)
    against = ""
    for call in (args, *others):
        tensors = call if isinstance(call, tuple) else (call,)
        if len(tensors) != len(runners.inputs):
            raise ValueError(f"{path} has the inputs {runners.inputs}; give a tensor for each")
        for name, tensor in zip(runners.inputs, tensors, strict=True):
            if not isinstance(tensor, Tensor):
                kind = type(tensor).__name__
                raise TypeError(f"{path}: the input {name} must be a tensor, but it is a {kind}")
        feeds = dict(zip(runners.inputs, map(as_array, tensors), strict=True))
        runners.check(feeds)
        against, expected = runners.first(feeds)
        for runtime, actual in runners.answers(feeds, besides=against):
            comparison.add(runtime, expected, actual)
    return comparison.result(str(path), runners, against)


def _check_numbers(*, budget: Any, **tolerances: Any) -> None:
    for name, value in {"budget": budget, **tolerances}.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (is_number and value >= 0) and (value is not None or name == "budget"):
            what = "a number of seconds" if name == "budget" else "a number, 0 or more"
            raise ValueError(f"{name} must be {what}, not {value!r}")


@dataclass
class _Comparison:
    """What was found so far."""

    rtol: float | None
    atol: float | None
    errors: dict[str, float] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)

    def add(self, runtime: str, expected: Sequence[Any], actual: Sequence[Any]) -> None:
        error, found = compare(expected, actual, self.rtol, self.atol)
        self.errors[runtime] = float(np.maximum(error, self.errors.get(runtime, 0.0)))
        self.failures.setdefault(runtime, []).extend(found)

    def result(self, exporter: str, runners: Runners, against: str = "PyTorch") -> Verification:
        errors, failures, missing = self.errors, self.failures, runners.missing
        if failures.get(REFERENCE) and not failures.get(ONNX_RUNTIME, [""]):
            # It has mistakes of its own, in RoiAlign before opset 16 among others.
            missing[REFERENCE] = f"PyTorch and ONNX Runtime agree, but {failures.pop(REFERENCE)[0]}"
            del errors[REFERENCE]
        found = Verification(
            exporter,
            runners.opset,
            errors,
            missing,
            tuple(f"{runtime}: {each}" for runtime in failures for each in failures[runtime]),
            runners.native,
            runners.nodes,
            against,
        )
        if found.failures:
            raise AssertionError(str(found))
        if not (errors or any(why.endswith(BARE) for why in missing.values())):
            raise NoKernel(found)
        return found


def _expected(model: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Tensor]:
    called = model.module() if isinstance(model, torch.export.ExportedProgram) else model
    with torch.no_grad():
        outputs = called(*args, **kwargs)
    return list(outputs) if isinstance(outputs, list | tuple) else [outputs]


def compare(
    expected: Sequence[Any],
    actual: Sequence[Any],
    rtol: float | None = None,
    atol: float | None = None,
) -> tuple[float, list[str]]:
    """Compare results, as arrays: the one definition of what is right.

    Args:
        rtol: the relative error allowed; by default that of `verify`, by dtype.
        atol: the absolute error allowed; likewise.

    Returns:
        The worst absolute error over the results, and what is out of tolerance, a sentence each.
    """
    if len(expected) != len(actual):
        return 0.0, [f"{len(actual)} outputs instead of {len(expected)}"]
    worst, failures = 0.0, []
    for position, (wanted, found) in enumerate(zip(expected, actual, strict=True)):
        if wanted.shape != found.shape or wanted.dtype != found.dtype:
            failures.append(
                f"output {position} is {found.dtype}{list(found.shape)}, "
                f"not {wanted.dtype}{list(wanted.shape)}"
            )
            continue
        default_rtol, default_atol = _TOLERANCES.get(str(wanted.dtype), (0.0, 0.0))
        relative = default_rtol if rtol is None else rtol
        absolute = default_atol if atol is None else atol
        with np.errstate(invalid="ignore"):
            difference = np.abs(wanted.astype(np.float64) - found.astype(np.float64))
        same = (wanted == found) | (np.isnan(wanted) & np.isnan(found))
        difference = np.where(same, 0.0, difference)
        worst = float(np.maximum(worst, difference.max(initial=0.0)))  # NaN stays NaN
        close = same
        if relative or absolute:  # of an infinity, no other number is near
            allowed = absolute + relative * np.abs(wanted.astype(np.float64))
            close = same | (np.isfinite(allowed) & (difference <= allowed))
        if not close.all():
            failures.append(
                f"output {position}: {np.count_nonzero(~close)} of {close.size} elements differ "
                f"by more than {absolute} + {relative} * |expected|"
            )
    return worst, failures
