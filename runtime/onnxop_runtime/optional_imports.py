"""Checks for modules that parts of the runtime need: the runtime itself has no dependencies."""

from __future__ import annotations

import importlib.util

from .installer import pip_install

_ONNX_RUNTIMES = (
    "one of onnxruntime, onnxruntime-gpu and onnxruntime-openvino, which are one module, so that "
    "an environment has only one of them"
)


def need(who: str, *modules: str) -> None:
    """Raise ModuleNotFoundError if a module is missing; the text says how to install it."""
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ModuleNotFoundError(
                f"{who} needs {module}, which is not installed; {how_to_install(module)}",
                name=module,
            )


def how_to_install(*modules: str) -> str:
    """Return how to install modules, as ``run pip install onnx``."""
    others = [module for module in modules if module != "onnxruntime"]
    command = " ".join(["run", pip_install(), *others])
    if "onnxruntime" not in modules:
        return command
    return f"{command} {'and' if others else 'with'} {_ONNX_RUNTIMES}"
