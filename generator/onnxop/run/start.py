"""The arguments of ``onnxop run`` → settings, and their start in this process."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from onnxop_runtime.optional_imports import need
from onnxop_runtime.running.settings import Settings

from ..errors import OnnxopError


@dataclass(frozen=True)
class Request:
    """The options of ``onnxop run``, as the user wrote them."""

    sources: Sequence[str] = ()
    gallery: bool = False
    replacements: Sequence[str] = ()
    verify: bool = False

    @property
    def originals(self) -> list[str]:
        """The dotted names of the functions to replace."""
        return [_parts(text)[0] for text in self.replacements]


def start(request: Request, folder: str, path: str) -> Settings:
    """Start rules, replacements and records in this process.

    Args:
        request: what the user asked for.
        folder: the folder of records.
        path: the folder in which the command finds its modules.

    Raises:
        OnnxopError: a package, a spec or a replacement is wrong.
    """
    if request.verify:
        _need_onnxruntime()
    modules = tuple(source for source in request.sources if not _is_path(source))
    specs = tuple(os.path.abspath(source) for source in request.sources if _is_path(source))
    sys.path.insert(0, path)
    try:
        for module in modules:
            _import(module)
        settings = Settings(
            folder=folder,
            modules=modules,
            specs=specs,
            gallery=request.gallery,
            replacements=tuple(map(_replacement, request.replacements)),
            verify=request.verify,
            path=path,
        )
        _start(settings)
    finally:
        sys.path.remove(path)
    return settings


def _need_onnxruntime() -> None:
    try:
        need("--verify", "onnxruntime")
    except ModuleNotFoundError as error:
        raise OnnxopError(str(error)) from error


def _is_path(source: str) -> bool:
    return source.endswith(".toml") or os.sep in source or source in (os.curdir, os.pardir)


def _import(module: str) -> None:
    """Import a module that --with names; raise OnnxopError with what to do if that fails."""
    try:
        importlib.import_module(module)
    except ModuleNotFoundError as error:
        if not module.startswith(str(error.name)):
            raise OnnxopError(f"--with {module}: {error}") from error
        folder = f", or write ./{module} for the folder of specs" if os.path.isdir(module) else ""
        raise OnnxopError(
            f"--with {module}: there is no module {module}; install the package, or give the path "
            f"of a spec{folder}"
        ) from error
    except (Exception, SystemExit) as error:  # of any code that a module runs
        raise OnnxopError(f"--with {module}: {type(error).__name__}: {error}") from error


def _parts(text: str) -> tuple[str, str]:
    """Return the original and the operator of a replacement."""
    original, _, operator = text.partition("=")
    if not original.strip() or not operator.strip():
        raise OnnxopError(
            f"--replace {text}: write the dotted name of a function, =, and the operator to call "
            "instead, as in pkg.module.Function=my_ops.op"
        )
    return original.strip(), operator.strip()


def _replacement(text: str) -> tuple[str, str, str]:
    """Return the module of the original, its dotted name, and what to call instead."""
    from onnxop_runtime.exporting.replacement.replaced import module_of

    original, operator = _parts(text)
    try:
        return module_of(original), original, operator
    except (ImportError, ValueError) as error:
        raise OnnxopError(f"--replace {error}") from error
    except (Exception, SystemExit) as error:  # of any code that a module runs
        first = str(error).strip().partition("\n")[0]
        raise OnnxopError(
            f"--replace {original}: its module cannot be imported: {type(error).__name__}: {first}; "
            'if it is the script to run, put what the script does under if __name__ == "__main__", '
            "and the function into a module of its own"
        ) from error


def _start(settings: Settings) -> None:
    """Start the rules in this process; raise OnnxopError for a wrong spec or replacement."""
    from onnxop_runtime.running.start import start
    from onnxop_runtime.specs.problems import SpecError

    try:
        start(settings)
    except SpecError as error:
        raise OnnxopError(str(error)) from error
    except (ImportError, ValueError, TypeError) as error:
        raise OnnxopError(f"--replace {error}" if settings.replacements else str(error)) from error
