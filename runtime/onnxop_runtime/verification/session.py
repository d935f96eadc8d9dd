"""A package's libraries for ONNX Runtime and OpenVINO, and session options with them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any, Protocol

from ..exporting.call.checked_export import Exporter
from ..exporting.domain_nodes.domains import checked_domains
from ..operator.library import Library
from ..operator.model import Operator
from ..optional_imports import need


class Compiled(Exporter, Protocol):
    """A package that may have a library."""

    @property
    def library(self) -> Library: ...


def library_path(package: Compiled, /, *, cuda: bool = False) -> str:
    """Return the path of the library, for ``SessionOptions.register_custom_ops_library``.

    It needs ONNX Runtime 1.17 or later, and computes nodes in the operators' own domains. For more
    domains, separated by commas, add an entry to the options before it is registered:
    ``add_session_config_entry("onnxop.domains.my_lib::my_add", "custom")``.

    Args:
        cuda: return the library for the CUDA provider, which registers the CPU's in the same
            folder, too.

    Raises:
        ImportError: the package is not built, not built for CUDA, or has nothing to build.
    """
    return package.library.cuda_path if cuda else package.library.path


def openvino_extension(package: Compiled, /) -> str:
    """Return the path of the library for OpenVINO, for ``core.add_extension``. It computes nodes in
    the operators' own domains, in the OpenVINO release that it was built with.

    Raises:
        ImportError: the package is not built for OpenVINO, or for another release than the
            installed one.
    """
    return package.library.openvino_path


def session_options(
    package: Compiled,
    /,
    options: object = None,
    *,
    domain: str | Mapping[str, str] | None = None,
    cuda: bool = False,
) -> Any:
    """Return session options with the library registered; sessions prefer its kernels to function
    bodies.

    Args:
        options: the options to add it to; new ones by default.
        domain: a further domain in which it computes nodes, or domains by operator name. For
            several domains, call this again with the returned options.
        cuda: whether to register the library for the CUDA provider, too. Sessions without that
            provider compute on the CPU.

    Returns:
        An ``onnxruntime.SessionOptions``.

    Raises:
        ValueError: the domain is invalid or reserved, or the operator has no kernel.
        ImportError: the package is not built, or not for CUDA.
    """
    need("session_options", "onnxruntime")
    import onnxruntime  # type: ignore[import-untyped,unused-ignore]

    options = onnxruntime.SessionOptions() if options is None else options
    checked_domains(package.operators, domain)
    further: dict[Operator, str] = {}
    for operator in package.operators:
        if isinstance(domain, Mapping):
            requested = domain.get(str(operator), operator.domain)
        else:
            requested = operator.domain if domain is None or not operator.is_native else domain
        if not requested:
            raise ValueError(
                'domain="" stands for standard nodes, which no library computes; leave domain out, or '
                "give the domain of the model's nodes"
            )
        if requested != operator.domain:
            if not operator.is_native:
                raise ValueError(f"{operator} has no C++ kernel; leave it out of domain")
            further[operator] = requested
    add_library(options, package.library, further, for_cuda=cuda)
    return options


def add_library(
    options: Any, library: Library, domains: Mapping[Operator, str], *, for_cuda: bool = False
) -> None:
    """Register a library with session options, with or without that for CUDA; add these domains in
    the first free entries.
    """
    for operator, domain in domains.items():
        key = f"onnxop.domains.{operator}"
        entries = (key if number == 1 else f"{key}.{number}" for number in count(1))
        if domain != operator.domain:
            free = next(entry for entry in entries if not _has(options, entry))
            options.add_session_config_entry(free, domain)
    # The library for CUDA registers the CPU's.
    options.register_custom_ops_library(library.cuda_path if for_cuda else library.path)


def _has(options: Any, entry: str) -> bool:
    try:
        options.get_session_config_entry(entry)
    except RuntimeError:
        return False
    return True
