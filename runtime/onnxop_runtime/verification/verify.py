"""`verify`: PyTorch beside ONNX Runtime, ``onnx.reference`` and OpenVINO, on an exported model."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..exporting.call.checked_export import Domain, Exporter, export
from ..exporting.call.model_arguments import Model, input_tensors
from ..exporting.domain_nodes.missing_kernels import NoKernelWarning
from ..messages import join_words
from ..optional_imports import need
from .comparison import TOLERANCES, compare
from .differences import as_pairs, as_tensor
from .judge import Kind, judge
from .model_call import ModelCall
from .pytorch_results import PyTorchResults
from .runners import (
    BARE,
    LIMIT,
    NATIVE,
    NATIVE_ON_CUDA,
    ONNX_RUNTIME,
    OPENVINO,
    REFERENCE,
    Array,
    Feeds,
    Runners,
    as_array,
)
from .small_values import wrong_small_values


@dataclass(frozen=True)
class Verification:
    """The errors of each runtime against PyTorch on one exported model."""

    exporter: str
    """``"dynamo"`` or ``"TorchScript"``; the file's name if nothing was exported."""
    opset: int
    errors: dict[str, float] = field(default_factory=dict)
    """The worst absolute error by runtime: ``"ONNX Runtime"``, ``"onnx.reference"``, ``"native
    kernel"`` (ONNX Runtime with the package's library, if the model has the operators as nodes of
    custom domains), ``"native kernel, CUDA"`` (on the CUDA provider, if the package is built for it
    and the machine has onnxruntime-gpu and a GPU), and ``"OpenVINO"`` (if installed, and the
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
    remarks: dict[str, str] = field(default_factory=dict)
    """What results beyond the tolerances differ in, by runtime, if they are right all the same:
    ``"right except for rounding"``, ``"right except for the order of equal values"``, ``"right
    except for the order of nearly equal rows"`` or ``"right except for random results"``.
    """

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
        notes = []
        if runtime == OPENVINO and self.inlined:
            notes.append(f"functions inlined: {', '.join(self.inlined)}")
        computed = {NATIVE: self.native, NATIVE_ON_CUDA: self.cuda}
        if runtime in computed:
            noun = "node" if self.nodes == 1 else "nodes"
            notes.append(f"{computed[runtime]} of {self.nodes} {noun}")
        if runtime in self.remarks:
            notes.append(self.remarks[runtime])
        return f" ({'; '.join(notes)})" if notes else ""


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
    **options: object,
) -> Verification:
    """Export a model and compare the results of PyTorch with those of the runtimes.

    Without ``rtol`` and ``atol``, results beyond the tolerances are right if they differ by what
    PyTorch leaves open: by rounding, which its results in float64 tell from errors, by the order of
    equal values or of rows of nearly equal scores, or by random numbers. The result says so.

    Args:
        model: the model, called in its current mode; or the path of an ONNX file, on which the
            runtimes are compared with each other.
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
        budget: the seconds that ``onnx.reference``, which is slow, may take. It is skipped if it
            needs more, or if the model has 16 MB or more.
        options: arguments of `export`: ``dynamo``, ``opset_version``, ``dynamic_axes`` and so on.

    Returns:
        The worst absolute errors.

    Raises:
        AssertionError: a result is out of tolerance, or has another shape or dtype, or no runtime
            can run the model; the text is the whole comparison.
        TypeError: a tensor's dtype has no numpy or onnx array, or ``others`` are not tuples.
        ValueError: the file is not an ONNX model, or its inputs are not the given ones, or have
            other sizes; or there is nothing to export, and options for an export.
    """
    need("verify", "onnx", "onnxruntime")
    _check_calls(others)
    settings = _Settings(domain, budget, rtol, atol)
    if isinstance(model, str | os.PathLike):
        _check_one_file(f)
        _check_no_options(options)
        return _verify_file(package, model, (args, *others), settings)
    if isinstance(model, torch.export.ExportedProgram) and not args and not kwargs:
        args, kwargs = model.example_inputs or ((), {})
    names = {"kwargs": kwargs, "input_names": input_names}
    return _verify_model(package, model, (args, *others), f, settings, names, options)


@dataclass(frozen=True)
class _Settings:
    """How `verify` compares: the domain of nodes, the seconds for a slow runtime, the allowed
    errors.
    """

    domain: Domain | None
    budget: float
    rtol: float | None
    atol: float | None

    def comparison(self, package: Exporter, path: Path, expected: str) -> _Comparison:
        """Return a comparison of a file in all runtimes, with what ``expected`` names."""
        runners = Runners(package, path, self.domain, self.budget)
        return _Comparison(runners, expected, self.rtol, self.atol)


Calls = Sequence[Tensor | tuple[Any, ...]]


def _verify_file(
    package: Exporter, file: str | os.PathLike[str], calls: Calls, settings: _Settings
) -> Verification:
    """Compare the runtimes' results of a file with each other."""
    comparison = settings.comparison(package, Path(file), "")
    for call in calls:
        comparison.add(_by_position(comparison.runners, call))
    return comparison.result(os.fspath(file))


