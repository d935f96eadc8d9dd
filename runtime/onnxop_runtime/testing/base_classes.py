"""The base classes for tests of packages, by kind of kernel."""

from __future__ import annotations

from .draws.drawn_tests import DrawnTests
from .gpu import GpuTests
from .gradient_tests import GradientTests
from .result_tests import KernelValueTests, ValueTests
from .roundtrips import RoundtripTests
from .uses import UseTests


class KernelTests(RoundtripTests, UseTests, GradientTests, KernelValueTests, DrawnTests, GpuTests):
    """Tests for an operator whose kernel is in the package; marks restrict tests to some kinds."""


ElementwiseTests = KernelTests
SourceTests = KernelTests
ComposedTests = KernelTests


class ExistingTests(RoundtripTests, UseTests, ValueTests):
    """Tests for an existing PyTorch operator, for which the package has only the rule."""
