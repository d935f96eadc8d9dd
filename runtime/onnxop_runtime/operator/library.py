"""What a package has compiled: the extension module for PyTorch and Python, the library for ONNX Runtime."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import os
import re
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch

from .. import ABI

if TYPE_CHECKING:
    from .description import Operator


class Owner(Protocol):
    """Who an operator belongs to: a package, as far as its operators know it."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def library(self) -> Library: ...


class Library:
    """The compiled parts of a package.

    Args:
        package: the name of the package, which is imported, or about to be.
    """

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def module(self) -> Any:
        """The extension module, once its operators are registered with PyTorch's dispatcher.

        Raises:
            ImportError: the package is not built, or built for another runtime, or another library has
                registered an operator: a second registration would end the process.
        """
        name = f"{self._package}._kernel"
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ImportError(_not_built(name))
        path = str(Path(spec.origin).resolve())
        module: Any = importlib.import_module(name)
        self._check_abi(path, getattr(module, "_abi", 0))
        if path in torch.ops.loaded_libraries:
            return module
        for operator in module._operators():
            check_is_free(operator, path)
        module._register()
        torch.ops.loaded_libraries.add(path)
        return module

    @property
    def path(self) -> str:
        """The library for ONNX Runtime.

        Raises:
            ImportError: the package is not built, or has nothing to build.
        """
        return self._file("onnxruntime")

    @property
    def openvino_path(self) -> str:
        """The library for OpenVINO.

        Raises:
            ImportError: the package is not built for it, or for another release than is installed.
        """
        path = self._file("openvino")
        built = re.search(rb"built for OpenVINO ([\d.]+)", Path(path).read_bytes())
        if built is not None and importlib.util.find_spec("openvino") is not None:
            import openvino  # type: ignore[import-untyped,unused-ignore]

            release, here = built[1].decode(), openvino.__version__.partition("-")[0]
            if release != here:
                raise ImportError(
                    f"{path} was built for OpenVINO {release}, and {here} is installed; build {self._package} "
                    "anew: pip install --force-reinstall --no-deps ."
                )
        return path

    @property
    def has_openvino(self) -> bool:
        """Whether the package is built for OpenVINO, of whichever release."""
        try:
            return bool(self._file("openvino"))
        except ImportError:
            return False

    def _file(self, host: str) -> str:
        name = f"lib{self._package}_{host}.so"
        spec = importlib.util.find_spec(self._package)
        for folder in (spec.submodule_search_locations if spec is not None else None) or []:
            if (path := Path(folder, name)).is_file():
                return str(path.resolve())
        asks = "" if host == "onnxruntime" else f', with "{host}" in runtimes under [package]'
        raise ImportError(_not_built(name) + asks)

    @cached_property
    def loaded(self) -> Any:
        """The same, to ask it what it is."""
        found = ctypes.CDLL(self.path)
        found.onnxop_library.restype = ctypes.c_char_p
        found.onnxop_served.restype = ctypes.c_char_p
        self._check_abi(self.path, json.loads(found.onnxop_library()).get("abi", 0))
        return found

    @cached_property
    def operators(self) -> dict[str, Any]:
        """What it tells of the operators whose nodes it computes, by their names."""
        found: dict[str, Any] = json.loads(self.loaded.onnxop_library())["ops"]
        return found

    def served(self, model: str | None = None) -> dict[str, int]:
        """Return how many nodes it computes in the session that this thread has made last, of those with the
        library: by domain and op type. Where it is none, it says so of a model that is named.
        """
        name = None if model is None else os.fsencode(model)
        found: dict[str, int] = json.loads(self.loaded.onnxop_served(name))
        return found

    def serves(self, operator: Operator, types: Mapping[str, Collection[int]]) -> bool:
        """Whether the library computes a node whose inputs have these element types, by ONNX's numbers,
        as far as they are known: those of each argument, of which a list may have several, or none.
        """
        told = self.operators[str(operator)]
        found = {*types.get(told["input"], told["types"][:1])}
        return len(found) == 1 and found <= {*told["types"]}

    def variants(self, operator: Operator) -> int:
        """Return how many kinds of nodes of the operator, each with a function of its own, it knows."""
        return int(self.operators[str(operator)]["variants"])

    def _check_abi(self, path: str, abi: int) -> None:
        if abi != ABI:
            raise ImportError(
                f"{path} was built for another onnxop-runtime (ABI {abi}, this one has {ABI}); build "
                f"{self._package} anew: pip install --force-reinstall --no-deps ."
            )


def is_registered(operator: str) -> bool:
    namespace, _, name = operator.partition("::")
    return hasattr(getattr(torch.ops, namespace), name)


def check_is_free(operator: str, by: str) -> None:
    """Raise ImportError where another library has registered the operator."""
    if is_registered(operator):
        raise ImportError(
            f"{operator} is already registered by another library; a process can hold it once, so {by} "
            "does not register it"
        )


def _not_built(what: str) -> str:
    return f"{what} is not built; run pip install . in the folder of its setup.py"
