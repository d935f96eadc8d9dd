"""Has the exporter read its tables once, tells what PyTorch refuses by itself, and prints what the roundtrip
tests measured.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from typing import Any

import pytest
import torch
from engine_models import refused_by_pytorch

Measure = Callable[[str, int, str, str], None]


@pytest.fixture(scope="session", autouse=True)
def _tables() -> None:
    """Has the dynamo exporter keep what it makes anew for each model, most of the time of a small one:
    onnxscript's functions, parsed from their source, their signatures, and a look at every operator
    that is composed of others. Where a release of PyTorch has them elsewhere, they take their time.
    """
    from torch._export import utils
    from torch.onnx._internal.exporter import _registration

    modules: Any = {
        "get_torchlib_ops": getattr(_registration, "onnxscript_apis", None),
        "op_signature_from_function": getattr(_registration, "_schemas", None),
    }
    for name, module in modules.items():
        if hasattr(module, name):
            setattr(module, name, functools.cache(getattr(module, name)))
    if hasattr(utils, "_materialize_cpp_cia_ops"):
        look = utils._materialize_cpp_cia_ops
        looked = functools.cache(lambda composites: look())
        utils._materialize_cpp_cia_ops = lambda: looked(_composites())


def _composites() -> int:
    """How many operators PyTorch composes of others: more, once one is registered."""
    key = "CompositeImplicitAutograd"
    return len(torch._C._dispatch_get_registrations_for_dispatch_key(key))


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Skips what does not come to the package's rule, and tells why."""
    try:
        return (yield)
    except (RuntimeError, ValueError):
        given: dict[str, Any] = getattr(getattr(pyfuncitem, "callspec", None), "params", {})
        if "case" in given and pyfuncitem.module.__name__ == "test_roundtrip":
            case = given["case"]
            sample = given.get("sample", case.samples[0])
            why = refused_by_pytorch(case, sample, given.get("dynamic", False))
            if why:
                pytest.skip(why)
        raise


_errors: dict[tuple[str, int], dict[str, str]] = {}


@pytest.fixture(scope="session")
def measure() -> Measure:
    """Takes note of a worst error, by exporter, opset and sample, for the table at the end."""

    def note(exporter: str, opset: int, sample: str, error: str) -> None:
        row = _errors.setdefault((exporter, opset), {})
        row[sample] = max(error, row.get(sample, error), key=_size)

    return note


def _size(error: str) -> float:
    try:
        return float(error)
    except ValueError:
        return -1.0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _errors:
        return
    samples = list(dict.fromkeys(sample for row in _errors.values() for sample in row))
    write = terminalreporter.write_line
    terminalreporter.section("worst absolute error, PyTorch against ONNX Runtime")
    for number, sample in enumerate(samples, 1):
        write(f"sample {number}: {sample}")
    heads = [f"sample {number}" for number in range(1, len(samples) + 1)]
    write("  ".join(["exporter   ", "opset", *(f"{head:>9}" for head in heads)]))
    for (exporter, opset), row in sorted(_errors.items()):
        cells = [f"{row.get(sample, '-'):>9}" for sample in samples]
        write("  ".join([f"{exporter:<11}", f"{opset:>5}", *cells]))
