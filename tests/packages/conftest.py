"""Packages that are generated, built and installed once for all tests."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared
from tests.warm import Warm, start

ROOT = Path(__file__).resolve().parents[2]
# A package of several operators, which takes long to build: tests/packages/test_vision_ops.py.
VISION = ROOT / "reference_ops" / "vision_ops" / "ops"
REFERENCE_SPECS = sorted({*ROOT.glob("reference_ops/*/ops/*.toml")} - {*VISION.iterdir()})
SPECS = [*REFERENCE_SPECS, *sorted(ROOT.glob("tests/specs/*.toml"))]
# Its build compiles the files that all share.
FIRST = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
# The specs of the package many_ops: all but one, which has its own [package] table.
SEVERAL = [spec for spec in SPECS if spec.parent.name == "specs" and spec.stem != "aminmax"]
Build = Callable[[Path], Path]


def name_of(spec: Path) -> str:
    return spec.parents[1].name if spec.parent.name == "ops" else spec.stem


@pytest.fixture(scope="session")
def build(environment: Environment, shared: Shared, warm: Warm) -> Build:
    """Return a function that installs a spec's package once, and returns its folder."""

    def built(spec: Path) -> Path:
        if spec != FIRST:  # two processes at once would find nothing in the compiler's cache
            built(FIRST)

        def make(package: Path) -> None:
            warm.checked("-m", "onnxop", "new", spec, package, cwd=shared.folder)
            environment.install(package)

        return shared.once(name_of(spec), make)

    return built


@pytest.fixture(scope="session")
def many_ops(environment: Environment, shared: Shared, warm: Warm, build: Build) -> Path:
    """Return the folder of the package of several operators, installed."""

    def make(package: Path) -> None:
        specs = [*SEVERAL, package]
        options = ["--name", "many_ops", "--runtime", "openvino"]
        warm.checked("-m", "onnxop", "new", *specs, *options, cwd=shared.folder)
        environment.install(package)

    build(FIRST)
    return shared.once("many_ops", make)


@pytest.fixture(scope="session")
def vision_ops(environment: Environment, shared: Shared, warm: Warm, build: Build) -> Path:
    """Return the folder of vision_ops, installed."""

    def make(package: Path) -> None:
        warm.checked("-m", "onnxop", "new", VISION, package, cwd=shared.folder)
        environment.install(package)

    build(FIRST)
    return shared.once("vision_ops", make)


@pytest.fixture(scope="session")
def warm(environment: Environment) -> Iterator[Warm]:
    """Return the environment, with PyTorch imported."""
    with start(environment) as started:
        yield started


@pytest.fixture(scope="session")
def packages(warm: Warm, build: Build) -> Warm:
    """Return the environment with all reference packages installed, and PyTorch imported."""
    # Two processes at once build them from both ends.
    is_second = os.environ.get("PYTEST_XDIST_WORKER", "").endswith("1")
    for spec in reversed(REFERENCE_SPECS) if is_second else REFERENCE_SPECS:
        build(spec)
    return warm
