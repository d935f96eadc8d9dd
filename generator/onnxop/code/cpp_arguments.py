"""The arguments and results of an op, as its C++ names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class CppArgument:
    """An argument. ``local`` is its name in C++, and ``type`` its type in PyTorch. ``default`` and
    ``dtype`` are expressions, or empty. In C++, it has the type ``view`` in compute(), ``meta`` in
    infer(), and ``element`` in the function of an elementwise kernel.
    """

    name: str
    local: str
    type: str
    default: str
    keyword_only: bool
    dtype: str
    view: str
    meta: str
    element: str
    is_written: bool = False
    """Whether a kernel by hand writes to it: compute() then takes it as `kernel_view`."""
    on_host: bool = False
    """Whether infer() reads the values, so that they stay in the CPU's memory."""

    @property
    def kernel_view(self) -> str:
        return "const MutableTensorView&" if self.is_written else self.view

    @property
    def is_tensor(self) -> bool:
        return "Tensor" in self.type

    @property
    def is_list(self) -> bool:
        return "[" in self.type

    @property
    def is_optional(self) -> bool:
        return self.type.endswith("?")


@dataclass(frozen=True)
class CppResult:
    """A result and its gradient: ``local`` and ``grad_local`` are their names in C++."""

    name: str
    local: str
    dtype: str
    grad: str
    grad_local: str


@dataclass(frozen=True)
class FunctionalForm:
    """How the functional form of an op calls a kernel by hand that writes to arguments.

    ``metas`` and ``views`` are the parameters of its infer() and compute(), and ``described`` the
    descriptions of its results. ``arguments`` and ``passed`` are what the kernel's two functions
    get. ``copies`` has the locals of each written argument and of the result to which the kernel
    writes in its place.
    """

    metas: list[str]
    arguments: list[str]
    described: list[str]
    views: list[str]
    copies: list[tuple[str, str]]
    passed: list[str]


def described_results(
    arguments: Sequence[CppArgument], results: Sequence[CppResult]
) -> Sequence[CppResult]:
    """Return the results that the kernel's infer() describes: all but those, at the end, that hold
    written arguments.
    """
    written = [argument for argument in arguments if argument.is_written]
    return results[: len(results) - len(written)]


def functional_form(
    arguments: Sequence[CppArgument], results: Sequence[CppResult]
) -> FunctionalForm | None:
    """Return the functional form of a kernel that writes to arguments; None if it writes to
    none.
    """
    written = [argument for argument in arguments if argument.is_written]
    if not written:
        return None
    described = [result.local for result in described_results(arguments, results)]
    pairs = zip(written, results[len(described) :], strict=True)
    copies = [(argument.local, result.local) for argument, result in pairs]
    outputs = [f"const MutableTensorView& {result.local}" for result in results]
    in_place_of = dict(copies)
    return FunctionalForm(
        metas=[f"{argument.meta} {argument.local}" for argument in arguments],
        arguments=[argument.local for argument in arguments],
        described=[*described, *(f"like({argument.local})" for argument in written)],
        views=[*outputs, *(f"{argument.view} {argument.local}" for argument in arguments)],
        copies=copies,
        passed=[*described, *(in_place_of.get(a.local, a.local) for a in arguments)],
    )
