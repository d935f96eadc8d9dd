"""`export` of a package that needs no compiler, run from its source: its arguments and results."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop import cli
from onnxop.find import gallery
from tests.conftest import make_environment
from tests.programs import program
from tests.warm import Warm

SPEC = """
[op]
schema = "{namespace}::twin(Tensor a, Tensor add_0_0, bool flag=True) -> (Tensor, Tensor, Tensor)"

[onnx]
opset = 9
mapping = '''
y = op.Add(a, add_0_0)
z = a if flag else op.Neg(y)
return y, z, y if flag else a
'''

[kernel]
python = '''
y = a + add_0_0
return y, a if flag else -y, y if flag else a
'''
"""

NEAR = '''
[op]
schema = "my_lib::near(Tensor x, float eps=1e-9, Scalar scale=1.000001) -> Tensor"

[onnx]
opset = 15
mapping = """
plus = op.Add(op.Log(x + eps), op.Log(eps + x))
minus = op.Log(op.Neg(op.Sub(x, eps))) - op.Log(x + op.CastLike(op.Constant(value_float=2e-9), x))
one = x + 1.0
grown = (one * scale - one) + (scale * one - one)
return plus + minus + (grown + one / scale - one) / 1e-6
"""

[kernel]
python = """
plus = log(x + eps) + log(eps + x)
minus = log(-(x - eps)) - log(x + tensor(2e-9, dtype=x.dtype))
one = x + 1.0
grown = (one * scale - one) + (scale * one - one)
return plus + minus + (grown + one / scale - one) / 1e-6
"""

[[samples]]
x = [[0.0]]
'''
NEAR_USED = program("export/near_used")


DYNAMIC_SIZES = program("export/dynamic_sizes")


@pytest.mark.nightly
def test_sizes_that_the_model_computes(warm: Warm, tmp_path: Path) -> None:
    spec = gallery.specs()["aten::_upsample_bilinear2d_aa.vec"]
    command = ["new", str(spec), str(tmp_path / "package"), "--name", "resize"]
    assert cli.main(command) == 0
    source = str(tmp_path / "package" / "src")
    output = warm.checked("-c", DYNAMIC_SIZES, cwd=tmp_path, PYTHONPATH=source)
    why = "aten::_upsample_bilinear2d_aa.vec: output_size is dynamic, but the rule needs a constant"
    assert output.startswith(why), output


KINDS = """
[op]
schema = "my_lib::parts(Tensor x) -> (Tensor, Tensor)"

[onnx]
opset = 13
mapping = "return op.Where(x > 0, 1.0, 0.0), x / 2"

[kernel]
python = "return where(x > 0, 1.0, 0.0).to(x.dtype), x / 2"

[[samples]]
x = "float32[n=3]"
"""

# Dtypes that no sample has; files that are links; and places that are no files.
KINDS_USED = program("export/kinds_used")


def write(folder: Path, namespace: str) -> Path:
    folder.mkdir()
    spec = folder / "op.toml"
    spec.write_text(SPEC.format(namespace=namespace), encoding="utf-8")
    return spec


def make_package(folder: Path, text: str) -> Path:
    """Make the package of a spec in a folder, and return the folder of its source."""
    spec = folder / "op.toml"
    spec.write_text(text, encoding="utf-8")
    assert cli.main(["new", str(spec), str(folder / "package")]) == 0
    return folder / "package" / "src"


def run(warm: Warm, folder: Path, text: str, code: str) -> None:
    """Make the package of a spec, and run code that uses it from its source, to its end."""
    source = make_package(folder, text)
    result = warm.run("-c", code, cwd=folder, PYTHONPATH=str(source))
    assert result.stdout.splitlines()[-1:] == ["done"], result.stdout


@pytest.mark.nightly
def test_results_that_are_inputs(warm: Warm, tmp_path: Path) -> None:
    run(warm, tmp_path, SPEC.format(namespace="my_lib"), program("export/results"))


@pytest.mark.nightly
def test_numbers_next_to_0_and_1(warm: Warm, tmp_path: Path) -> None:
    """Check numbers that onnxscript's optimizer, the dynamo exporter's last step, takes for 0 and
    1.
    """
    run(warm, tmp_path, NEAR, NEAR_USED)


def test_dtypes_and_files(warm: Warm, tmp_path: Path) -> None:
    """Check results in dtypes that the mapping does not return by itself, and what a file's path
    may be.
    """
    run(warm, tmp_path, KINDS, KINDS_USED)


@pytest.mark.nightly
def test_two_packages_of_one_name(tmp_path: Path) -> None:
    environment = make_environment(tmp_path / "environment")
    first, second = write(tmp_path / "first", "my_lib"), write(tmp_path / "second", "third")
    other = first.with_name("other.toml")
    text = SPEC.format(namespace="my_lib").replace("::twin", "::other")
    other.write_text(text, encoding="utf-8")
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    assert cli.main(["new", str(first), str(other), "--name", "twin", one]) == 0
    for _ in range(2):  # the same package again is allowed
        environment.install(Path(one))
    result = environment.run("-m", "onnxop", "new", second, two, "--build", cwd=tmp_path)
    assert result.returncode == 1
    assert "would replace twin 0.1.0; " in result.stdout
    assert not Path(two).exists()
    assert cli.main(["new", str(second), two]) == 0
    silent = environment.run("-W", "error", "-c", "import twin", cwd=tmp_path)
    assert silent.returncode == 0, silent.stdout
