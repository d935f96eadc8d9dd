"""The first calls of compiled kernels, in a separate process, because they may crash it.

    python -m onnxop_runtime.testing.first_calls

reads a test class per line, ``["tests/test_my_add.py", "TestMyAdd"]``. It writes a line before each call of a
sample, and an empty line after a class. Exceptions are ignored; the tests report them.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import torch

from ..processes import reserve_stdout
from .arguments import results_of


def main() -> None:
    out = reserve_stdout()  # the output of kernels goes to stderr
    modules: dict[str, Any] = {}
    for line in sys.stdin:
        path, name = json.loads(line)
        with contextlib.suppress(Exception):  # the tests report it
            if path not in modules:
                modules[path] = _module(Path(path))
            _call(getattr(modules[path], name), out)
        print(file=out, flush=True)


def _module(path: Path) -> Any:
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _call(tests: Any, out: Any) -> None:
    """Call the operator and its backward pass with each sample. The memory of each call is freed, as glibc
    detects writes out of bounds then.
    """
    gc.freeze()  # else each collection would traverse PyTorch
    for sample in tests.samples:
        for larger in (False, True):
            for label, call in {"call": _compute, "gradients": _differentiate}.items():
                print(f"the {label} with {sample}", file=out, flush=True)
                with contextlib.suppress(Exception):
                    call(tests, sample.arguments(larger=larger))
                gc.collect()


def _compute(tests: Any, arguments: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    return results_of(tests.function(**arguments))


def _differentiate(tests: Any, arguments: dict[str, Any]) -> None:
    inputs = [tensor.requires_grad_() for tensor in tests.with_gradients(arguments).values()]
    sums = [result.sum() for result in _compute(tests, arguments) if result.requires_grad]
    if inputs and sums:
        # Of a scalar, because explicit gradients would import slow modules.
        torch.autograd.grad(torch.stack(sums).sum(), inputs, allow_unused=True)


if __name__ == "__main__":
    main()
