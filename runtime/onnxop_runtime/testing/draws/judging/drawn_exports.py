"""Files of drawn calls, and what ONNX Runtime and onnx.reference compute of them."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from ....exporting.domain_nodes.missing_kernels import NoKernelWarning
from ....exporting.rules.opsets import NODES, standard
from ....torch_internals import cache_exporter_tables
from ....verification.runners import NATIVE, ONNX_RUNTIME, REFERENCE, Runners, as_array
from ...arguments import Arguments, split
from ...base import OperatorTests
from ...roundtrips import model_of
from ...samples import Sample
from ..calls.call import DrawnCall
from ..calls.tally import Refused
from ..choices.scalars import value_of
from ..mapping_results import as_tensor

_FAILING_OP = re.compile(r"while running (\w+) node|\bOp \((\w+)\)|Op type: *(\w+)")
"""How ONNX Runtime names the op that fails."""
_OUT_OF_RANGE = re.compile("invalid ind|out of (data )?bounds|out of range")
"""What ONNX Runtime says of an index that is none."""
_OF_DTYPE = re.compile("data type .*not supported|[Uu]nsupported (data )?type")
"""What its kernels say of a dtype when they run, as ScatterND's of sums in float16."""


class Exports:
    """The exports of an operator's calls: one for each sample, and for each change that a file
    fixes.
    """

    def __init__(self, tests: type[OperatorTests], folder: Path) -> None:
        self._tests, self._folder = tests, folder
        self._runners: dict[str, Runners | Refused] = {}

    def answers(self, drawn: DrawnCall) -> Iterator[tuple[str, tuple[Tensor, ...]]]:
        """Yield the results of ONNX Runtime, stock and with the package's library; in place of a
        stock kernel's that refuses a dtype, or tensors without elements, those of onnx.reference.
        Raise Refused if a number of the call is an index that is out of range.
        """
        runners, feeds = self._fed(drawn)
        for runtime in (ONNX_RUNTIME, NATIVE):
            if runtime not in runners.run:
                continue
            try:
                outputs = runners.run[runtime](feeds)
            except Exception as error:
                if self._is_of_index(drawn, runtime, error):
                    raise Refused from error
                if runtime != ONNX_RUNTIME or not self._is_of_runtime(drawn, error):
                    raise
                if (by_definition := self.by_definition(drawn)) is not None:
                    yield REFERENCE, by_definition
                continue
            yield runtime, tuple(map(as_tensor, outputs))

    def _is_of_runtime(self, drawn: DrawnCall, error: Exception) -> bool:
        """Return whether ONNX Runtime refuses a dtype in an op of its own, or a tensor without
        elements, as its GroupNormalization and Mod do: the file may be right.
        """
        failing = _FAILING_OP.search(str(error))
        is_this_op = failing is not None and self._tests.operator.op_type in failing.groups()
        if is_this_op:
            return False
        tensors = split(drawn.arguments())[0].values()
        return bool(_OF_DTYPE.search(str(error))) or any(not t.numel() for t in tensors)

    def _is_of_index(self, drawn: DrawnCall, runtime: str, error: Exception) -> bool:
        """Return whether a runtime refuses an index that is out of range, and computes the call
        with 0 in place of a number of it: then the number is the index. A reference, as
        ``cat([x[:i], row, x[i + 1 :]])``, need not refuse it.
        """
        if not _OUT_OF_RANGE.search(str(error)):
            return False
        calls = (dataclasses.replace(drawn, scalars=s) for s in self._with_first_place(drawn))
        return any(self._is_computed(call, runtime) for call in calls)

    def _with_first_place(self, drawn: DrawnCall) -> Iterator[Arguments]:
        """Yield the scalars of a call with 0 in place of an integer, or of each in a list."""
        for argument in self._tests.operator.scalars:
            if argument.base_type != "int":
                continue
            value = drawn.scalars.get(argument.name, value_of(argument, drawn.sample))
            if value:
                first = [0] * len(value) if isinstance(value, list | tuple) else 0
                yield {**drawn.scalars, argument.name: first}

    def _is_computed(self, drawn: DrawnCall, runtime: str) -> bool:
        """Return whether a runtime computes a call."""
        try:
            runners, feeds = self._fed(drawn)
            runners.run[runtime](feeds)
        except Exception:  # noqa: BLE001 - whatever an exporter or a runtime raises
            return False
        return True

    def by_definition(self, drawn: DrawnCall) -> tuple[Tensor, ...] | None:
        """Return the results of onnx.reference; None if it does not compute the file."""
        runners, feeds = self._fed(drawn)
        if REFERENCE not in runners.run:
            return None
        try:
            with warnings.catch_warnings(action="ignore"):  # numpy's, of NaN
                return tuple(map(as_tensor, runners.run[REFERENCE](feeds)))
        except Exception:  # noqa: BLE001 - it computes some ops in part
            return None

    def _fed(self, drawn: DrawnCall) -> tuple[Runners, dict[str, Any]]:
        """Return the file of a call, and its inputs."""
        arguments = drawn.arguments()
        _, tensors = model_of(self._tests, arguments)
        runners = self._exported(drawn, arguments)
        names = [*split(arguments)[0]]
        arrays = {name: as_array(t.contiguous()) for name, t in zip(names, tensors, strict=True)}
        return runners, {name: arrays[name] for name in runners.inputs}

    def _exported(self, drawn: DrawnCall, arguments: Arguments) -> Runners:
        base = _with_sizes_of(drawn.sample)
        shapes = {name: tensor.shape for name, tensor in split(arguments)[0].items()}
        axes = {name: dims for name, dims in drawn.sample.axes().items() if name in shapes}
        is_fixed = bool(drawn.lengths) or any(
            _has_other_sizes(shape, base[name], axes.get(name, {}))
            for name, shape in shapes.items()
        )
        # As a number of rows to which the sample's numbers are indices.
        is_fixed = is_fixed or (bool(drawn.scalars) and self._refuses(_plain(drawn)))
        key = f"{id(drawn.sample)} {drawn.dtype} {drawn.scalars} {drawn.left_out} {drawn.lengths}"
        if is_fixed:
            key += str(shapes)
        if key not in self._runners:
            self._runners[key] = self._export(drawn, {} if is_fixed else axes)
        runners = self._runners[key]
        if isinstance(runners, Refused):
            raise runners
        return runners

    def _refuses(self, drawn: DrawnCall) -> bool:
        """Return whether the operator refuses a call."""
        try:
            self._tests.function(**drawn.arguments())
        except Exception:  # noqa: BLE001 - whatever an operator raises
            return True
        return False

    def _export(self, drawn: DrawnCall, axes: dict[str, dict[int, str]]) -> Runners | Refused:
        """Export a call, of the sample's sizes if they are dynamic."""
        cache_exporter_tables()
        operator = self._tests.operator
        plain = _plain(drawn) if axes else dataclasses.replace(drawn, values="", layout="")
        if plain.may_be_refused and self._refuses(plain):
            return Refused()
        model, args = model_of(self._tests, plain.arguments())
        is_node = operator.can_be_node and operator.is_native
        opsets = NODES if is_node else standard(operator)
        dynamo = not opsets[False]
        path = self._folder / f"{len(self._runners)}.onnx"
        package: Any = operator.package
        options = {
            "dynamo": dynamo,
            "opset_version": opsets[dynamo][-1],
            "input_names": model.names,
            "dynamic_axes": axes or None,
            "domain": operator.domain if is_node else "",
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoKernelWarning)
            try:
                package.export(model, args, path, **options)
            except RuntimeError as error:
                if "unsupported type" not in str(error):
                    raise
                if not is_node:
                    return Refused()
                # ONNX has no such dtype for the mapping's ops: the library computes the node.
                package.export(model, args, path, **options, function_bodies=False)
        try:
            return Runners(package, path, operator.domain if is_node else "", 1.0)
        except Exception as error:
            # ONNX Runtime computes what is constant when it loads a file of fixed sizes.
            if axes or not self._is_of_runtime(drawn, error):
                raise
            return Refused()


def _plain(drawn: DrawnCall) -> DrawnCall:
    """Return a call with the sample's sizes, values and layout."""
    return dataclasses.replace(drawn, sizes={}, values="", layout="")


def _has_other_sizes(shape: torch.Size, of_sample: torch.Size, dynamic: Collection[int]) -> bool:
    """Return whether a shape has another rank than a sample's, or another size in a dimension that
    is not dynamic.
    """
    if len(shape) != len(of_sample):
        return True
    sizes = enumerate(zip(shape, of_sample, strict=True))
    return any(one != other for dimension, (one, other) in sizes if dimension not in dynamic)


def _with_sizes_of(sample: Sample) -> dict[str, torch.Size]:
    return {name: tensor.shape for name, tensor in split(sample.arguments())[0].items()}


def without_spread(actual: Sequence[Tensor], reference: Sequence[Tensor]) -> Sequence[Tensor]:
    """Return results of a runtime with the reference's finite ones in place of NaN: nodes multiply
    what the reference leaves out by zero.
    """
    if [one.shape for one in actual] != [other.shape for other in reference]:
        return actual
    return [
        torch.where(one.isnan() & other.isfinite(), other.to(one.dtype), one)
        for one, other in zip(actual, reference, strict=True)
    ]