def _verify_model(
    package: Exporter,
    model: Model,
    calls: Calls,
    f: str | os.PathLike[str] | None,
    settings: _Settings,
    names: dict[str, Any],
    options: Mapping[str, object],
) -> Verification:
    """Compare a model's results with those of its file, or of a new export of its first call."""
    if f is not None:
        _check_no_options(options)
    with tempfile.TemporaryDirectory() as folder:
        if f is None:
            path = Path(folder, "model.onnx")
            arguments = {**names, "domain": settings.domain, **options}
            exporter = _export(package, model, calls[0], path, arguments)
        else:
            path, exporter = Path(f), os.fspath(f)
        comparison = settings.comparison(package, path, "PyTorch")
        for call in calls:
            tensors = input_tensors(model, call, names["kwargs"], names["input_names"])
            comparison.add(tensors, _results(model, call, names))
        return comparison.result(exporter)


def _export(
    package: Exporter,
    model: Model,
    args: Tensor | tuple[Any, ...],
    path: Path,
    options: Mapping[str, Any],
) -> str:
    """Export the model into a file; return the exporter's name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoKernelWarning)  # the result says so
        program = export(package, model, args, path, **{"verbose": False, **options})
    return "TorchScript" if program is None else "dynamo"


def _check_calls(others: object) -> None:
    """Raise TypeError if more arguments are no list of calls."""
    form = "verify's others are a list of calls, each a tuple of arguments: others=[(x,), (y,)]"
    if not isinstance(others, list | tuple):
        raise TypeError(f"{form}; they are of type {type(others).__name__}")
    for call in others:
        if not isinstance(call, tuple | Tensor):
            raise TypeError(f"{form}; one is of type {type(call).__name__}")


def _check_one_file(f: str | os.PathLike[str] | None) -> None:
    """Raise ValueError for a second file, where the model is one."""
    if f is not None:
        raise ValueError(
            f"verify got two files, the model and f={os.fspath(f)!r}; give a model to compare with "
            "f, or one file"
        )


def _check_no_options(options: Mapping[str, object]) -> None:
    """Raise ValueError for options of an export, where nothing is exported."""
    if options:
        raise ValueError(
            f"verify got {join_words([*options])}, which only an export takes, but it compares a "
            "file and exports nothing; remove it, or leave f out"
        )


def _by_position(runners: Runners, call: Tensor | tuple[Any, ...]) -> dict[str, Tensor]:
    """Return the tensors of a call by the names of a file's inputs."""
    path, names = runners.path, runners.inputs
    tensors = call if isinstance(call, tuple) else (call,)
    if len(tensors) != len(names):
        raise ValueError(f"{path} has the inputs {names}; give a tensor for each")
    for name, tensor in zip(names, tensors, strict=True):
        if not isinstance(tensor, Tensor):
            type_name = type(tensor).__name__
            raise TypeError(f"{path}: the input {name} must be a tensor, but it is a {type_name}")
    return dict(zip(names, tensors, strict=True))


def _results(
    model: Model, call: Tensor | tuple[Any, ...], names: Mapping[str, Any]
) -> PyTorchResults:
    """Return PyTorch's results."""
    inputs = names["input_names"] or ()
    model_call = ModelCall(model, call, names["kwargs"], inputs, calls_originals=False)
    return PyTorchResults(model_call)


def _is_beyond_int32(array: Array) -> bool:
    """Return whether an array of integers has one that int32 has not."""
    if array.dtype.kind not in "iu" or array.size == 0:
        return False
    return bool(array.min() < -(2**31) or array.max() >= 2**31)


