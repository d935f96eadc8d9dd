"""A package's library for CUDA: built by nvcc, loaded and registered on a machine without a GPU."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared, make_environment
from tests.packages.conftest import ROOT
from tests.warm import Warm

pytestmark = pytest.mark.nightly  # builds a library by nvcc

MY_ADD = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
PROGRAMS = ROOT / "tests" / "programs" / "cuda"

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on PATH")


def _install(environment: Environment, package: Path, folder: Path, **variables: str) -> str:
    pip = ["-m", "pip", "install", "-v", "--no-build-isolation", "--no-deps"]
    pip += ["--disable-pip-version-check", "--target", str(folder)]
    return environment.checked(*pip, package, cwd=package, **variables)


@pytest.fixture
def site(environment: Environment, shared: Shared, warm: Warm) -> Path:
    """Return a folder with my_add, built for CUDA."""

    def make(folder: Path) -> None:
        package = shared.folder / "my_add_for_cuda"
        shutil.rmtree(package, ignore_errors=True)
        new = ("-m", "onnxop", "new", MY_ADD, package, "--runtime", "cuda")
        warm.checked(*new, cwd=shared.folder)
        assert 'cuda=["my_add"]' in (package / "setup.py").read_text(encoding="utf-8")
        _install(environment, package, folder, ONNXOP_CUDA_ARCHS="90")
        assert (folder / "my_add" / "libmy_add_cuda.so").is_file()

    return shared.once("site_for_cuda", make)


@pytest.fixture
def gpu_runtime(shared: Shared) -> Environment:
    """Return an environment whose module onnxruntime is onnxruntime-gpu: one environment cannot
    have both.
    """

    def make(folder: Path) -> None:
        environment = make_environment(folder)
        uv = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps"]
        command = [*uv, "--python", str(environment.folder / "bin" / "python"), "onnxruntime-gpu"]
        subprocess.run(command, check=True)

    return Environment(shared.once("onnxruntime_gpu", make))


@pytest.mark.everything
@needs_nvcc
def test_library_for_cuda(environment: Environment, site: Path, tmp_path: Path) -> None:
    program = PROGRAMS / "registered.py"
    facts = json.loads(environment.checked(program, cwd=tmp_path, PYTHONPATH=str(site)))
    assert facts["kernel"] == (facts["torch"] is not None)
    assert facts["fake"] == ["cuda:0", [2, 3]]
    assert facts["values"] == [3.0, 6.0] and facts["gradients"]
    assert "must have the same device" in facts["devices"]


@pytest.mark.slow
@needs_nvcc
def test_fusion_by_inductor(environment: Environment, site: Path, tmp_path: Path) -> None:
    """Inductor gets the expression on a GPU, and the operator on a CPU; exporters keep the
    operator.
    """
    variables = {"PYTHONPATH": str(site), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path)}
    output = environment.checked("-W", "ignore", PROGRAMS / "fused.py", cwd=tmp_path, **variables)
    facts = json.loads(output.splitlines()[-1])
    assert facts["imported"] == []
    assert facts["cpu"] and not facts["cuda"]
    assert facts["before"] == facts["exported"] == [True, True]
    assert max(facts["errors"]) <= 1
    assert facts["tag"] == f"my_lib.my_add.default={facts['hash']}"
    assert not facts["fused_on_cpu"]["operator"]


# `poe nightly` has the counts of sessions in tests/emulated/test_sessions.py, and one session of
# onnxruntime-gpu in test_ship_with_a_library_for_cuda.
@pytest.mark.everything
@needs_nvcc
def test_sessions_of_onnxruntime_gpu(gpu_runtime: Environment, site: Path, tmp_path: Path) -> None:
    """Register both libraries in sessions with and without the CUDA provider, which has no GPU
    here.
    """
    command = [
        str(gpu_runtime.folder / "bin" / "python"),
        "-W",
        "ignore",
        str(PROGRAMS / "sessions.py"),
    ]
    result = subprocess.run(
        command,
        cwd=tmp_path,
        env={"PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    assert facts["providers"], facts["release"]
    on_both, on_cpu = {"cpu": 2, "cuda": 0}, {"cpu": 2}
    for name in ("functions", "nodes", "halves"):
        results = [[7.0, {"my_lib::my_add": on_both}]] * 6
        assert facts[name] == [*results, *([[7.0, {"my_lib::my_add": on_cpu}]] * 2)], name
    by_package = [{"my_add": {"my_lib::my_add": counts}} for counts in (on_both, on_both, on_cpu)]
    assert facts["other"] == [[7.0, {"other::my_add": on_both}], *by_package]
    assert "native kernel: 0.0e+00 (2 of 2 nodes)" in facts["verify"]
    assert "CUDA" not in facts["verify"]  # there is no GPU
    assert facts["next"] == [7.0, {"my_lib::my_add": on_cpu}]
    # One of the two libraries tells that both compute nothing, and no session before.
    assert facts["none"] == {}
    assert result.stderr.count("computed no node of standard.onnx") == 1, result.stderr
    assert result.stderr.count("computed no node") == 1, result.stderr


@pytest.mark.everything
@needs_nvcc
def test_ship_with_a_library_for_cuda(gpu_runtime: Environment, site: Path, tmp_path: Path) -> None:
    code = (
        "import my_add, torch\n"
        "args = torch.ones(2, 3), torch.ones(3)\n"
        "my_add.export(my_add.MyAdd().eval(), args, 'm.onnx', domain='other', verbose=False)\n"
    )
    deploy = tmp_path / "deploy"

    def run(*arguments: str, cwd: Path) -> str:
        return gpu_runtime.checked("-W", "ignore", *arguments, cwd=cwd, PYTHONPATH=str(site))

    run("-c", code, cwd=tmp_path)
    output = run("-m", "onnxop", "ship", "m.onnx", "deploy", cwd=tmp_path)
    assert "libmy_add_onnxruntime.so computes 1 node of m.onnx" in output
    assert (deploy / "libmy_add_cuda.so").is_file()
    readme = (deploy / "README.md").read_text(encoding="utf-8")
    on_gpus = readme.partition("On GPUs, by libmy_add_cuda.so")[2]
    code = on_gpus.partition("```py\n")[2].partition("```")[0]
    code += "import numpy as np\n"
    code += "feeds = {port.name: np.ones(port.shape, 'f') for port in session.get_inputs()}\n"
    code += "print(session.run(None, feeds)[0].flat[0])"
    assert run("-c", code, cwd=deploy).endswith("3.0\n")
    verified = run("-m", "onnxop", "ship", "--verify", ".", cwd=deploy)
    assert verified == "m.onnx: 1 of 1 node native: 1 in libmy_add_onnxruntime.so\n"


@pytest.mark.slow
def test_without_nvcc(environment: Environment, warm: Warm, tmp_path: Path) -> None:
    if any(list(Path(folder, "nvidia").glob("cu*/bin/nvcc")) for folder in sys.path):
        pytest.skip("the environment has nvcc as a wheel")
    package, site = tmp_path / "package", tmp_path / "site"
    warm.checked("-m", "onnxop", "new", MY_ADD, package, "--runtime", "cuda", cwd=tmp_path)
    output = _install(environment, package, site, PATH="/usr/bin:/bin")
    assert "my_add is built without its library for CUDA: nvcc is missing." in output
    assert not (site / "my_add" / "libmy_add_cuda.so").exists()
    assert (site / "my_add" / "libmy_add_onnxruntime.so").is_file()
    missing = ("-W", "ignore", PROGRAMS / "sessions.py", "missing")
    error = environment.checked(*missing, cwd=tmp_path, PYTHONPATH=str(site))
    assert "libmy_add_cuda.so is not built" in error and '"cuda" in runtimes' in error
