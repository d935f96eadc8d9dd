"""A package made by onnxop: its name and version, its operators, and its functions for users."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from types import ModuleType
from typing import Any

from . import API, OLDEST_API, __version__
from .exporting import registration
from .exporting.call import checked_export
from .exporting.rules import copies, symbolics, translations
from .installer import pip_install
from .operator import autograd, composed, in_place, native, registry, script
from .operator.library import Library
from .operator.model import Operator
from .operator.package_operator import PackageOperator
from .operator.script import Call as Scripted
from .verification import serving
from .verification import session as sessions
from .verification import verify as verification


class Package:
    """A package: its name, its operators, and the API of the runtime that it was made for.

    Its `export`, `verify`, `translation_table`, `session`, `session_options` and `library_path` put
    its own operators first; other packages do not change them.

    Args:
        name: the name of the module.
        api: the version of the runtime's API that the package was made for.

    Raises:
        ImportError: the package was made for a later runtime, or for one that is no longer
            supported.
    """

    def __init__(self, name: str, *, api: int) -> None:
        if not OLDEST_API <= api <= API:
            later = f"run {pip_install()} -U onnxop-runtime"
            earlier = "run onnxop update in its folder, and reinstall it"
            raise ImportError(
                f"{name} was made for API {api} of onnxop-runtime, but {__version__} supports "
                f"{OLDEST_API} to {API}; {later if api > API else earlier}"
            )
        self.name, self.api = name, api
        self._operators: list[Operator] = []

    @staticmethod
    def of(name: str, *, api: int) -> Package:
        """Return the package with this name, for each of its modules the same.

        The first module that asks makes it; a copy that is imported in its place is another
        package. Arguments and errors are those of `Package`.
        """
        imported = sys.modules.get(name)
        entry = _PACKAGES.get(name)
        if entry is None or entry[0] is not imported:
            entry = imported, Package(name, api=api)
            _PACKAGES[name] = entry
        return entry[1]

    def __repr__(self) -> str:
        return f"Package({self.name!r}, api={self.api})"

    @property
    def version(self) -> str:
        """The module's ``__version__``; "unknown" before the module is imported."""
        return str(getattr(sys.modules.get(self.name), "__version__", "unknown"))

    @property
    def operators(self) -> Sequence[Operator]:
        """The package's operators, in the order in which its modules describe them."""
        return self._operators

    @cached_property
    def library(self) -> Library:
        """The package's compiled files."""
        return Library(self.name)

    @property
    def kernel(self) -> Any:
        """The extension module, whose operators are registered with PyTorch's dispatcher.

        Raises:
            ImportError: the package is not built, or for another runtime, or another library has
                registered one of the operators.
        """
        return self.library.module

    def operator(self, *, requires: Sequence[str] = (), **description: Any) -> PackageOperator:
        """Return a new `Operator` of the package.

        Args:
            requires: the modules to import because they register operators.
            **description: the fields of `Operator`, which explains them.
        """
        for module in requires:
            importlib.import_module(module)
        return PackageOperator(package=self, **description)

    def register(
        self, operator: Operator, function: object = None, *, source: str = ""
    ) -> Callable[..., Any]:
        """Register an operator with PyTorch's dispatcher and its exporters.

        Args:
            operator: the operator, from `operator`.
            function: its ``torch.autograd.Function``; None for an existing operator.
            source: the file of the kernel, if it computes gradients.

        Returns:
            A function that calls the operator, faster if nothing is differentiated.
        """
        if operator.elementwise:
            native.register_elementwise(operator)
        elif operator.is_native:
            native.register_source(operator)
        elif operator.is_own:
            composed.define(operator)
        if operator.is_native and any(
            argument.base_type == "number" for argument in operator.arguments
        ):
            native.implement(operator, self.kernel)
        # A reloaded module describes its operator again.
        self._operators[:] = [o for o in self._operators if o.name != operator.name] + [operator]
        registration.register(operator)
        if function is None:
            call: Callable[..., Any] = operator.overload
            return call
        return autograd.register(operator, function, source)

    def in_place(self, operator: Operator) -> Callable[..., Any]:
        """Register the operator that writes to arguments, of which `operator` is the functional
        form.
        """
        copies.register_copies()
        return in_place.define(operator)

    def symbolic(self, operator: Operator) -> Callable[..., Any]:
        """Return the operator's rule for the TorchScript exporter: ``symbolic(g, *arguments)``."""
        return symbolics.symbolic(operator)

    def scripted(self, operator: Operator) -> Callable[[Scripted], Scripted]:
        """Return a decorator that makes TorchScript call the operator in place of a function."""
        return script.scripted(operator)

    def translation_table(self) -> translations.Table:
        """Return the rules by overload, for ``torch.onnx.export(custom_translation_table=...)``.

        Both exporters get these rules at the package's import; the table is for an order of your
        own.
        """
        return translations.translation_table(self.operators)

    export = checked_export.export
    verify = verification.verify
    session_options = sessions.session_options
    library_path = sessions.library_path
    openvino_extension = sessions.openvino_extension
    session = serving.session


_PACKAGES: dict[str, tuple[ModuleType | None, Package]] = {}
"""The packages of this process by name, with the module that each was made for."""


class _Everyone:
    """All packages of the process, for models that do not belong to one of them."""

    name, version = "onnxop_runtime", __version__

    @property
    def operators(self) -> Sequence[Operator]:
        return registry.operators()

    export = checked_export.export
    verify = verification.verify
    session = serving.session_of_all

    def translation_table(self) -> translations.Table:
        """Return the rules of all registered operators by overload, one rule each, by
        precedence.
        """
        return translations.translation_table(self.operators)


_everyone = _Everyone()
export = _everyone.export
verify = _everyone.verify
session = _everyone.session
translation_table = _everyone.translation_table
