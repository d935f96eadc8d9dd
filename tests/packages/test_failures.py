"""Reports of packages' tests: each cause once, crashes with their operator, and missing
dependencies.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from onnxop_runtime.installer import pip_install
from onnxop_runtime.optional_imports import how_to_install
from tests.conftest import Environment
from tests.programs import program
from tests.tiers import nightly
from tests.warm import Warm

# Packages name the plugin in their settings; this tests its classes without a package.
COMMAND = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly"]
PLUGIN = ["-p", "onnxop_runtime.testing.plugin"]

TESTS = program("failures/tests")


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


CRASH = program("failures/crash")


@pytest.mark.nightly
def test_a_crash_is_a_failure_of_its_operator(warm: Warm, tmp_path: Path) -> None:
    result = run(warm, tmp_path, CRASH, *PLUGIN, "-rs")
    assert result.returncode == 1, result.stdout
    assert (
        "my_lib::crashes: the call with a float32[3] crashes: the process ended with SIGSEGV"
        in (result.stdout)
    )
    assert "pytest --sanitize" in result.stdout
    assert "my_lib::crashes crashes the process: see test_first_calls" in result.stdout
    assert "1 failed, 2 passed, 3 skipped" in result.stdout


DRAWN = program("failures/drawn")


@pytest.mark.nightly
def test_a_drawn_call_that_ends_the_process_is_named(
    environment: Environment, tmp_path: Path
) -> None:
    (tmp_path / "test_crash.py").write_text(DRAWN, encoding="utf-8")
    result = environment.run(*COMMAND, *PLUGIN, cwd=tmp_path)
    assert result.returncode == -signal.SIGSEGV
    assert "my_lib::crashes: the drawn call a float32[3] ended the process" in result.stdout
    assert "my_lib::right" not in result.stdout


@pytest.mark.parametrize("missing", [nightly("onnx"), "onnxruntime"])
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
    sentence = f"the tests of a package need {missing}: {how_to_install(missing)}"
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
    message = f"{name} needs pytest, which is not installed; run {pip_install()} pytest\n"
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


UNWRITTEN = program("failures/unwritten")


@pytest.mark.nightly
def test_an_element_unwritten_is_a_failure(warm: Warm, tmp_path: Path) -> None:
    result = run(warm, tmp_path, UNWRITTEN, *PLUGIN, "-k", "test_values")
    assert "1 failed" in result.stdout, result.stdout


# ---- Faults in packages ----

CUBE = """
[op]
schema = "faults::{name}(Tensor x) -> Tensor"
[onnx]
opset = 13
mapping = "x * x * x"
[kernel]
{kernel}
[[samples]]
x = "float32[n=3, 4]"
"""
BY_HAND = 'source = "{name}.h"\nbackward = ["x"]\npython = "x * x * x"'
ELEMENTWISE = 'elementwise = "x * x * x"\n[autograd]\nx = "3 * grad * x * x"'
KERNEL = """
#pragma once
#include <onnxop/kernel.h>
namespace NAME_kernel {

using namespace onnxop;
inline constexpr std::string_view kName = "faults::NAME";
using Supported = Types<float, double>;
inline OutputSpec infer(const TensorMeta& x) {
  check_supported<Supported>(kName, x);
  return {x.dtype, {x.sizes.begin(), x.sizes.end()}};
}
inline void compute(const MutableTensorView& out, const TensorView& x, const ParallelFor&) {
  Supported::visit(x.dtype, [&]<typename T>() {
    const T* const from = x.data_as<T>();
    const int64_t count = element_count(out.sizes);
    for (int64_t i = 0; i < count; ++i) out.data_as<T>()[i] = from[i] * from[i] * from[i];
  });
}
inline void backward(const std::optional<MutableTensorView>& to, const TensorView& grad,
                     const TensorView& x, const ParallelFor&) {
  Supported::visit(x.dtype, [&]<typename T>() {
    const T* const grads = grad.data_as<T>();
    const T* const from = x.data_as<T>();
    for (int64_t i = 0; i < element_count(x.sizes); ++i) {
      to->data_as<T>()[i] = T(3) * grads[i] * from[i] * from[i];
    }
  });
}
}  // namespace NAME_kernel
"""
FAULTS = {  # by operator: the file, the text, and the text with the fault
    "right": ("ops/{name}.h", "T(3)", "T(3)"),
    "right_too": ("csrc/{name}.h", "x * x * x", "x * x * x"),
    "another_mapping": ("src/faults/_{name}.py", "return x * x * x\n\n\nOP", "return x * x * x * 1.003\n\n\nOP"),
    "another_reference": ("src/faults/_{name}.py", "return x * x * x\n\n\ndef", "return x * x * x * 1.003\n\n\ndef"),
    "gradient_twice": ("src/faults/_{name}.py", "3 * grad", "6 * grad"),
    "backward_twice": ("ops/{name}.h", "T(3)", "T(6)"),
    "backward_off": ("ops/{name}.h", "T(3)", "T(3.009)"),
    "values_off": ("ops/{name}.h", "= from[i] *", "= T(1.003) * from[i] *"),
    "unwritten": ("ops/{name}.h", "i < count", "i < count - 1"),
    "overwritten": ("ops/{name}.h", "    const int64_t count", "    const_cast<T*>(from)[0] = T(2);\n    const int64_t count"),
    "integers_off": ("csrc/{name}.h", "return x * x * x", "return x * x * x + T(std::is_integral_v<T>)"),
}  # fmt: skip


@pytest.mark.everything
def test_faults_are_found(warm: Warm, environment: Environment, tmp_path: Path) -> None:
    """Check that a package's own tests find each fault, and fail for no other operator."""
    for name in FAULTS:
        is_elementwise = name in ("right_too", "gradient_twice", "integers_off")
        kernel = (ELEMENTWISE if is_elementwise else BY_HAND).format(name=name)
        text = CUBE.format(name=name, kernel=kernel)
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
        if not is_elementwise:
            header = KERNEL.replace("NAME", name)
            (tmp_path / f"{name}.h").write_text(header, encoding="utf-8")
    specs = [f"{name}.toml" for name in FAULTS]
    warm.checked("-m", "onnxop", "new", *specs, "--name", "faults", "made", cwd=tmp_path)
    package = tmp_path / "made"
    for name, (file, text, fault) in FAULTS.items():
        path = package / file.format(name=name)
        before = path.read_text(encoding="utf-8")
        assert before.count(text) == 1, before
        path.write_text(before.replace(text, fault), encoding="utf-8")
    environment.install(package)
    result = environment.run("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package)
    failed = re.findall(r"^FAILED tests/test_(\w+)\.py::\w+::(\w+)", result.stdout, re.MULTILINE)
    assert {name for name, _ in failed} == FAULTS.keys() - {"right", "right_too"}, result.stdout
    assert len({*failed}) == len(failed), result.stdout  # each test of an operator once
