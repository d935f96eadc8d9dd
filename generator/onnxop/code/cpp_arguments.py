"""The arguments and results of an op, as its C++ names them."""

from __future__ import annotations

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
    on_host: bool = False
    """Whether infer() reads the values, so that they stay in the CPU's memory."""

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
