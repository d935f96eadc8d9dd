"""Kernels for CUDA in specs: what the package has of an elementwise one, a shared header, and a
file beside it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch

from onnxop.check.load import load_package
from onnxop.errors import InvalidSpecError
from tests.emulated.emulation import ROOT, Kernels, build
from tests.rendering import generate, write

SPEC = """
[op]
schema = "my_lib::f(Tensor x, Tensor weight, float eps=0.5) -> Tensor"
[onnx]
opset = 13
mapping = "op.Mul(x, weight)"
[kernel]
{kernel}
[[samples]]
x = "float32[2, 3]"
weight = "float32[3]"
[package]
runtimes = ["onnxruntime"{cuda}]
"""
BY_HAND = 'source = "f.h"\nbackward = ["x"]\n'


def package(folder: Path, kernel: str, *, cuda: bool = True) -> Path:
    """Write a package, and return its folder."""
    (folder / "f.toml").write_text(SPEC.format(kernel=kernel, cuda=', "cuda"' if cuda else ""))
    generate(folder / "f.toml", folder / "made")
    return folder / "made"


def setup(package: Path) -> str:
    return (package / "setup.py").read_text(encoding="utf-8").splitlines()[-1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "cuda", "expected"),
    [
        ('elementwise = "x * weight + eps"', True, ', cuda=["f"]'),
        ('elementwise = "x * weight + eps"', False, ""),
        (BY_HAND + "cuda = true", True, ', cuda=["f"]'),
        (BY_HAND + 'cuda = "f.cuh"', True, ', cuda=["f"]'),
        (BY_HAND + "cuda = true", False, ""),
    ],
)
def test_setup(tmp_path: Path, kernel: str, cuda: bool, expected: str) -> None:
    made = package(tmp_path, kernel, cuda=cuda)
    assert setup(made) == f'setup(**extension("f", api=1{expected}))'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("asinh(x + weight)", "asinh<Stored>(x + weight)"),
        ("asinh(asinh(x) * weight)", "asinh<Stored>(asinh(x) * weight)"),
        ("asinh(x) - weight", "asinh(x) - weight"),
    ],
)
def test_function_of_few_bits(tmp_path: Path, expression: str, expected: str) -> None:
    """Round a function to 16 bits only where nothing is computed with its value."""
    made = package(tmp_path, f'elementwise = "{expression}"')
    header = (made / "csrc" / "f.h").read_text(encoding="utf-8")
    assert f"return {expected};" in header


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argument", "devices"),
    [("float", "the CPU and CUDA"), ("Scalar", "the CPU, and CUDA in ONNX Runtime")],
)
def test_devices_in_the_readme(tmp_path: Path, argument: str, devices: str) -> None:
    """PyTorch has no CUDA kernel for an operator that takes a Scalar."""
    spec = SPEC.replace("float eps=0.5", f"{argument} eps=0.5")
    kernel = 'elementwise = "x * weight + eps"'
    (tmp_path / "f.toml").write_text(spec.format(kernel=kernel, cuda=', "cuda"'))
    generate(tmp_path / "f.toml", tmp_path / "made")
    readme = (tmp_path / "made" / "README.md").read_text(encoding="utf-8")
    assert f"- **Devices**: {devices}. On others, " in readme


@pytest.mark.slow
@pytest.mark.parametrize(("cuda", "is_told"), [("", True), (', "cuda"', False)])
def test_readme_names_loops_that_are_not_built(tmp_path: Path, cuda: str, is_told: bool) -> None:
    """The loops for GPUs are in ops/, whether the package builds them or not."""
    (tmp_path / "f.toml").write_text(SPEC.format(kernel=BY_HAND + 'cuda = "loops.cuh"', cuda=cuda))
    generate(tmp_path / "f.toml", tmp_path / "made")
    assert (tmp_path / "made" / "ops" / "loops.cuh").exists()
    readme = (tmp_path / "made" / "README.md").read_text(encoding="utf-8")
    assert ("[ops/loops.cuh](ops/loops.cuh) has the kernel's loops for GPUs" in readme) == is_told


@pytest.mark.slow
def test_one_of_several_operators(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(
        SPEC.format(kernel='elementwise = "x * weight"', cuda=', "cuda"')
    )
    other = SPEC.replace("my_lib::f", "my_lib::g").partition("[package]")[0]
    (tmp_path / "g.toml").write_text(
        other.format(kernel='elementwise = "x * weight"\ncuda = false')
    )
    files = [tmp_path / "f.toml", tmp_path / "g.toml"]
    write(load_package(files, "both", is_new=True), tmp_path / "made")
    assert setup(tmp_path / "made") == 'setup(**extension("both", api=1, cuda=["f"]))'


@pytest.mark.slow
def test_shared_skeleton(tmp_path: Path) -> None:
    made = package(tmp_path, BY_HAND + 'cuda = true\non_host = ["weight"]')
    header = (made / "ops" / "f.h").read_text(encoding="utf-8")
    assert header.count("const Worker& worker") == 2 and "ParallelFor" not in header
    assert "#include <onnxop/team.h>" in header and "for_each_row(" in header
    source = (made / "csrc" / "f.cpp").read_text(encoding="utf-8")
    assert '.name = "weight", .type = "Tensor", .on_host = true}' in source
    assert source.count(".on_host") == 1 and "ONNXOP_CUDA" not in source


@pytest.mark.slow
def test_skeleton_beside(tmp_path: Path) -> None:
    made = package(tmp_path, BY_HAND + 'cuda = "loops.cuh"')
    header = (made / "ops" / "f.h").read_text(encoding="utf-8")
    assert header.count("const ParallelFor& parallel_for") == 2
    shared, loops = header.split("#if !defined(ONNXOP_CUDA)")
    assert "infer(" in shared and "compute(" not in shared.partition("infer(")[2]
    assert "compute(" in loops and "backward(" in loops
    on_gpu = (made / "ops" / "loops.cuh").read_text(encoding="utf-8")
    assert '#include "f.h"' in on_gpu and on_gpu.count("const cuda::Stream& stream") == 2
    source = (made / "csrc" / "f.cpp").read_text(encoding="utf-8")
    assert '#if defined(ONNXOP_CUDA)\n#include "../ops/loops.cuh"\n#else' in source


@pytest.mark.slow
def test_files_that_exist(tmp_path: Path) -> None:
    """Take the user's files as they are; what is written of them is told."""
    (tmp_path / "f.h").write_text("void infer();\nvoid compute();\nvoid backward();\n")
    (tmp_path / "f.cuh").write_text("// mine\n")
    (tmp_path / "f.toml").write_text(SPEC.format(kernel=BY_HAND + 'cuda = "f.cuh"', cuda=""))
    spec = load_package([tmp_path / "f.toml"], is_new=True)
    assert spec.given_files["ops/f.cuh"] == "// mine\n" and spec.unwritten == ()
    write(spec, tmp_path / "made")
    assert (tmp_path / "made" / "ops" / "f.cuh").read_text() == "// mine\n"
    (tmp_path / "f.cuh").unlink()
    assert load_package([tmp_path / "f.toml"], is_new=True).unwritten == ("ops/f.cuh",)


