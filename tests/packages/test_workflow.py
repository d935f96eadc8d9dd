"""The CI workflow of a package: its commands, run unchanged."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest
import yaml

from tests.conftest import Environment, make_environment
from tests.tools.regenerate import ROOT, generate

TOOLS = ("pip", "mypy", "pytest")  # in Python, so that they see the installed packages


@pytest.fixture
def bare(tmp_path: Path) -> Environment:
    """Return an environment with the commands of the current one."""
    environment = make_environment(tmp_path / "environment")
    # A path, which mypy follows; it finds other packages where it is installed.
    (site,) = environment.folder.glob("lib/*/site-packages")
    (site / "runtime.pth").write_text(f"{ROOT / 'runtime'}\n", encoding="utf-8")
    scripts = environment.folder / "bin"
    for tool in TOOLS:
        script = scripts / tool
        script.write_text(f'#!/bin/sh\nexec "{scripts}/python" -m {tool} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    return environment


@pytest.mark.everything
@pytest.mark.parametrize("spec", ["reference_ops/my_add/ops", "tests/specs/roi_align.toml"])
def test_commands_of_the_workflow(spec: str, tmp_path: Path, bare: Environment) -> None:
    """Run with a compiler, and without one, which needs torchvision."""
    package = tmp_path / "package"
    generate(ROOT / spec, package)
    text = (package / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    steps = yaml.safe_load(text)["jobs"]["test"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert commands[-1] == "pytest"
    paths = (bare.folder / "bin", sysconfig.get_path("scripts"), os.environ["PATH"])
    for command in commands:
        result = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],  # like GitHub
            cwd=package,
            env={
                **os.environ,
                "PATH": ":".join(map(str, paths)),
                "PIP_DISABLE_PIP_VERSION_CHECK": "1",
                "PYTEST_ADDOPTS": "-k 'not (TorchScript or dynamo) or 18 or 23'",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{command}\n{result.stdout}"
