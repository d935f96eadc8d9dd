"""The first calls of compiled kernels, in a separate process, because they may crash it.

    python -m onnxop_runtime.testing.first_calls 2 torch

reads a test class per line, ``["tests/test_my_add.py", "TestMyAdd"]``. It writes a line before each
call of a sample, and an empty line after a class. Exceptions are ignored; the tests report them.
The modules after the number are imported before the first line, as PyTorch takes seconds.

A line ``{"call": "..."}`` says which drawn call the parent makes, and ``{"call": ""}`` that it has
returned. If the parent ends before, or does not return in time, this process writes the call to the
file descriptor of its first argument.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import select
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..processes import reserve_stdout

if TYPE_CHECKING:  # else imported for calls alone: a process that only watches needs no PyTorch
    from torch import Tensor

_LONGEST = 60
"""Seconds of CPU time, or of waiting without any, after which a drawn call is taken for one that
does not return. On a busy machine a call may take minutes.
"""
_STEP = 5
"""Seconds between two looks at the CPU time."""


def main() -> None:
    """Answer, for each test class that is named on stdin, the calls that it makes."""
    out = reserve_stdout()  # the output of kernels goes to stderr
    terminal, *imported_first = sys.argv[1:]
    for name in imported_first:
        importlib.import_module(name)
    modules: dict[str, Any] = {}
    for path, name in _classes(int(terminal)):
        with contextlib.suppress(Exception):  # the tests report it
            if path not in modules:
                modules[path] = _module(Path(path))
            _call(getattr(modules[path], name), out)
        print(file=out, flush=True)


def _classes(terminal: int) -> Iterator[tuple[str, str]]:
    """Yield the file and the name of each test class to call, and watch the drawn calls of the
    parent meanwhile.
    """
    parent, call, received = os.getppid(), "", b""
    while True:
        if call and (reason := _hang_of(parent)):
            _tell(terminal, f"{call} {reason}")
            os.kill(parent, signal.SIGABRT)
            return
        part = os.read(0, 1 << 16)
        if not part:
            break
        *lines, received = (received + part).split(b"\n")
        for line in lines:
            request = json.loads(line)
            if isinstance(request, dict):
                call = request["call"]
            else:
                yield request
    if call:
        _tell(
            terminal,
            f"{call} ended the process; the kernel may read or write outside of its tensors: add "
            "the call to the [[samples]], and run pytest --sanitize to find the line",
        )


def _hang_of(parent: int) -> str:
    """Wait for a line on stdin. Return how the parent hangs if none comes, or ""."""
    began = before = _cpu_seconds(parent)
    waited = 0
    while not select.select([0], [], [], _STEP)[0]:
        now = _cpu_seconds(parent)
        if now - began >= _LONGEST:
            return f"does not return within {_LONGEST} s of CPU time"
        waited = waited + _STEP if now == before else 0
        if waited >= _LONGEST:
            return f"does not return: it has waited for {_LONGEST} s, without CPU time"
        before = now
    return ""


def _cpu_seconds(process: int) -> float:
    """Return the CPU time of a process, with that of the processes that it has waited for; 0 if it
    has ended.
    """
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return 0.0
    fields = text.rpartition(")")[2].split()  # from the state on, the third field of proc(5)
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _tell(terminal: int, text: str) -> None:
    os.write(terminal, f"\n{text}\n".encode())


def _module(path: Path) -> Any:
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _call(tests: Any, out: Any) -> None:
    """Call the operator and its backward pass with each sample. The memory of each call is freed,
    as glibc detects writes out of bounds then.
    """
    gc.freeze()  # else each collection would traverse PyTorch
    for sample in tests.samples:
        for larger in (False, True):
            for label, call in {"call": _compute, "gradients": _differentiate}.items():
                print(f"the {label} with {sample}", file=out, flush=True)
                with contextlib.suppress(Exception):
                    call(tests, sample.arguments(larger=larger))
                gc.collect()


def _compute(tests: Any, arguments: dict[str, Any]) -> tuple[Tensor, ...]:
    from .arguments import results_of

    return results_of(tests.function(**arguments))


def _differentiate(tests: Any, arguments: dict[str, Any]) -> None:
    import torch

    inputs = [tensor.requires_grad_() for tensor in tests.with_gradients(arguments).values()]
    sums = [result.sum() for result in _compute(tests, arguments) if result.requires_grad]
    if inputs and sums:
        # Of a scalar, because explicit gradients would import slow modules.
        torch.autograd.grad(torch.stack(sums).sum(), inputs, allow_unused=True)


if __name__ == "__main__":
    main()
