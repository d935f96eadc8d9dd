"""Names of values in a model."""

from __future__ import annotations

from onnxop_runtime.exporting.names import unused_name


def test_unused_names() -> None:
    assert unused_name("a", set()) == "a"
    assert unused_name("a", {"a"}) == "a_1"
    assert unused_name("a", {"a", "a_1"}) == "a_2"
