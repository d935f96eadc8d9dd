"""The first calls of compiled kernels, in a process that they may end: what runs there.

    python -m onnxop_runtime.testing.first_calls

reads a class of tests in each line, ``["tests/test_my_add.py", "TestMyAdd"]``, and writes a line before each
call of a sample, and an empty one after a class. What a call raises is for the tests themselves to tell.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import torch

from .arguments import results_of


def main() -> None:
    # What kernels print goes where errors go.
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    modules: dict[str, Any] = {}
    for line in sys.stdin:
        path, name = json.loads(line)
        with contextlib.suppress(Exception):  # whatever it is, the tests meet it, too
            if path not in modules:
                modules[path] = _module(Path(path))
            _call(getattr(modules[path], name), told)
        print(file=told, flush=True)


def _module(path: Path) -> Any:
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _call(tests: Any, told: Any) -> None:
    """Call the operator with each sample, and its backward pass; the memory of each call is freed, where
    what was written beside it comes out.
    """
    gc.freeze()  # or each collection would look at all of PyTorch
    for sample in tests.samples:
        for larger in (False, True):
            for what, call in {"call": _compute, "gradients": _differentiate}.items():
                print(f"the {what} with {sample}", file=told, flush=True)
                with contextlib.suppress(Exception):
                    call(tests, sample.arguments(larger=larger))
                gc.collect()


def _compute(tests: Any, arguments: dict[str, Any]) -> tuple[torch.Tensor, ...]:
    return results_of(tests.function(**arguments))


def _differentiate(tests: Any, arguments: dict[str, Any]) -> None:
    inputs = [tensor.requires_grad_() for tensor in tests.with_gradients(arguments).values()]
    sums = [result.sum() for result in _compute(tests, arguments) if result.requires_grad]
    if inputs and sums:
        # Of a number: gradients that are given would import what traces sizes.
        torch.autograd.grad(torch.stack(sums).sum(), inputs, allow_unused=True)


if __name__ == "__main__":
    main()
