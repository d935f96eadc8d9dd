"""The plugin of pytest that packages' own settings name: marks, ``--sanitize``, what failed, and the table of
worst errors.

It is no entry point: pytest of something else in the same environment has nothing of it, and PyTorch is
imported by the tests alone.
"""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from .grouping import Seen, cause_of, grouped
from .watch import Watch

_NEEDED = ("torch", "numpy", "onnx", "onnxruntime", "onnxscript")
_MARKS = {
    "quick": "values, gradients and a roundtrip without dynamo, whose import takes longest: pytest -m quick",
    "only_for(condition)": "leave a test out of classes of operators that the condition does not hold of",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("onnxop").addoption(
        "--sanitize",
        action="store_true",
        help="build the kernels with AddressSanitizer, and make their first calls alone",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    for name, text in _MARKS.items():
        config.addinivalue_line("markers", f"{name}: {text}")
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise pytest.UsageError(
            f"the tests of a package need {' and '.join(missing)}: run pip install {' '.join(missing)}"
        )
    # PyTorch's loggers tell everything, and pytest would show it below each failure.
    config.option.log_level = config.option.log_level or config.getini("log_level") or "WARNING"
    config.pluginmanager.register(_Tests(config), "onnxop_runtime.tests")


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    tests: Any = config.pluginmanager.get_plugin("onnxop_runtime.tests")
    tests.print_table(terminalreporter)


class _Tests:
    """What is known during a run of tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._errors: dict[tuple[str, int], dict[str, str]] = {}
        self._operators: dict[str, None] = {}
        self._watch: Watch | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    # ---- The process of first calls ----

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
        self._watch = Watch(sanitized)

    def pytest_unconfigure(self) -> None:
        if self._watch is not None:
            self._watch.close()
        if self._folder is not None:
            self._folder.cleanup()

    def crash_of(self, item: Any) -> str:
        """Return how the operator of a test ends the process; empty where it does not."""
        tests: Any = getattr(item, "cls", None)
        if not hasattr(tests, "test_first_calls"):
            return ""
        if self._watch is None:
            self._watch = Watch()
        return self._watch.crash_of(tests, item.path)

    @pytest.fixture
    def first_calls(self, request: pytest.FixtureRequest) -> str:
        """How the first calls of an operator end a process; empty where they do not."""
        return self.crash_of(request.node)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        name = getattr(item, "originalname", "")
        if name == "test_first_calls" or not (crash := self.crash_of(item)):
            return
        tells = {
            (i.cls, i.originalname) for i in item.session.items if isinstance(i, pytest.Function)
        }
        tests: Any = item.getparent(pytest.Class)
        if (tests.obj, "test_first_calls") in tells:
            pytest.skip(f"{tests.obj.operator} ends the process: see test_first_calls")
        pytest.fail(crash, pytrace=False)

    # ---- What is run ----

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what does not apply to an operator, and what has nothing to be repeated for."""
        left = [item for item in items if self._applies(item)]
        if len(left) < len(items) and self._config.option.sanitize:
            chosen = {id(item) for item in left}
            gone = [item for item in items if id(item) not in chosen]
            self._config.hook.pytest_deselected(items=gone)
        items[:] = left

    def _applies(self, item: pytest.Item) -> bool:
        tests = getattr(item, "cls", None)
        if not hasattr(tests, "operator"):
            return not self._config.option.sanitize
        if self._config.option.sanitize and getattr(item, "originalname", "") != "test_first_calls":
            return False
        callspec = getattr(item, "callspec", None)
        if callspec is not None and any(mark.name == "skip" for mark in callspec.marks):
            return False
        return all(mark.args[0](tests) for mark in item.iter_markers("only_for"))

    # ---- What is told ----

    @pytest.fixture
    def measure(self, request: pytest.FixtureRequest) -> Callable[[str], None]:
        """Takes note of a worst error, for the table at the end."""

        def note(error: str) -> None:
            request.node.stash[_ERROR] = error

        return note

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, Any, Any]:
        report = yield
        operator = getattr(getattr(item, "cls", None), "operator", None)
        if operator is not None and (report.failed or _ERROR in item.stash):
            _seen(item, call, str(operator)).attached_to(report)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        seen = Seen.of(report)
        if seen is not None and seen.error and report.when == "call":
            self._operators[seen.operator] = None
            row = self._errors.setdefault((seen.exporter, seen.opset), {})
            sample = f"{seen.operator}\n{seen.sample}"
            row[sample] = max(seen.error, row.get(sample, seen.error), key=_size)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> Generator[None, None, None]:
        """Have failures told by their causes; the numbers below them are those of the tests."""
        stats = terminalreporter.stats
        failed = stats.get("failed", [])
        if failed:
            stats["failed"] = grouped(failed)
        try:
            return (yield)
        finally:
            if failed:
                stats["failed"] = failed

    def print_table(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the worst errors, by exporter, opset and sample."""
        if not self._errors:
            return
        write, errors = terminalreporter.write_line, self._errors
        samples = list(dict.fromkeys(sample for row in errors.values() for sample in row))
        terminalreporter.section("worst absolute error, PyTorch against ONNX Runtime")
        for number, sample in enumerate(samples, 1):
            operator, _, text = sample.partition("\n")
            name = f"{operator.partition('::')[2]}: " * (len(self._operators) > 1)
            write(f"sample {number}: {name}{text}")
        heads = [f"sample {number}" for number in range(1, len(samples) + 1)]
        write("  ".join(["exporter   ", "opset", *(f"{head:>9}" for head in heads)]))
        for (exporter, opset), row in sorted(errors.items()):
            cells = [f"{row.get(sample, '-'):>9}" for sample in samples]
            write("  ".join([f"{exporter:<11}", f"{opset:>5}", *cells]))


_ERROR = pytest.StashKey[str]()


def _seen(item: pytest.Item, call: pytest.CallInfo[Any], operator: str) -> Seen:
    params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    roundtrip = params.get("roundtrip") or params.get("node")
    sample = params.get("sample") or params.get("error") or getattr(roundtrip, "sample", "")
    return Seen(
        operator=operator,
        cause=cause_of(call.excinfo) if call.excinfo is not None else "",
        test=str(getattr(item, "originalname", item.name)),
        face=params.get("face", ""),
        exporter=getattr(roundtrip, "exporter", params.get("exporter", "")),
        opset=getattr(roundtrip, "opset", 0),
        sample=str(sample),
        error=item.stash.get(_ERROR, ""),
    )


def _size(error: str) -> float:
    try:
        return float(error)
    except ValueError:
        return -1.0
