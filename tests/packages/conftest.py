"""Packages that are generated, built and installed once, for all tests that use them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared
from tests.warm import Warm, start

ROOT = Path(__file__).resolve().parents[2]
# Of a package of several operators, which takes long to build: tests/packages/test_vision_ops.py.
VISION = ROOT / "reference_ops" / "vision_ops" / "ops"
REFERENCE_SPECS = sorted({*ROOT.glob("reference_ops/*/ops/*.toml")} - {*VISION.iterdir()})
SPECS = [*REFERENCE_SPECS, *sorted(ROOT.glob("tests/specs/*.toml"))]
# What all have in common is compiled with it.
FIRST = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
# Those that one package has together, many_ops: all but one, which has words of a package of its own.
SEVERAL = [spec for spec in SPECS if spec.parent.name == "specs" and spec.stem != "aminmax"]
Build = Callable[[Path], Path]


def name_of(spec: Path) -> str:
    return spec.parents[1].name if spec.parent.name == "ops" else spec.stem


@pytest.fixture(scope="session")
def build(environment: Environment, shared: Shared) -> Build:
    """The folder of a spec's package, which is installed."""

    def built(spec: Path) -> Path:
        if spec != FIRST:  # by two processes at once, nothing would be in the compiler's cache
            built(FIRST)

        def make(package: Path) -> None:
            environment.checked("-m", "onnxop", "new", spec, package, cwd=shared.folder)
            environment.install(package)

        return shared.once(name_of(spec), make)

    return built


@pytest.fixture(scope="session")
def many_ops(environment: Environment, shared: Shared, build: Build) -> Path:
    """The folder of the package of several operators, which is installed."""

    def make(package: Path) -> None:
        specs = [*SEVERAL, package]
        options = ["--name", "many_ops", "--runtime", "openvino"]
        environment.checked("-m", "onnxop", "new", *specs, *options, cwd=shared.folder)
        environment.install(package)

    build(FIRST)
    return shared.once("many_ops", make)


@pytest.fixture(scope="session")
def vision_ops(environment: Environment, shared: Shared, build: Build) -> Path:
    """The folder of vision_ops, which is installed."""

    def make(package: Path) -> None:
        environment.checked("-m", "onnxop", "new", VISION, package, cwd=shared.folder)
        environment.install(package)

    build(FIRST)
    return shared.once("vision_ops", make)


@pytest.fixture(scope="session")
def warm(environment: Environment) -> Iterator[Warm]:
    """The environment, with PyTorch imported."""
    with start(environment) as found:
        yield found


@pytest.fixture(scope="session")
def packages(warm: Warm, build: Build) -> Warm:
    """The environment with the reference packages, installed together, and PyTorch imported."""
    # Two processes that come at once build them from both ends.
    is_second = os.environ.get("PYTEST_XDIST_WORKER", "").endswith("1")
    for spec in reversed(REFERENCE_SPECS) if is_second else REFERENCE_SPECS:
        build(spec)
    return warm
