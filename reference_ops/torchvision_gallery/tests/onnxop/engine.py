"""The tests' cases: an operator, what is fed to it, and what it must refuse; tests/samples has them."""

from __future__ import annotations

import importlib
import importlib.util
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Draw:
    """What draws an argument: a function of the sizes, which are ``shape`` or ``larger``.

    Of a list, these are lists, and ``names`` are what draws its tensors, by their names.
    """

    value: Callable[[Any], Any]
    shape: Any = ()
    larger: Any = ()
    names: Callable[[str], dict[str, Draw]] | None = None


@dataclass(frozen=True)
class Sample:
    """A call of the operator: what draws each argument, by name."""

    name: str
    draws: dict[str, Draw]

    def arguments(self, *, larger: bool = False) -> dict[str, Any]:
        return {
            name: draw.value(draw.larger if larger else draw.shape)
            for name, draw in self.draws.items()
        }

    def axes(self) -> dict[str, dict[int, str]]:
        """The dimensions of each argument that differ in the larger call, and a name for each."""
        axes = {
            name: {
                dimension: f"{name}_{dimension}"
                for dimension, size in enumerate(draw.shape)
                if size != draw.larger[dimension]
            }
            for name, draw in self._tensors().items()
        }
        return {name: dimensions for name, dimensions in axes.items() if dimensions}

    def _tensors(self) -> dict[str, Draw]:
        """What draws each argument, and each tensor of a list."""
        found: dict[str, Draw] = {}
        for name, draw in self.draws.items():
            found |= draw.names(name) if draw.names else {name: draw}
        return found

    @property
    def can_grow(self) -> bool:
        return bool(self.axes())


@dataclass(frozen=True)
class Refusal:
    """A call that must raise an exception whose text matches ``match``."""

    name: str
    draws: dict[str, Draw]
    raises: type[Exception]
    match: str

    def arguments(self) -> dict[str, Any]:
        return {name: draw.value(draw.shape) for name, draw in self.draws.items()}


