"""The pytest plugin of packages: marks, ``--sanitize``, grouped failures, and a table of worst
errors.

Packages name it in their settings. It is not an entry point, so that other tests in the environment
do not load it. It does not import PyTorch.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import random
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ..optional_imports import how_to_install
from .grouping import grouped, note_cause
from .watch import Watch

ERROR = "worst absolute error"
"""The property of a test with an operator, an exporter, an opset version and an error."""
DRAWN = "drawn calls"
"""The property of a test of drawn calls: the seed, the operator, what is compared, and the numbers
of calls.
"""
_NEEDED = ("torch", "numpy", "onnx", "onnxruntime", "onnxscript", "hypothesis")
_IGNORED = (
    "ignore:.*legacy TorchScript-based ONNX export:DeprecationWarning",
    "ignore::UserWarning:torch.*",
    "ignore::DeprecationWarning:torch.*",
    "ignore::FutureWarning:torch.*",
    "ignore:.isinstance.treespec, LeafSpec.:FutureWarning",  # of copyreg, for PyTorch 2.13
)
"""The warnings of PyTorch's exporters, which a package cannot mend."""
_MARKS = {
    "quick": (
        "values, gradients and a roundtrip without dynamo, which is slow to import: pytest -m quick"
    ),
    "gpu": "the kernels on a GPU, of a package that is built for CUDA: pytest -m gpu",
    "only_for(condition)": "run a test only for operators that meet the condition",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("onnxop").addoption(
        "--sanitize",
        action="store_true",
        help="build the kernels with AddressSanitizer, and only make their first calls",
    )
    parser.getgroup("onnxop").addoption(
        "--draws-seed",
        type=int,
        metavar="SEED",
        help="the seed of the drawn calls; a run prints its own",
    )
    parser.getgroup("onnxop").addoption(
        "--draws-seconds",
        type=float,
        default=Draws.seconds,
        metavar="SECONDS",
        help="the CPU time of each test of drawn calls; %(default)s",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    for name, text in _MARKS.items():
        config.addinivalue_line("markers", f"{name}: {text}")
    for warning in _IGNORED:
        config.addinivalue_line("filterwarnings", warning)
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise pytest.UsageError(
            f"the tests of a package need {' and '.join(missing)}: {how_to_install(*missing)}"
        )
    # PyTorch logs at low levels, and pytest would show it below each failure.
    config.option.log_level = config.option.log_level or config.getini("log_level") or "WARNING"
    if config.option.draws_seed is None:
        config.option.draws_seed = random.randrange(10**6)
    config.pluginmanager.register(_FirstCalls(config), "first_calls")  # -p no:first_calls
    config.pluginmanager.register(ImportedModules())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Remove tests that do not apply to an operator, or have no parameters."""
    items[:] = [item for item in items if _applies(item)]
    if config.option.sanitize:
        items[:] = [i for i in items if getattr(i, "originalname", "") == "test_first_calls"]


def _applies(item: pytest.Item) -> bool:
    tests = getattr(item, "cls", None)
    callspec = getattr(item, "callspec", None)
    if not hasattr(tests, "operator"):
        return True
    if callspec is not None and any(mark.name == "skip" for mark in callspec.marks):
        return False
    return all(mark.args[0](tests) for mark in item.iter_markers("only_for"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    operator = getattr(getattr(item, "cls", None), "operator", None)
    if operator is not None and report.failed and call.excinfo is not None:
        note_cause(report, str(operator), call.excinfo)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter,
) -> Generator[None, None, None]:
    """Report failures grouped by cause. The summary still counts each failed test."""
    stats = terminalreporter.stats
    failed = stats.get("failed", [])
    if failed:
        stats["failed"] = grouped(failed)
    try:
        return (yield)
    finally:
        if failed:
            stats["failed"] = failed
        _print_draws(terminalreporter)
        _print_table(terminalreporter)


def _print_draws(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many drawn calls of each dtype and kind were compared with the reference."""
    reports = [r for s in ("passed", "failed") for r in terminalreporter.stats.get(s, [])]
    rows = [row for report in reports if (row := dict(report.user_properties).get(DRAWN))]
    if rows:
        terminalreporter.section(f"drawn calls (--draws-seed={rows[0][0]}), against the reference")
    for _, operator, what, counts in rows:
        terminalreporter.write_line(f"{operator}, {what}: {counts}")


def _print_table(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the worst error over the samples by exporter and opset."""
    tables: dict[str, dict[tuple[str, int], str]] = {}
    for status in ("passed", "failed", "skipped"):
        for report in terminalreporter.stats.get(status, []):
            if row := dict(report.user_properties).get(ERROR):
                operator, exporter, opset, error = row
                rows = tables.setdefault(operator, {})
                before = rows.get((exporter, opset), error)
                rows[exporter, opset] = max(error, before, key=_size)
    if tables:
        terminalreporter.section(f"{ERROR}, PyTorch against ONNX Runtime")
    for operator, rows in tables.items():
        terminalreporter.write_line(operator)
        for (exporter, opset), error in sorted(rows.items()):
            terminalreporter.write_line(f"{exporter:<11}  {opset:>5}  {error:>9}")


def _size(error: str) -> float:
    try:
        return float(error)
    except ValueError:  # no kernel
        return -1.0


@dataclass(frozen=True)
class Draws:
    """The seed and the time of drawn calls, and the record of how many were compared."""

    seed: int
    record: Callable[[str, object], None]
    watch: Callable[[str], AbstractContextManager[None]]
    """Names the call that may crash this process."""
    seconds: float = 3.0
    """The CPU time of an operator's test of drawn calls, which its dtypes and kinds of draws share:
    other processes do not take from it.
    """

    @property
    def times(self) -> int:
        """How many times as many calls may be drawn as in the usual time, if there is more time."""
        return max(1, int(self.seconds / Draws.seconds))

    def add(self, operator: str, what: str, counts: object) -> None:
        """Record how many calls of each dtype and kind were compared."""
        self.record(DRAWN, [self.seed, operator, what, str(counts)])


def _unwatched(_: str) -> AbstractContextManager[None]:
    return nullcontext()


@pytest.fixture
def draws(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Draws:
    """The seed of drawn calls, and their time."""
    first_calls = request.config.pluginmanager.get_plugin("first_calls")
    watch = _unwatched if first_calls is None else first_calls.watch.drawing
    option = request.config.option
    return Draws(option.draws_seed, record_property, watch, option.draws_seconds)


class ImportedModules:
    """Keeps imported modules out of garbage collections: one that visits PyTorch and its exporters
    takes longer than an export.
    """

    def __init__(self) -> None:
        self._count = 0

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self) -> None:
        self._freeze()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self) -> None:
        self._freeze()

    def pytest_unconfigure(self) -> None:
        """Let Python free all objects at its end: Triton's bindings list those that it does not."""
        gc.unfreeze()

    def _freeze(self) -> None:
        if "hypothesis" in sys.modules:
            _start_hypothesis()
        if len(sys.modules) != self._count:
            self._count = len(sys.modules)
            gc.freeze()


@cache
def _start_hypothesis() -> None:
    """Test a property once, before objects are frozen. Hypothesis asks the collector what holds its
    random numbers, and warns if that is nothing. In Python 3.14 it does not see a frozen holder.
    """
    from hypothesis import Phase, given, settings, strategies

    @settings(max_examples=1, database=None, phases=[Phase.generate])
    @given(strategies.none())
    def nothing(_: None) -> None:
        pass

    nothing()


class _FirstCalls:
    """The process that makes the first calls of kernels, which may crash it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._watch: Watch | None = None
        # Of the process, not pytest's capture.
        self._terminal = os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2)
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def pytest_sessionstart(self) -> None:
        options = self._config.option
        if options.collectonly or not (self._config.rootpath / "setup.py").is_file():
            return
        if getattr(options, "dist", "no") != "no" and not hasattr(self._config, "workerinput"):
            return
        sanitized = None
        if options.sanitize:
            from .sanitizer import build

            self._folder = tempfile.TemporaryDirectory()
            sanitized = build(self._config.rootpath, Path(self._folder.name))
        self._watch = Watch(self._terminal, sanitized, imported_first=["torch"])

    def pytest_unconfigure(self) -> None:
        if self._watch is not None:
            self._watch.close()
        if self._folder is not None:
            self._folder.cleanup()
        os.close(self._terminal)

    def crash_of(self, item: pytest.Item) -> str:
        """Return how the operator of a test crashes the process, or "" if it does not."""
        tests: Any = getattr(item, "cls", None)
        if not getattr(getattr(tests, "operator", None), "is_native", False):
            return ""
        return self.watch.crash_of(tests, item.path)

    @property
    def watch(self) -> Watch:
        """The process that watches drawn calls, and makes the first calls of kernels."""
        if self._watch is None:
            self._watch = Watch(self._terminal)
        return self._watch

    @pytest.fixture
    def first_calls(self, request: pytest.FixtureRequest) -> str:
        """How the first calls of an operator crash a process, or ""."""
        return self.crash_of(request.node)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        name = getattr(item, "originalname", "")
        if name == "test_first_calls" or not (crash := self.crash_of(item)):
            return
        tests: Any = getattr(item, "cls", None)
        functions = [i for i in item.session.items if isinstance(i, pytest.Function)]
        if (tests, "test_first_calls") in [(f.cls, f.originalname) for f in functions]:
            pytest.skip(f"{tests.operator} crashes the process: see test_first_calls")
        pytest.fail(crash, pytrace=False)
