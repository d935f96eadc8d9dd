"""A package's compiled files: the extension module for PyTorch and Python, the libraries for ONNX
engines.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import os
import re
import warnings
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import torch

from .. import ABI
from ..installer import pip_install

CPU, CUDA = "cpu", "cuda"
"""The providers of ONNX Runtime in counts of nodes."""


_modules: list[Any] = []
"""The extension modules that this process has loaded."""


def fill_new_memory(fills: bool) -> None:
    """Have all kernels get results on the CPU whose bits are set, NaN or -1, or uninitialised ones
    again.
    """
    for module in _modules:
        module._fill_new_memory(fills)


class Owner(Protocol):
    """The package of an operator, as the operator sees it."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def library(self) -> Library: ...


class Library:
    """The compiled files of a package, which is importable or being imported."""

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def module(self) -> object:
        """The extension module; its operators are registered with PyTorch's dispatcher at first
        use.

        Raises:
            ImportError: the package is not built, or is built for another runtime, or another
                library registered an operator. A second registration would end the process.
        """
        name = f"{self._package}._kernel"
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ImportError(_not_built(name))
        path = str(Path(spec.origin).resolve())
        module: Any = importlib.import_module(name)
        self._check_abi(path, getattr(module, "_abi", 0))
        _modules.append(module)
        if path in torch.ops.loaded_libraries:
            return module
        for operator in module._operators():
            check_is_free(operator, path)
        module._register()
        self._register_cuda()
        torch.ops.loaded_libraries.add(path)
        return module

    def _register_cuda(self) -> None:
        """Register the kernels for CUDA, if the package and PyTorch are built for it. This asks
        nothing of a driver.

        Raises:
            ImportError: the library is built for another runtime, or PyTorch refuses the kernels.
        """
        if torch.version.cuda is None or not self.has_cuda:
            return
        path = self.cuda_path
        library = ctypes.CDLL(path)
        library.onnxop_library.restype = ctypes.c_char_p
        library.onnxop_register_torch.restype = ctypes.c_char_p
        self._check_abi(path, json.loads(library.onnxop_library()).get("abi", 0))
        built, own = library.onnxop_cuda(), int(torch.version.cuda.partition(".")[0])
        if built > own:
            warnings.warn(
                f"{path} was built by CUDA {built}, but this PyTorch has CUDA {own}; on GPUs, the "
                f"reference implementations compute. Rebuild {self._package} by nvcc {own}",
                stacklevel=2,
            )
            return
        error = library.onnxop_register_torch()
        if error is not None:
            raise ImportError(f"{path}: {error.decode()}")

    @property
    def path(self) -> str:
        """The path of the library for ONNX Runtime; raises ImportError if it is not built."""
        return self._file("onnxruntime")

    @property
    def openvino_path(self) -> str:
        """The path of the library for OpenVINO; raises ImportError if it is built for another
        release.
        """
        path = self._file("openvino")
        built = re.search(rb"built for OpenVINO ([\d.]+)", Path(path).read_bytes())
        if built is not None and importlib.util.find_spec("openvino") is not None:
            import openvino  # type: ignore[import-untyped,unused-ignore]

            release, installed = built[1].decode(), openvino.__version__.partition("-")[0]
            if release != installed:
                raise ImportError(
                    f"{path} was built for OpenVINO {release}, but {installed} is installed; "
                    f"rebuild {self._package}: {pip_install()} --force-reinstall --no-deps ."
                )
        return path

    @property
    def has_openvino(self) -> bool:
        """Whether the package is built for OpenVINO, of any release."""
        try:
            return bool(self._file("openvino"))
        except ImportError:
            return False

    @property
    def cuda_path(self) -> str:
        """The path of the library for CUDA, of PyTorch and ONNX Runtime; raises ImportError if it
        is not built.
        """
        return self._file("cuda")

    @property
    def has_cuda(self) -> bool:
        """Whether the package is built for CUDA."""
        try:
            return bool(self.cuda_path)
        except ImportError:
            return False

    def _file(self, host: str) -> str:
        name = f"lib{self._package}_{host}.so"
        spec = importlib.util.find_spec(self._package)
        for folder in (spec.submodule_search_locations if spec is not None else None) or []:
            if (path := Path(folder, name)).is_file():
                return str(path.resolve())
        hint = "" if host == "onnxruntime" else f', with "{host}" in runtimes under [package]'
        raise ImportError(_not_built(name) + hint)

    @cached_property
    def loaded(self) -> Any:
        """The loaded library for ONNX Runtime."""
        library = ctypes.CDLL(self.path)
        library.onnxop_library.restype = ctypes.c_char_p
        library.onnxop_served.restype = ctypes.c_char_p
        self._check_abi(self.path, json.loads(library.onnxop_library()).get("abi", 0))
        return library

    @cached_property
    def operators(self) -> dict[str, Any]:
        """The library's data about its operators, by name."""
        operators: dict[str, Any] = json.loads(self.loaded.onnxop_library())["ops"]
        return operators

    def served(self, model: str | None = None) -> dict[str, dict[str, int]]:
        """Return the number of nodes that the library computes in the last session of this thread
        that has it, by domain and op type, and by provider: ``{"my_lib::my_add": {"cpu": 3}}``. If
        it computes none of a named ``model``, it says so on stderr. The library for CUDA counts
        with it.
        """
        name = None if model is None else os.fsencode(model)
        counts: dict[str, dict[str, int]] = json.loads(self.loaded.onnxop_served(name))
        return counts

    def serves(self, operator: str, types: Mapping[str, Collection[int]]) -> bool:
        """Return whether the library computes a node whose inputs have these element types: the
        known ones by argument, as ONNX's numbers. A list may have several, or none.
        """
        supported = self.operators[operator]
        kinds = {*types.get(supported["input"], supported["types"][:1])}
        return len(kinds) == 1 and kinds <= {*supported["types"]}

    def variants(self, operator: str) -> int:
        """Return the number of functions of the operator that the library serves."""
        return int(self.operators[operator]["variants"])

    def _check_abi(self, path: str, abi: int) -> None:
        if abi != ABI:
            raise ImportError(
                f"{path} was built for another onnxop-runtime (ABI {abi}, this one has {ABI}); "
                f"rebuild {self._package}: {pip_install()} --force-reinstall --no-deps ."
            )


def is_registered(operator: str) -> bool:
    namespace, _, name = operator.partition("::")
    return hasattr(getattr(torch.ops, namespace), name)


def has_registered(package: str, operator: str) -> bool:
    """Return whether the package has registered the operator, perhaps when its module was imported
    before: PyTorch keeps operators.
    """
    return f"{package}:{operator}" in torch.ops.loaded_libraries and is_registered(operator)


def note_registered(package: str, operator: str) -> None:
    """Record where PyTorch keeps its operators that the package has registered one."""
    torch.ops.loaded_libraries.add(f"{package}:{operator}")


def check_is_free(operator: str, by: str) -> None:
    """Raise ImportError if another library has registered the operator."""
    if is_registered(operator):
        raise ImportError(
            f"{operator} is already registered by another library, so {by} cannot register it; "
            "import only "
            "one of the two in a process"
        )


def _not_built(name: str) -> str:
    return f"{name} is not built; run {pip_install()} . in the folder of its setup.py"
