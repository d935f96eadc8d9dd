"""Tests of the drawn calls of a package's tests: faults that no sample meets must be found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from onnxop.check.load import parse_package
from tests import rendering
from tests.conftest import Environment, Shared
from tests.warm import Warm

FAULTS = Path(__file__).parent / "faults"
OPERATORS = (
    "scaled",
    "mixed",
    "highest",
    "rows",
    "joined",
    "turned",
    "gated",
    "grouped",
    "bagged",
)


def faults_of(operator: str) -> list[str]:
    """Return the faults of a kernel, which has one of them if the variable FAULT names it."""
    header = (FAULTS / f"{operator}.h").read_text(encoding="utf-8")
    return sorted({*re.findall(r'is\("([^"]+)"\)', header)})


BY_OPERATOR = [(operator, fault) for operator in OPERATORS for fault in faults_of(operator)]
UNSEEN = ["0 for -0.0 in the gradient"]
"""The faults that no test finds: autograd adds zeros of both signs, so the reference says nothing
of them.
"""
BY_LUCK = ["gradient of the first highest"]
"""The faults that few seeds find: which of equal numbers has a gradient is told only where the
numbers are infinite.
"""
RETURNED = "return y if bias is None else op.Add(y, bias)"
MAPPINGS = {
    "the mapping clips": f"y = op.Clip(y, -300.0, 300.0)\n    {RETURNED}",
    "the mapping reshapes": f"y = op.Reshape(y, [-1, 4]) if bias is None else y\n    {RETURNED}",
    "the mapping ignores the bias": "return y",
    "the mapping computes in float32": f"y = op.CastLike(op.Cast(y, to=1), x)\n    {RETURNED}",
}
DRAWN = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "drawn", "--draws-seed=1"]


@pytest.fixture(scope="session")
def package(environment: Environment, shared: Shared, warm: Warm) -> Path:
    """Return the folder of the package whose kernels may have a fault, installed."""

    def make(package: Path) -> None:
        specs = [FAULTS / f"{operator}.toml" for operator in OPERATORS]
        warm.checked("-m", "onnxop", "new", *specs, "--name", "faults", package, cwd=shared.folder)
        environment.install(package)

    return shared.once("faults", make)


BY_MAPPING = """
[op]
schema = "faults::{name}(Tensor x) -> Tensor"
[onnx]
opset = 15
mapping = "{mapping}"
[kernel]
python = "x * (x > 0)"
[[samples]]
x = "float32[n=3, 4]"
"""


@pytest.mark.nightly
def test_a_mapping_that_loses_nan_is_found(tmp_path: Path, warm: Warm) -> None:
    """ONNX Runtime may lose NaN; a mapping that does by ONNX's definition is wrong."""
    mappings = {
        "right": "op.Mul(x, op.CastLike(op.Greater(x, 0.0), x))",
        "loses": "op.Where(op.Greater(x, 0.0), x, 0.0)",
    }
    texts = [BY_MAPPING.format(name=name, mapping=mapping) for name, mapping in mappings.items()]
    texts[0] = f'[package]\nname = "faults"\n{texts[0]}'
    spec = parse_package({f"{n}.toml": text for n, text in enumerate(texts)})
    rendering.write(spec, tmp_path / "faults")
    result = warm.run(*DRAWN, cwd=tmp_path / "faults", PYTHONPATH=str(tmp_path / "faults" / "src"))
    assert result.returncode == 1, result.stdout
    assert "faults::loses: x float32[" in result.stdout
    assert "ONNX Runtime: the result is 0.0" in result.stdout
    assert "faults::right, exports:" in result.stdout
    assert "1 failed" in result.stdout


AT_A_PLACE = """
[op]
schema = "places::placed(Tensor cache, Tensor row, int place) -> Tensor"
[onnx]
opset = 16
mapping = "op.ScatterND(cache, op.Reshape(place, [1, 1]), op.Unsqueeze(row, [0]))"
[kernel]
python = '''
if place < 0:
    return cache.select_scatter(row, 0, place)
return cat([cache[:place], row[None], cache[place + 1 :]])
'''
[[samples]]
cache = "float32[m=4, n=3]"
row = "float32[n]"
place = 2
"""


