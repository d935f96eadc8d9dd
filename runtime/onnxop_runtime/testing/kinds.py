"""The classes that tests of a package derive from, by the kind of kernel."""

from __future__ import annotations

from .gradients import GradientTests
from .roundtrips import RoundtripTests
from .values import KernelValueTests, ValueTests


class KernelTests(RoundtripTests, GradientTests, KernelValueTests):
    """The tests of an operator whose kernel the package has; marks say which are for some kinds alone."""


ElementwiseTests = KernelTests
SourceTests = KernelTests
ComposedTests = KernelTests


class ExistingTests(RoundtripTests, ValueTests):
    """The tests of an operator of PyTorch's own, of which the package has the rule alone."""
