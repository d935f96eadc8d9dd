"""The base classes for tests of packages, by kind of kernel."""

from __future__ import annotations

from .draws.drawn_tests import DrawnTests
from .gpu import GpuTests
from .gradients import GradientTests
from .roundtrips import RoundtripTests
from .uses import UseTests
from .values import KernelValueTests, ValueTests


class KernelTests(RoundtripTests, UseTests, GradientTests, KernelValueTests, DrawnTests, GpuTests):
    """Tests for an operator whose kernel is in the package; marks restrict tests to some kinds."""


ElementwiseTests = KernelTests
SourceTests = KernelTests
ComposedTests = KernelTests


class ExistingTests(RoundtripTests, UseTests, ValueTests):
    """Tests for an existing PyTorch operator, for which the package has only the rule."""