def test_no_kernel_for_cuda(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidSpecError, match='has "cuda", but none of the operators has a kernel for CUDA'
    ):
        package(tmp_path, BY_HAND)


@pytest.mark.slow
def test_source_of_a_gpus_checks(tmp_path: Path) -> None:
    """Compare the C++ that `poe gpu` builds, where onnxop is not, with what onnxop writes."""
    generate(ROOT / "tests" / "specs" / "rms_norm.toml", tmp_path / "made")
    made = (tmp_path / "made" / "csrc" / "rms_norm.cpp").read_text(encoding="utf-8")
    kept = ROOT / "tests" / "gpu" / "rms_norm" / "rms_norm.cpp"
    assert kept.read_text(encoding="utf-8") == made


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("cuda", ["true", '"loops.cuh"'])
def test_skeletons_compile(tmp_path: Path, cuda: str) -> None:
    """Compile skeletons for CPUs and for GPUs; a call says where to write the kernel."""
    made = package(tmp_path, f"{BY_HAND}cuda = {cuda}")
    x, weight = torch.ones(2, 3), torch.ones(3)
    for place in ("cpu", "cuda"):
        path = tmp_path / place / "libkernels.so"
        build([made / "csrc" / "f.cpp"], path, for_cuda=place == "cuda")
        with pytest.raises(RuntimeError, match="my_lib::f is not implemented: write it at"):
            Kernels(path).compute("my_lib::f", [x.clone()], x, weight, 0.5)