@pytest.mark.nightly
def test_a_place_beyond_a_size_is_no_fault(tmp_path: Path, warm: Warm) -> None:
    """ONNX Runtime refuses a place beyond the last, of which this reference makes one row more."""
    rendering.write(parse_package({"placed.toml": AT_A_PLACE}), tmp_path / "placed")
    result = warm.run(*DRAWN, cwd=tmp_path / "placed", PYTHONPATH=str(tmp_path / "placed" / "src"))
    assert result.returncode == 0, result.stdout
    assert "places::placed, exports:" in result.stdout


@pytest.mark.everything
@pytest.mark.parametrize("operator", OPERATORS)
def test_the_right_kernel_passes(operator: str, package: Path, environment: Environment) -> None:
    result = environment.run(*DRAWN, f"tests/test_{operator}.py", cwd=package)
    assert result.returncode == 0, result.stdout
    assert "drawn calls (--draws-seed=1), against the reference" in result.stdout
    if operator == "scaled":
        for name in ("float16", "bfloat16", "int64", "empty", "odd", "square", "large", "NaN"):
            counted = rf"faults::scaled, calls: .*\b{name} [1-9]"
            assert re.search(counted, result.stdout), result.stdout


@pytest.mark.everything
@pytest.mark.parametrize(("operator", "fault"), BY_OPERATOR)
def test_a_fault_is_found(
    operator: str, fault: str, package: Path, environment: Environment
) -> None:
    if fault.startswith("endless"):
        pytest.skip("it takes a minute: test_a_call_that_does_not_return_is_named")
    if fault in BY_LUCK:
        pytest.skip("few seeds find it")
    result = environment.run(*DRAWN, f"tests/test_{operator}.py", cwd=package, FAULT=fault)
    assert (result.returncode == 0) == (fault in UNSEEN), result.stdout


@pytest.mark.everything
def test_a_call_that_does_not_return_is_named(package: Path, environment: Environment) -> None:
    options = [*DRAWN, "tests/test_mixed.py"]
    result = environment.run(*options, cwd=package, FAULT="endless if x is 0")
    assert result.returncode != 0, result.stdout
    assert "faults::mixed: the drawn call x " in result.stdout
    assert "does not return within 60 s" in result.stdout


UNWRITTEN = """
import torch
from faults import scaled
from onnxop_runtime.testing.torch_settings import unwritten_is_nan
x = torch.tensor([[0.0, 1.0]])
with unwritten_is_nan():
    print(scaled(x, torch.ones(2)).isnan().tolist())
print(scaled(x, torch.ones(2))[0, 1].isnan().item())
"""


@pytest.mark.everything
def test_what_a_kernel_leaves_unwritten_is_nan(
    package: Path, environment: Environment, tmp_path: Path
) -> None:
    """PyTorch fills new memory for its own operators only, and old memory may hold the result."""
    printed = environment.checked("-c", UNWRITTEN, cwd=tmp_path, FAULT="unwritten where 0")
    assert printed.splitlines() == ["[[True, False]]", "False"]


@pytest.mark.everything
def test_a_mapping_for_one_rank_is_found(
    package: Path, environment: Environment, tmp_path: Path
) -> None:
    before, after = "totals = op.ReduceSum(z, [-1])", "totals = op.ReduceSum(z, [1])"
    changed = _with_mapping(environment, tmp_path, "_rows.py", before, after)
    result = environment.run(*DRAWN, "tests/test_rows.py", cwd=package, PYTHONPATH=str(changed))
    assert result.returncode == 1, result.stdout
    assert "the mapping" in result.stdout and "ONNX Runtime" in result.stdout


def _with_mapping(
    environment: Environment, folder: Path, file: str, before: str, after: str
) -> Path:
    """Return a folder with a copy of the installed package that has another mapping."""
    script = "import importlib.util; print(importlib.util.find_spec('faults').origin)"
    installed = Path(environment.checked("-c", script, cwd=folder).strip()).parent
    shutil.copytree(installed, folder / "faults")
    module = folder / "faults" / file
    text = module.read_text(encoding="utf-8")
    assert text.count(before) == 1
    module.write_text(text.replace(before, after), encoding="utf-8")
    return folder


@pytest.mark.everything
@pytest.mark.parametrize("fault", MAPPINGS)
def test_a_fault_of_the_mapping_is_found(
    fault: str, package: Path, environment: Environment, tmp_path: Path
) -> None:
    changed = _with_mapping(environment, tmp_path, "_scaled.py", RETURNED, MAPPINGS[fault])
    result = environment.run(*DRAWN, "tests/test_scaled.py", cwd=package, PYTHONPATH=str(changed))
    assert result.returncode == 1, result.stdout
    assert "ONNX Runtime: the result is" in result.stdout
