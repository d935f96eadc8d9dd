"""A call of a model in PyTorch → its results, and what further calls tell about them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import torch
from torch import Tensor

from .differences import as_pairs, difference
from .distinct_values import count_values, distinct
from .modes import InFloat64, WithTiesInOnnxOrder

_DRAWS = 20  # calls after which a random result has differed
MOST_PARAMETERS = 10**8
"""The most parameters of a model that is copied in float64."""


Mode = AbstractContextManager[object]


class PyTorchCall(Protocol):
    """A call of a model that can be repeated."""

    @property
    def tensors(self) -> Sequence[Tensor]:
        """The tensors among the arguments, in order."""

    def with_tensors(self, tensors: Sequence[Tensor], /) -> PyTorchCall:
        """Return the call with other tensors in place of its own."""

    def in_float64(self) -> PyTorchCall:
        """Return the call of a copy of the model, in float64. Raise the errors of the copy."""

    def count_parameters(self) -> int:
        """Return the number of the model's parameters."""

    def results(self) -> list[Tensor]:
        """Run the model on copies of its arguments and buffers, and return its results that are
        tensors.
        """


@dataclass(frozen=True)
class Varying:
    """The indices of results that differ between two calls, by what differs."""

    shapes: frozenset[int] = frozenset()
    values: frozenset[int] = frozenset()


class PyTorchResults:
    """The results of a call in PyTorch. Those of further calls are computed when they are needed.

    Args:
        call: the call.
        expected: its results, if they are known.
        modes: the modes in which PyTorch computes.
        exact: the results in float64, if they are known.
    """

    def __init__(
        self,
        call: PyTorchCall,
        expected: Sequence[Tensor] | None = None,
        modes: Sequence[type[Mode]] = (),
        exact: Sequence[Tensor] | None = None,
    ) -> None:
        if exact is not None:
            self.__dict__["_in_float64"] = [*exact]
        self._call: PyTorchCall | None = call
        self._modes = [*modes]
        self.tensors = [*call.tensors]
        self.expected = [*expected] if expected is not None else _results(call, modes)

    @property
    def exact(self) -> list[Tensor] | str:
        """The results in float64, complex ones as pairs; or why PyTorch does not compute these."""
        return self.exact_of(range(len(self.expected)))

    @property
    def known_exact(self) -> list[Tensor] | None:
        """The results in float64, if they were asked for, and PyTorch computes them."""
        known = self.__dict__.get("_in_float64")
        return known if isinstance(known, list) else None

    def exact_of(self, indices: Collection[int]) -> list[Tensor] | str:
        """Return the results in float64, of which those at the indices have the same shapes as
        PyTorch's own; or why PyTorch does not compute these. Others may have other shapes, as the
        rows that `unique` tells apart in float64 alone.
        """
        exact = self._in_float64
        if isinstance(exact, str):
            return exact
        own = self.expected
        is_alike = len(exact) == len(own) and all(
            exact[n].shape == as_pairs(own[n]).shape for n in indices
        )
        return exact if is_alike else "in float64 its results have other shapes"

    @cached_property
    def _in_float64(self) -> list[Tensor] | str:
        """The results in float64, whatever their shapes; or why PyTorch does not compute these."""
        assert self._call is not None
        count = self._call.count_parameters()
        if count > MOST_PARAMETERS:
            return f"a model of {count:,} parameters, more than {MOST_PARAMETERS:,}, is not copied"
        try:
            call, modes = self._call.in_float64(), [*self._modes, InFloat64]
            return [*map(as_pairs, _results(call, modes))]
        except Exception as error:  # noqa: BLE001 - whatever the model raises
            return f"PyTorch does not run the model in float64 ({_first_line(error)})"

    @cached_property
    def varying(self) -> Varying:
        """The results that PyTorch computes otherwise in each call, such as random ones."""
        assert self._call is not None
        shapes, values = set[int](), set[int]()
        with suppress(Exception):
            for _ in range(_DRAWS):
                again, has_drawn = _run(self._call, self._modes)
                for n, (first, second) in enumerate(zip(self.expected, again, strict=True)):
                    if first.shape != second.shape:
                        shapes.add(n)
                    elif difference([second], [first]):
                        values.add(n)
                if len(shapes | values) == len(again) or not has_drawn:
                    break
        return Varying(frozenset(shapes), frozenset(values))

    @cached_property
    def in_onnx_order(self) -> PyTorchResults | None:
        """The results of the same call if equal values are sorted as in ONNX; None if these are no
        others.
        """
        assert self._call is not None
        try:
            in_order = PyTorchResults(self._call, modes=[WithTiesInOnnxOrder])
        except Exception:  # noqa: BLE001 - of operators that such a mode does not reach
            return None
        return in_order if difference(in_order.expected, self.expected) else None

    @cached_property
    def of_distinct_values(self) -> PyTorchResults | None:
        """The results for distinct values in each tensor of which the dtype has enough, and PyTorch
        takes them; None if there is no such tensor.
        """
        assert self._call is not None
        changed: PyTorchCall | None = None
        tensors = [*self.tensors]
        for at, tensor in enumerate(self.tensors):
            with suppress(Exception):  # of bool, and of indices that are too large then
                other = distinct(tensor)
                if not count_values(tensor) < tensor.numel() == count_values(other):
                    continue
                call = self._call.with_tensors([*tensors[:at], other, *tensors[at + 1 :]])
                _results(call)
                changed, tensors[at] = call, other
        return None if changed is None else PyTorchResults(changed)

    def complete(self) -> None:
        """Compute all that may be needed, and leave the model, so that the results can be
        pickled.
        """
        _ = self.exact, self.varying
        others = [self.in_onnx_order]
        if not all(tensor.is_floating_point() for tensor in self.expected):
            others.append(self.of_distinct_values)
        else:
            self.__dict__["of_distinct_values"] = None  # asked of integers only
        for other in others:
            if other is not None:
                other.__dict__ |= {"in_onnx_order": None, "of_distinct_values": None}
                other.complete()
        self._call = None


def _results(call: PyTorchCall, modes: Sequence[type[Mode]] = ()) -> list[Tensor]:
    """Return the results of a call, with other random numbers than in the call before."""
    results, _ = _run(call, modes)
    return results


def _run(call: PyTorchCall, modes: Sequence[type[Mode]]) -> tuple[list[Tensor], bool]:
    """Return the results of a call, and whether it has drawn random numbers, of which the user's
    program then has its own as before.
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.seed()
        with ExitStack() as stack:
            for mode in modes:
                stack.enter_context(mode())
            results = [tensor.detach().cpu() for tensor in call.results()]
        unused = torch.Generator().manual_seed(torch.initial_seed())
        return results, not torch.equal(unused.get_state(), torch.get_rng_state())


def _first_line(error: Exception) -> str:
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
