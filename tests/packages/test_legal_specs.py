"""Every legal spec: its package is clean, and passes its own tests.

The drawn specs are few here. For more, at a desk: ONNXOP_DRAWN="100:400" pytest -m "" <this file> draws
those from 100 to 399.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import textwrap
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from onnxop.check.load import parse_package
from onnxop.errors import InvalidSpecError
from tests import rendering
from tests.conftest import Shared
from tests.legal_specs import draw
from tests.packages.conftest import ROOT, SPECS, VISION, name_of
from tests.packages.test_packages import PYTEST, at_most_ends
from tests.warm import Warm

pytestmark = pytest.mark.nightly

FIRST, LAST = (int(seed) for seed in os.environ.get("ONNXOP_DRAWN", "0:2").split(":"))

# Failures that drawn specs led to, reduced.
FOUND = {
    "several results, and a node alone": """
        [op]
        schema = "torchvision::ps_roi_align"
        requires = ["torchvision"]
        [onnx]
        domain = "found_1"
        [[samples]]
        input = "float32[1, 8, 6, 6]"
        rois = [[0.0, 1.0, 1.0, 4.0, 4.0]]
        spatial_scale = 1.0
        pooled_height = 2
        pooled_width = 2
        sampling_ratio = 2
    """,
    "no sample gives the first tensor": """
        [op]
        schema = "found_2::found_2(Tensor? first, Tensor x) -> Tensor"
        [onnx]
        opset = 23
        mapping = "op.Mul(x, first) if first is not None else op.Neg(x)"
        [kernel]
        python = "x * first if first is not None else -x"
    """,
    "results without gradients, which nothing tells": """
        [op]
        schema = "found_3::found_3(Tensor x, Tensor y) -> Tensor"
        [onnx]
        domain = "found_3"
        [kernel]
        python = "(x > y).long()"
    """,
    "nothing that the dynamo exporter writes, and a constant": """
        [op]
        schema = "found_6::found_6(Tensor x) -> (Tensor, Tensor)"
        [onnx]
        opset = 13
        dynamo = false
        mapping = "a, b = op.Split(x, [2, 2], axis=-1)\\nreturn op.Add(a, op.Constant(value_float=1.0)), b"
        [kernel]
        python = "a, b = torch.tensor_split(x, 2, -1)\\nreturn a + 1, b.clone()"
        [[samples]]
        x = "float32[n=3, 4]"
    """,
    "integers before floats": """
        [op]
        schema = "found_4::found_4(Tensor x, int output=2) -> (Tensor, Tensor)"
        [onnx]
        opset = 23
        mapping = "return op.Cast(op.Greater(x, 0.0), to=7), op.Mul(x, output)"
        [kernel]
        python = "(x > 0).long(), x * output"
    """,
    "a tensor behind a number that no sample gives": """
        [op]
        schema = "found_7::found_7(Tensor x, bool flag=False, Tensor? y=None) -> Tensor"
        [onnx]
        opset = 13
        mapping = "op.Mul(x, y) if y is not None else op.Neg(x)"
        [kernel]
        python = "-x if y is None else x * y"
        [[samples]]
        x = "float32[n=2, 3]"
        y = "float32[n, 3]"
    """,
    "a body of no rounds, a result twice, and a range as a list": """
        [op]
        schema = "found_8::found_8(Tensor x, int[] dims=[], int m=0) -> (Tensor, Tensor, Tensor)"
        [onnx]
        opset = 13
        domain = "found_8"
        mapping = '''
        y = x
        for i in range(m):
            y = op.Neg(y)
        axes = [*range(m), *dims] if len(dims) else range(rank(x))
        return y, y, op.ReduceSum(x, axes, keepdims=0)
        '''
        [kernel]
        python = '''
        y = x.clone() if m < 0 or m % 2 == 0 else -x
        return y, y.clone(), x.sum([*range(m), *dims] if len(dims) else [*range(x.dim())])
        '''
        [[samples]]
        x = "float32[n=2, 3]"
        [[samples]]
        x = "float32[n=2, 3]"
        m = 1
        dims = [1]
    """,
    "a function that onnx.reference cannot hold": """
        [op]
        schema = "aten::gelu"
        [onnx]
        opset = 23
        domain = "found_5"
        mapping = "op.Gelu(self, approximate=approximate)"
        [[samples]]
        self = "float32[n=2, 3]"
    """,
}


def legal(seed: int, kinds: Sequence[str]) -> str | None:
    """Return the drawn spec if it is legal; nearly all are."""
    text = draw(seed, kinds).text
    try:
        parse_package({"drawn.toml": text})
    except InvalidSpecError:
        return None
    return text


def texts(kinds: Sequence[str]) -> list[str]:
    """Return the legal ones of the drawn specs of these kinds."""
    drawn = [legal(seed, kinds) for seed in range(FIRST, LAST)]
    specs = [text for text in drawn if text is not None]
    assert len(specs) > 0.8 * len(drawn)
    return specs


def generate(folder: Path, *texts: str) -> Path:
    """Generate the package of these specs in the folder, under its name."""
    package_spec = parse_package({f"{n}.toml": text for n, text in enumerate(texts)})
    package = folder / package_spec.package.name
    rendering.write(package_spec, package)
    return package


def run(*command: str | Path, cwd: Path) -> None:
    result = subprocess.run(
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert result.returncode == 0, result.stdout


def passes(package: Path, warm: Warm, *texts: str) -> None:
    """Run its tests at the ends of the opset ranges, and the examples of its README."""
    source = str(package / "src")
    selected = ("-k", at_most_ends(package))
    check_failures(warm.run(*PYTEST, *selected, cwd=package, PYTHONPATH=source), texts)
    readme = (package / "README.md").read_text("utf-8")
    examples = re.findall("```python\n(.*?)```", readme, re.DOTALL)
    assert examples
    for example in examples:
        warm.checked("-c", example, cwd=package, PYTHONPATH=source)


def check_failures(run: subprocess.CompletedProcess[str], texts: Sequence[str]) -> None:
    """Check that no test failed, except for arguments without an effect, which a spec does not
    compute with.
    """
    told = re.findall(
        r"^(\w+::\w+): no result and no gradient changes with (\w+);", run.stdout, re.MULTILINE
    )
    summary = re.search(r"\b(\d+) failed", run.stdout)
    failed = int(summary[1]) if summary else 0
    assert (failed, run.returncode) == (len(told), 1 if told else 0), run.stdout
    for name, argument in told:
        (spec,) = (tomllib.loads(text) for text in texts if f'"{name}(' in text)
        code = f"{spec['onnx'].get('mapping', '')} {spec['kernel']['python']}"
        assert not re.search(rf"\b{argument}\b", code), run.stdout


@pytest.mark.everything
def test_what_was_found_passes(tmp_path: Path, warm: Warm) -> None:
    texts = [textwrap.dedent(text) for text in FOUND.values()]
    passes(generate(tmp_path, '[package]\nname = "found"\n' + texts[0], *texts[1:]), warm, *texts)


@pytest.mark.parametrize("seed", range(FIRST, LAST))
def test_a_package_that_needs_no_compiler(seed: int, tmp_path: Path, warm: Warm) -> None:
    text = legal(seed, ["composed", "existing", "composed"])
    if text is None:
        pytest.skip("the drawn spec is not legal")
    passes(generate(tmp_path, text), warm, text)


@pytest.fixture(scope="session")
def folder(shared: Shared) -> Path:
    """Return a folder with the packages of all specs of this repository, and of drawn ones."""

    def make(folder: Path) -> None:
        folder.mkdir()
        kinds = ("elementwise", "source", "source", "composed", "existing")
        for spec in SPECS:
            rendering.generate(spec, folder / name_of(spec))
        rendering.generate(VISION, folder / "vision_ops")
        for text in texts(kinds):
            generate(folder, text)

    return shared.once("generated", make)


@pytest.fixture
def generated(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_python_is_clean(generated: list[Path], tmp_path: Path) -> None:
    ruff = ("-m", "ruff")
    run(sys.executable, *ruff, "check", "--no-cache", *generated, cwd=tmp_path)
    run(sys.executable, *ruff, "format", "--no-cache", "--check", *generated, cwd=tmp_path)
    for package in generated:
        flatten(package, tmp_path / "flat")
    if (cache := ROOT / ".mypy_cache").exists():  # PyTorch's types take longer than the packages
        shutil.copytree(cache, tmp_path / "cache")
    run(sys.executable, "-m", "mypy", "--strict", "--cache-dir", "cache", "flat", cwd=tmp_path)


def flatten(package: Path, folder: Path) -> None:
    """Put the package and its tests beside those of others, for one run of mypy: only the first
    package takes long.
    """
    folder.mkdir(exist_ok=True)
    (source,) = (package / "src").glob("*/")
    (folder / source.name).symlink_to(source)
    for test in (package / "tests").glob("test_*.py"):
        shutil.copy(test, folder / f"{package.name}_{test.name}")


def test_cpp_is_clean(generated: list[Path]) -> None:
    """Compile the packages that no other test builds, with warnings as errors."""
    native = [package for package in generated if (package / "csrc").exists()]
    clang_format = Path(sysconfig.get_path("scripts"), "clang-format")
    for package in native:
        style = f"--style=file:{ROOT / '.clang-format'}"
        run(clang_format, style, "--dry-run", "-Werror", *headers_and_sources(package), cwd=package)
        if not package.name.startswith("drawn"):
            continue
        run(
            os.environ.get("CXX", "g++").split()[-1],
            *("-std=c++20", "-fsyntax-only", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror"),
            "-Wno-unused-parameter",
            *sorted(package.glob("csrc/*.cpp")),
            "-Icsrc",
            f"-I{ROOT / 'runtime/onnxop_runtime/include'}",
            cwd=package,
        )


def headers_and_sources(package: Path) -> list[Path]:
    return sorted(file for file in package.glob("csrc/**/*") if file.suffix in (".h", ".cpp"))
