"""The kernels in ONNX Runtime and OpenVINO: the libraries that a package carries."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Protocol

from ..exporting import nodes
from ..exporting.export import Exporter
from ..operator.description import Operator
from ..operator.library import Library
from ..wanted import need


class Compiled(Exporter, Protocol):
    """A package, which may have a library."""

    @property
    def library(self) -> Library: ...


def library_path(package: Compiled, /) -> str:
    """Return the library, for ``SessionOptions.register_custom_ops_library``.

    It serves the operators' nodes in their own domains in ONNX Runtime 1.17 and every later one, and
    nodes of further domains where the options have an entry that names them, separated by commas,
    before it is registered: ``add_session_config_entry("onnxop.domains.my_lib::my_add", "custom")``.

    Raises:
        ImportError: the package is not built, or has nothing to build.
    """
    return package.library.path


def openvino_extension(package: Compiled, /) -> str:
    """Return the library for OpenVINO, for ``core.add_extension``: it serves the operators' nodes in their own
    domains, in the release of OpenVINO that it was built with.

    Raises:
        ImportError: the package is not built for OpenVINO, or for another release than is installed.
    """
    return package.library.openvino_path


def session_options(
    package: Compiled, /, options: Any = None, *, domain: str | Mapping[str, str] | None = None
) -> Any:
    """Return session options with the library registered: sessions prefer its kernels to function bodies.

    Args:
        options: options to add it to; new ones by default.
        domain: a domain in which it is to serve the nodes, too, beside their own, or one for some of
            the operators, by name; for more of them, call this again with the options that it gave.

    Returns:
        An ``onnxruntime.SessionOptions``.

    Raises:
        ValueError: the domain is none, or not yours; or the operator has no kernel to serve it.
        ImportError: the package is not built.
    """
    need("session_options", "onnxruntime")
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    options = onnxruntime.SessionOptions() if options is None else options
    nodes.checked_domains(package.operators, domain)
    further: dict[Operator, str] = {}
    for operator in package.operators:
        if isinstance(domain, Mapping):
            asked = domain.get(str(operator), operator.domain)
        else:
            asked = operator.domain if domain is None or not operator.is_native else domain
        if not asked:
            raise ValueError(
                'domain="" stands for standard nodes, which no library serves; leave domain out, or '
                "give the one that the model has the nodes in"
            )
        if asked != operator.domain:
            if not operator.is_native:
                raise ValueError(f"{operator} has no C++ kernel, so that no library serves it")
            further[operator] = asked
    add_library(options, package.library, further)
    return options


def add_library(options: Any, library: Library, domains: Mapping[Operator, str]) -> None:
    """Register a library with session options; it serves operators in these domains, too. What it is asked
    for stands in the first entries of the options that are free.
    """
    for operator, domain in domains.items():
        key = f"onnxop.domains.{operator}"
        entries = (key if number == 1 else f"{key}.{number}" for number in count(1))
        if domain != operator.domain:
            free = next(entry for entry in entries if not _has(options, entry))
            options.add_session_config_entry(free, domain)
    options.register_custom_ops_library(library.path)


def _has(options: Any, entry: str) -> bool:
    try:
        options.get_session_config_entry(entry)
    except RuntimeError:
        return False
    return True
