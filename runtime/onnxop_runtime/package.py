"""A package made by onnxop: who it is, its operators, and what it offers to its users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import torch

from . import API, OLDEST_API, __version__, registry
from .exporting import export as exporting
from .exporting import registration, rules
from .operator import autograd, composed, native, script
from .operator.description import Operator
from .operator.library import Library
from .operator.script import Call as Scripted
from .verification import serving, session
from .verification import verify as verification


class Package:
    """A package: its name, its version, and the API of the runtime that it was made for.

    Its `export`, `verify`, `translation_table`, `session`, `session_options` and `library_path` are for its own
    operators: another package never changes what they do.

    Args:
        name: the name by which it is imported.
        version: its own version.
        api: the number of the runtime's API that it was made for.

    Raises:
        ImportError: it was made for a later runtime, or for one that this runtime no longer serves.
    """

    def __init__(self, name: str, *, version: str, api: int) -> None:
        if not OLDEST_API <= api <= API:
            later = "run pip install -U onnxop-runtime"
            earlier = "run onnxop update in its folder, and install it anew"
            raise ImportError(
                f"{name} was made for API {api} of onnxop-runtime, and {__version__} serves "
                f"{OLDEST_API} to {API}; {later if api > API else earlier}"
            )
        self.name, self.version, self.api = name, version, api
        self._operators: list[Operator] = []

    def __repr__(self) -> str:
        return f"Package({self.name!r}, version={self.version!r}, api={self.api})"

    @property
    def operators(self) -> Sequence[Operator]:
        """Its operators, in the order in which their modules describe them."""
        return self._operators

    @cached_property
    def library(self) -> Library:
        """What it has compiled."""
        return Library(self.name)

    @property
    def kernel(self) -> Any:
        """Its extension module, whose operators are registered with PyTorch's dispatcher.

        Raises:
            ImportError: it is not built, or built for another runtime, or another library has
                registered one of the operators.
        """
        return self.library.module

    def operator(self, **description: Any) -> Operator:
        """Describe an operator of the package: `Operator` has the words."""
        return Operator(package=self, **description)

    def register(
        self, operator: Operator, function: Any = None, *, source: str = ""
    ) -> Callable[..., Any]:
        """Register an operator with PyTorch's dispatcher and its exporters.

        Args:
            operator: the operator, as `operator` described it.
            function: its ``torch.autograd.Function``; None for an operator that PyTorch has.
            source: the file of the kernel, where that computes gradients.

        Returns:
            What calls the operator, by a shorter way where nothing is differentiated.
        """
        if operator.elementwise:
            native.register_elementwise(operator)
        elif operator.is_native:
            native.register_source(operator)
        elif operator.is_own:
            composed.define(operator)
        if operator.is_native and any(argument.kind == "number" for argument in operator.arguments):
            native.implement(operator, self.kernel)
        # A module that is loaded anew describes its operator anew.
        self._operators[:] = [o for o in self._operators if o.name != operator.name] + [operator]
        registration.register(operator)
        if function is None:
            call: Callable[..., Any] = operator.overload
            return call
        return autograd.register(operator, function, source)

    def symbolic(self, operator: Operator) -> Callable[..., Any]:
        """Return the rule as the TorchScript exporter wants it: ``symbolic(g, *arguments)``."""
        return rules.symbolic(operator)

    def scripted(self, operator: Operator) -> Callable[[Scripted], Scripted]:
        """Have TorchScript call the operator wherever it meets a Python function that calls it."""
        return script.scripted(operator)

    def translation_table(self) -> exporting.Table:
        """Return the rules by operator, for ``torch.onnx.export(custom_translation_table=...)``.

        `export` passes them by itself; the TorchScript exporter needs nothing but the import.
        """
        return rules.translation_table(self.operators)

    export = exporting.export
    verify = verification.verify
    session_options = session.session_options
    library_path = session.library_path
    openvino_extension = session.openvino_extension
    session = serving.session


class _Everyone:
    """All packages of the process, for models that call operators of none in particular."""

    name, version = "onnxop_runtime", __version__

    @property
    def operators(self) -> Sequence[Operator]:
        return registry.operators()

    export = exporting.export
    verify = verification.verify

    def translation_table(self) -> exporting.Table:
        """Return the rules of all registered operators by operator, those that take precedence alone."""
        return rules.translation_table(self.operators)


_everyone = _Everyone()
export = _everyone.export
verify = _everyone.verify
translation_table = _everyone.translation_table


class _Earlier(dict[str, Any]):
    """What packages of onnxop 0.3 share with each other, and so learn that they are refused."""

    def setdefault(self, *_: Any) -> Any:
        raise ImportError(_REFUSED)


_REFUSED = (
    "a package made by onnxop 0.3 cannot be in one process with those that stand on onnxop-runtime; "
    "run onnxop update in its folder, and install it anew"
)
if type(vars(torch.onnx).setdefault("_onnxop_shared", _Earlier())) is not _Earlier:
    raise ImportError(_REFUSED)
