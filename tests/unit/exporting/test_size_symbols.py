"""The names that exporters have for sizes that are no numbers."""

from __future__ import annotations

import pytest

from onnxop_runtime.exporting.size_symbols import is_symbol


@pytest.mark.parametrize("text", ["batch", "s77", "2*s0 + 1", "num_u1"])
def test_dynamic_axes_and_what_depends_on_them(text: str) -> None:
    assert is_symbol(text)


@pytest.mark.parametrize("text", ["", "None", "u0", "2*u3", "unk__1"])
def test_sizes_that_depend_on_values(text: str) -> None:
    assert not is_symbol(text)