@dataclass(frozen=True)
class Case:
    """An operator of the package as its user sees it.

    Attributes:
        package: the package.
        operator: its description.
        function: the function.
        module: the `torch.nn.Module`.
        autograd_function: the `torch.autograd.Function`; None for an operator of PyTorch's own.
        kind: that of its kernel: ``elementwise``, ``source``, ``composed`` or ``existing``.
        differentiable: the tensors that have a gradient.
        twice_differentiable: those whose gradient can be differentiated again.
        samples: the calls to try; the first one is the plainest.
        refusals: the calls that must raise.
    """

    package: ModuleType
    operator: Any
    function: Callable[..., Any]
    module: type[torch.nn.Module]
    kind: str
    autograd_function: Any = None
    differentiable: list[str] = field(default_factory=list)
    twice_differentiable: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def name(self) -> str:
        return str(self.operator.short_name)

    @property
    def overload(self) -> Any:
        return self.operator.overload

    @property
    def has_several(self) -> bool:
        return len(self.operator.results) > 1

    @property
    def tensors(self) -> list[str]:
        return [tensor.name for tensor in self.operator.tensors]

    def in_onnx(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with the results that the operator has in ONNX, too."""
        names, kept = self.operator.results, self.operator.kept
        if len(names) == len(kept):
            return function

        def call(*args: Any, **kwargs: Any) -> Any:
            found = dict(zip(names, function(*args, **kwargs), strict=True))
            results = tuple(found[name] for name in kept)
            return results if len(results) > 1 else results[0]

        return call

    def faces(self) -> dict[str, Callable[..., Any]]:
        """The ways to call it."""
        found: dict[str, Callable[..., Any]] = {
            "function": self.function,
            "torch.ops": self.overload,
        }
        if self.autograd_function is not None:
            found["Function"] = self.through_function
        if self.operator.kernel is not None:
            found["kernel"] = self.operator.kernel
        return found

    @property
    def reference(self) -> Callable[..., Any] | None:
        """The operator in PyTorch's own, of arguments by name; None where there is none."""
        machinery = importlib.import_module(f"{self.package.__name__}._onnxop.reference")
        compute = machinery.of(self.operator)
        return compute and (lambda **arguments: compute(*self.values(arguments).values()))

    def values(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments with those that are left out, in order."""
        given = {a.name: a.default for a in self.operator.arguments} | arguments
        return {a.name: given[a.name] for a in self.operator.arguments}

    def through_function(self, /, **arguments: Any) -> Any:
        """The call by the Function's ``apply``, which takes every argument by its place."""
        return self.autograd_function.apply(*self.values(arguments).values())


def cases() -> list[Case]:
    """The cases of tests/samples, a file an operator: those of the specs in ops/."""
    found: list[Case] = []
    for name in sorted(map(_operator, Path(__file__).parents[2].glob("ops/*.toml"))):
        file = Path(__file__).parents[1] / "samples" / f"{name}_samples.py"
        spec = importlib.util.spec_from_file_location(f"samples_{file.stem}", file)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found.append(module.CASE)
    return found


def _operator(spec: Path) -> str:
    """What the package calls the operator of a spec."""
    op: dict[str, str] = tomllib.loads(spec.read_text(encoding="utf-8-sig"))["op"]
    return op.get("name") or re.split(r"[.(]", op["schema"].partition("::")[2])[0].strip()


def results_of(found: Any) -> tuple[Tensor, ...]:
    """What a call gives, as a tuple: one tensor is a tuple of one."""
    return (found,) if isinstance(found, Tensor) else tuple(found)


def split(arguments: dict[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors, those in lists included; and the rest, where a list is a dictionary of their names."""
    tensors: dict[str, Tensor] = {}
    scalars: dict[str, Any] = {}
    for name, value in arguments.items():
        if isinstance(value, Tensor):
            tensors[name] = value
        elif isinstance(value, list) and any(isinstance(item, Tensor) for item in value):
            named = {f"{name}_{place}": item for place, item in enumerate(value)}
            tensors |= {word: item for word, item in named.items() if item is not None}
            names = [None if item is None else word for word, item in named.items()]
            scalars[name] = {"tensors": names}
        else:
            scalars[name] = value
    return tensors, scalars


def merged(tensors: dict[str, Tensor], scalars: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were split."""
    tensors = dict(tensors)
    lists = {
        name: [None if item is None else tensors.pop(item) for item in value["tensors"]]
        for name, value in scalars.items()
        if isinstance(value, dict)
    }
    return {**tensors, **scalars, **lists}


def with_tensors(arguments: dict[str, Any], tensors: dict[str, Tensor]) -> dict[str, Any]:
    """The arguments with other tensors in place of those of these names, be they in lists."""
    own, scalars = split(arguments)
    return merged({**own, **tensors}, scalars)


def each_tensor(arguments: dict[str, Any], change: Callable[[Tensor], Tensor]) -> dict[str, Any]:
    return with_tensors(arguments, {n: change(t) for n, t in split(arguments)[0].items()})


def has_gradient(found: Any) -> bool:
    """Whether PyTorch differentiates what an operator of its own gives, which not every release does."""
    functions = [result.grad_fn for result in results_of(found) if result.grad_fn is not None]
    return not any(function.name().endswith("::NotImplemented") for function in functions)


_generator = torch.Generator().manual_seed(0)


def random(
    dtype_name: str,
    *shape: int,
    larger: Sizes | None = None,
    low: float | None = None,
    high: float | None = None,
) -> Draw:
    """Draws a tensor: normal (integers: -9 to 9), or uniform between ``low`` and ``high``."""
    dtype = dtype_of(dtype_name)

    def value(sizes: Sizes) -> Tensor:
        if not (dtype.is_floating_point or dtype.is_complex):
            first = 0 if dtype in (torch.bool, torch.uint8) else -9
            last = 1 if dtype == torch.bool else 9
            first = (
                int(low) if low is not None else first if high is None else min(first, int(high))
            )
            last = int(high) if high is not None else max(first, last)
            drawn = torch.randint(first, last + 1, sizes, generator=_generator)
        elif low is None and high is None:
            drawn = torch.randn(sizes, generator=_generator, dtype=torch.float64)
        else:
            bottom = -1.0 + min(0.0, high or 0.0) if low is None else low
            top = max(bottom + 1.0, 1.0) if high is None else high
            drawn = torch.rand(sizes, generator=_generator, dtype=torch.float64)
            drawn = bottom + (top - bottom) * drawn
        return drawn.to(dtype)

    return Draw(value, shape, shape if larger is None else larger)


def tensor(values: Any, dtype: str = "") -> Draw:
    """The tensor of these values."""
    return Draw(lambda _: torch.tensor(values, dtype=dtype_of(dtype) if dtype else None))


def dtype_of(name: str) -> torch.dtype:
    """``float32`` as PyTorch has it."""
    found: torch.dtype = getattr(torch, name)
    return found


def fixed(value: Any) -> Draw:
    """A value that is no tensor, as it is."""
    return Draw(lambda _: value)


def many(*draws: Draw) -> Draw:
    """A list of what these draw."""
    return Draw(
        lambda sizes: [draw.value(each) for draw, each in zip(draws, sizes, strict=True)],
        tuple(draw.shape for draw in draws),
        tuple(draw.larger for draw in draws),
        lambda name: {f"{name}_{place}": draw for place, draw in enumerate(draws)},
    )
