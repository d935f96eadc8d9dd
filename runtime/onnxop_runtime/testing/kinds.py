"""The classes that tests of a package derive from, one for each kind of kernel."""

from __future__ import annotations

from .gradients import GradientTests
from .roundtrips import RoundtripTests
from .values import ElementwiseValueTests, KernelTests, SourceValueTests, ValueTests


class ElementwiseTests(RoundtripTests, GradientTests, ElementwiseValueTests):
    """The tests of an operator whose kernel is an elementwise expression."""


class SourceTests(RoundtripTests, GradientTests, SourceValueTests):
    """The tests of an operator whose kernel is written in C++ by hand."""


class ComposedTests(RoundtripTests, GradientTests, KernelTests):
    """The tests of an operator that is composed of PyTorch's own."""


class ExistingTests(RoundtripTests, ValueTests):
    """The tests of an operator of PyTorch's own, of which the package has the rule alone."""
