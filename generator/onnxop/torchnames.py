"""The names that PyTorch's modules have, read from its files: torch itself is not imported."""

from __future__ import annotations

import re
from functools import cache
from importlib.util import find_spec
from pathlib import Path

MODULES = frozenset({"special", "linalg", "fft", "nn"})
"""The modules of functions that a formula may name."""

CONSTANTS = frozenset(
    "pi e inf nan float16 bfloat16 float32 float64 float double half int8 int16 int32 int64 int "
    "long uint8 bool strided contiguous_format preserve_format channels_last".split()
)

PROPERTIES = frozenset(
    "T H mT mH shape dtype device layout ndim real imag itemsize is_cuda requires_grad".split()
)
"""The attributes of a tensor that are no methods."""


@cache
def functions() -> frozenset[str]:
    """PyTorch's functions, from its type stubs."""
    text = _text("_C", "_VariableFunctions.pyi") + _text("functional.py")
    return frozenset(re.findall(r"^(?:    )?def ([a-z]\w*)\(", text, re.MULTILINE))


@cache
def methods() -> frozenset[str]:
    """A tensor's methods, from the same stubs."""
    stub = _text("_C", "__init__.pyi")
    start = stub.find("class TensorBase")
    end = stub.find("\nclass ", start + 1)
    text = stub[start:end] + _text("_tensor.py")
    return frozenset(re.findall(r"^    def ([a-z]\w*)\(", text, re.MULTILINE))


@cache
def functional() -> frozenset[str]:
    """The functions of ``torch.nn.functional``."""
    text = _text("nn", "functional.py")
    found = re.findall(r"^(?:def ([a-z]\w*)\(|([a-z]\w*) = )", text, re.MULTILINE)
    return frozenset(name for pair in found for name in pair if name)


@cache
def members() -> frozenset[str]:
    """What ``torch.<name>`` may be: all that the module's own file speaks of, and its functions."""
    return functions() | CONSTANTS | MODULES | set(re.findall(r"\w+", _text("__init__.py")))


def _text(*path: str) -> str:
    spec = find_spec("torch")
    assert spec is not None and spec.submodule_search_locations
    file = Path(spec.submodule_search_locations[0]).joinpath(*path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""
