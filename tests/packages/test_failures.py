"""Reports of packages' tests: each cause once, crashes with their operator, and missing dependencies."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.warm import Warm

# Packages name the plugin in their settings; this tests its classes without a package.
COMMAND = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
PLUGIN = ["-p", "onnxop_runtime.testing.plugin"]

TESTS = """
import logging, os, types
import pytest
from onnxop_runtime import testing
from onnxop_runtime.testing.base import only_for

class Operator:
    overloads, tensors, arguments = (), (), ()
    def __str__(self): return "my_lib::wrong"

class TestWrong(testing.OperatorTests):
    operator = Operator()
    function = staticmethod(lambda a: a)
    samples = [testing.Sample(a=testing.random("float32", size)) for size in range(1, 6)]

    def test_values(self, sample):
        logging.getLogger("torch").debug("a line of %s", "torch's")
        logging.getLogger("mine").warning("a warning")
        assert sample.arguments()["a"].numel() == 0

    def test_sizes(self, sample):
        raise ValueError("of a size")

    @only_for(lambda tests: False)
    def test_of_another_kind(self):
        raise AssertionError

    def test_first_calls(self, first_calls):
        pass
"""


def run(warm: Warm, folder: Path, code: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_wrong.py").write_text(textwrap.dedent(code), encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    return warm.run(*COMMAND, *options, cwd=folder, COLUMNS="200")


def test_each_cause_is_told_once(warm: Warm, tmp_path: Path) -> None:
    result = run(warm, tmp_path, TESTS, *PLUGIN)
    assert result.returncode == 1
    failed = [line for line in result.stdout.splitlines() if line.startswith("FAILED")]
    assert [line.partition(" - ")[0] for line in failed] == [
        "FAILED test_wrong.py::TestWrong::test_values [5 tests]",
        "FAILED test_wrong.py::TestWrong::test_sizes [5 tests]",
    ]
    assert "ValueError: of a size" in failed[1]
    assert "a float32[3]" in result.stdout
    assert "10 failed, 1 passed" in result.stdout
    assert "a warning" in result.stdout
    assert "a line of torch's" not in result.stdout


CRASH = """
import ctypes
from onnxop_runtime import testing

class Operator:
    overloads, tensors, arguments, is_native = (), (), (), True
    def __init__(self, name): self.name = name
    def __str__(self): return self.name

def crash(a):
    if a.numel() == 3:
        ctypes.string_at(0)

class TestCrashes(testing.OperatorTests):
    operator = Operator("my_lib::crashes")
    function = staticmethod(crash)
    samples = [testing.Sample(a=testing.random("float32", size)) for size in (2, 3, 4)]

    def test_first_calls(self, first_calls):
        if first_calls:
            import pytest
            pytest.fail(first_calls, pytrace=False)

    def test_values(self, sample):
        self.function(**sample.arguments())

class TestFine(TestCrashes):
    operator = Operator("my_lib::fine")
    function = staticmethod(abs)
    samples = [testing.Sample(a=testing.random("float32", 3))]

    def test_values(self, sample):
        pass
"""


def test_a_crash_is_a_failure_of_its_operator(warm: Warm, tmp_path: Path) -> None:
    result = run(warm, tmp_path, CRASH, *PLUGIN, "-rs")
    assert result.returncode == 1, result.stdout
    assert (
        "my_lib::crashes: the call with a float32[3] crashes the process (Segmentation fault"
        in (result.stdout)
    )
    assert "pytest --sanitize" in result.stdout
    assert "my_lib::crashes crashes the process: see test_first_calls" in result.stdout
    assert "1 failed, 2 passed, 3 skipped" in result.stdout


@pytest.mark.parametrize("missing", ["onnx", "onnxruntime"])
def test_what_is_missing_is_said_in_a_sentence(tmp_path: Path, missing: str) -> None:
    code = f"""
    import importlib.util, sys, pytest
    find_spec = importlib.util.find_spec
    importlib.util.find_spec = lambda name, *rest: None if name == "{missing}" else find_spec(name, *rest)
    sys.exit(pytest.main(["-p", "onnxop_runtime.testing.plugin", "--co"]))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 4
    sentence = f"the tests of a package need {missing}: run pip install {missing}"
    assert result.stderr.strip() == f"ERROR: {sentence}"


def test_classes_without_pytest_are_refused_in_a_sentence() -> None:
    code = """
    import sys
    sys.modules["pytest"] = None
    try:
        from onnxop_runtime import testing
        testing.ElementwiseTests
    except ImportError as error:
        print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    name = "onnxop_runtime.testing.ElementwiseTests"
    message = f"{name} needs pytest, which is not installed; run pip install pytest\n"
    assert result.stdout == message, result.stderr


def test_the_plugin_imports_no_pytorch(tmp_path: Path) -> None:
    code = """
    import sys, pytest
    pytest.main(["-q", "-p", "onnxop_runtime.testing.plugin", "--co"])
    print("torch" in sys.modules)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.stdout.splitlines()[-1] == "False", result.stdout + result.stderr


UNWRITTEN = """
import torch
from onnxop_runtime import testing
from onnxop_runtime.testing.values import KernelValueTests

class Operator:
    overloads, tensors, arguments, existing, has_reference = (), (), (), "", False
    is_native = elementwise = False
    kernel = overload = None
    def __str__(self): return "my_lib::unwritten"

def unwritten(a):
    result = torch.empty(len(a))
    result[1:] = a[1:]
    if result[0].isfinite():  # as memory is that happens to hold the same each time
        result[0] = 0
    return result

class TestUnwritten(KernelValueTests):
    operator = Operator()
    function = staticmethod(unwritten)
    samples = [testing.Sample(a=testing.random("float32", 5))]
"""


def test_an_element_unwritten_is_a_failure(warm: Warm, tmp_path: Path) -> None:
    result = run(warm, tmp_path, UNWRITTEN, *PLUGIN, "-k", "test_values")
    assert "1 failed" in result.stdout, result.stdout
