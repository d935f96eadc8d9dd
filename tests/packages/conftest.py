"""Packages that are generated, built and installed once, for all tests that use them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared

ROOT = Path(__file__).resolve().parents[2]
REFERENCE_SPECS = sorted(ROOT.glob("reference_ops/*/ops/*.toml"))
SPECS = [*REFERENCE_SPECS, *sorted(ROOT.glob("tests/specs/*.toml"))]
Build = Callable[[Path], Path]


def name_of(spec: Path) -> str:
    return spec.parents[1].name if spec.parent.name == "ops" else spec.stem


@pytest.fixture(scope="session")
def build(environment: Environment, shared: Shared) -> Build:
    """The folder of a spec's package, which is installed."""

    def built(spec: Path) -> Path:
        def make(package: Path) -> None:
            environment.checked("-m", "onnxop", "new", spec, package, cwd=shared.folder)
            environment.install(package, CFLAGS="-Werror")

        return shared.once(name_of(spec), make)

    return built


@pytest.fixture(scope="session")
def packages(environment: Environment, build: Build) -> Environment:
    """The environment with the reference packages, installed together."""
    for spec in REFERENCE_SPECS:
        build(spec)
    return environment