@dataclass
class _Comparison:
    """A comparison in progress."""

    runners: Runners
    against: str
    """What the runtimes are compared with: PyTorch, or the first runtime, which takes the place of
    "".
    """
    rtol: float | None
    atol: float | None
    errors: dict[str, float] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)
    remarks: dict[str, Kind] = field(default_factory=dict)
    """The worst kind of judgement, by runtime, of results that are right except for something."""
    too_large: str = ""
    """Why OpenVINO's results are not compared; "" if they are."""

    def add(self, tensors: Mapping[str, Tensor], pytorch: PyTorchResults | None = None) -> None:
        """Run a call in all runtimes, and compare the results with PyTorch's; without these, with
        the first runtime's.
        """
        names = self.runners.inputs
        unknown = [name for name in names if name not in tensors]
        if unknown:
            raise ValueError(
                f"{self.runners.path} has an input {unknown[0]}, but the model has {[*tensors]}; "
                "give input_names"
            )
        feeds = self._feeds(tensors)
        self._check_sizes(feeds)
        expected = None if pytorch is None else [as_array(tensor) for tensor in pytorch.expected]
        for runtime, actual in self.runners.answers(feeds):
            if expected is None:
                self.against, expected = runtime, actual
                continue
            failures = self._compare(runtime, expected, actual)
            if pytorch is not None and self.rtol is None and self.atol is None:
                if failures:
                    failures = self._judged(runtime, [*tensors], actual, pytorch)
                elif not self.too_large:
                    failures = wrong_small_values([*map(as_tensor, actual)], pytorch)
            self.failures.setdefault(runtime, []).extend(failures)

    def _feeds(self, tensors: Mapping[str, Tensor]) -> Feeds:
        """Return the inputs of the file, which may lack those that the model does not use, and have
        pairs of real numbers for complex ones.
        """
        runners = self.runners
        inputs = {name: tensors[name] for name in runners.inputs}
        return {
            name: as_array(tensor if name in runners.complex_inputs else as_pairs(tensor))
            for name, tensor in inputs.items()
        }

    def _check_sizes(self, feeds: Feeds) -> None:
        """Raise ValueError for an input whose sizes are not those of the file."""
        for name, array in feeds.items():
            sizes = self.runners.sizes[name]
            if sizes is None:
                continue
            if len(sizes) != array.ndim:
                raise ValueError(
                    f"{name} has {len(sizes)} dimensions in the file, but {array.ndim} in a call"
                )
            for d, (size, given) in enumerate(zip(sizes, array.shape, strict=True)):
                if size not in (None, given):
                    raise ValueError(
                        f"dimension {d} of {name} is {size} in the file, but {given} in a call; "
                        f'export it as a dynamic one, as by dynamic_axes={{"{name}": [{d}]}}'
                    )

    def _compare(
        self, runtime: str, expected: Sequence[Array], actual: Sequence[Array]
    ) -> list[str]:
        """Return how the results of one runtime differ."""
        if runtime == OPENVINO and any(map(_is_beyond_int32, expected)):
            self.too_large = "on CPUs it computes int64 in int32, and a result is out of range"
            return []
        rtol, atol = self._tolerance(runtime, expected)
        error, failures = compare(expected, actual, rtol, atol)
        self.errors[runtime] = float(np.maximum(error, self.errors.get(runtime, 0.0)))
        return failures

    def _judged(
        self, runtime: str, names: Sequence[str], actual: Sequence[Array], pytorch: PyTorchResults
    ) -> list[str]:
        """Return how the results of one runtime are wrong, and note what is right except for
        something.
        """

        def run(tensors: Sequence[Tensor]) -> list[Tensor]:
            feeds = self._feeds(dict(zip(names, tensors, strict=True)))
            return [as_tensor(array) for array in self.runners.run[runtime](feeds)]

        judgement = judge([as_tensor(array) for array in actual], pytorch, run)
        if not judgement.is_right:
            return [*judgement.differences, *filter(None, [judgement.note])]
        if judgement.kind is Kind.RIGHT:  # pairs in place of complex numbers
            self.errors[runtime] = judgement.error
        elif judgement.kind > self.remarks.get(runtime, Kind.RIGHT):
            self.remarks[runtime] = judgement.kind
        return []

    def _tolerance(
        self, runtime: str, expected: Sequence[Array]
    ) -> tuple[float | None, float | None]:
        """Return rtol and atol; for OpenVINO those of float32, because it computes float64 in
        float32 on CPUs.
        """
        is_rounded = runtime == OPENVINO and any(array.dtype == np.float64 for array in expected)
        rtol, atol = TOLERANCES["float32"] if is_rounded else (None, None)
        return rtol if self.rtol is None else self.rtol, atol if self.atol is None else self.atol

    def result(self, exporter: str) -> Verification:
        """Return the result; raise AssertionError if a runtime failed, or none could run
        the model.
        """
        runners, missing = self.runners, self.runners.missing
        if self.too_large:
            missing[OPENVINO] = self.too_large
            self.errors.pop(OPENVINO, None)
        if self._only_reference_fails():
            # onnx.reference has bugs, such as in RoiAlign before opset 16.
            difference = self.failures.pop(REFERENCE)[0]
            missing[REFERENCE] = f"{LIMIT}: PyTorch and ONNX Runtime agree, but {difference}"
            del self.errors[REFERENCE]
        failures = [f"{name}: {text}" for name, texts in self.failures.items() for text in texts]
        verification = Verification(
            exporter=exporter,
            opset=runners.opset,
            errors=self.errors,
            missing=missing,
            failures=tuple(failures),
            native=runners.native,
            nodes=runners.nodes,
            against=self.against,
            inlined=tuple(runners.inlined),
            cuda=runners.cuda,
            remarks={runtime: kind.text for runtime, kind in self.remarks.items()},
        )
        if failures:
            raise AssertionError(str(verification))
        is_bare = any(reason.endswith(BARE) for reason in missing.values())
        if not self.against or not (self.errors or is_bare):
            raise NoKernel(verification)
        return verification

    def _only_reference_fails(self) -> bool:
        """Return whether onnx.reference differs, and ONNX Runtime, which was compared, does not."""
        has_agreed = ONNX_RUNTIME in self.failures and not self.failures[ONNX_RUNTIME]
        return has_agreed and bool(self.failures.get(REFERENCE))
