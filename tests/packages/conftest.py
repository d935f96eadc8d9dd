"""Packages that are generated, built and installed once, for all tests that use them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared
from tests.warm import Warm, start

ROOT = Path(__file__).resolve().parents[2]
# Those of the gallery are one package, tried by tests/test_gallery.py.
REFERENCE_SPECS = [
    spec
    for spec in sorted(ROOT.glob("reference_ops/*/ops/*.toml"))
    if len([*spec.parent.glob("*.toml")]) == 1
]
SPECS = [*REFERENCE_SPECS, *sorted(ROOT.glob("tests/specs/*.toml"))]
# What all have in common is compiled with it.
FIRST = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
# Those that one package has together, by tests/packages/test_ops.py.
SEVERAL = """
    above axps celu_times keep_above leaky_sum max_last mean_and_spread quick_gelu rms_norm roi_align
    softmax swish topk
""".split()
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
            environment.install(package, CFLAGS="-Werror")

        return shared.once(name_of(spec), make)

    return built


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
