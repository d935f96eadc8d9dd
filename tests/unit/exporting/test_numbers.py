"""Numbers that only the model knows, and floats that ONNX rounds."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from onnxop_runtime.exporting.numbers import (
    Computed,
    as_written,
    check_integer,
    check_known,
    is_computed,
)

DYNAMIC = Computed("size", object())


def test_a_computed_number_is_none() -> None:
    uses: list[Callable[[Any], Any]] = [int, bool, abs, operator.neg, range]
    uses += [lambda size: size + 1, lambda size: 2 * size, lambda size: size > 1]
    for use in uses:
        with pytest.raises(ValueError, match="size is dynamic, but the rule needs a constant"):
            use(DYNAMIC)


@pytest.mark.parametrize("value", [DYNAMIC, [1, DYNAMIC], [[1], [DYNAMIC]]])
def test_lists_with_a_computed_number_are_computed(value: object) -> None:
    assert is_computed(value)
    with pytest.raises(ValueError, match="size is dynamic"):
        check_known([2, value])


def test_known_values() -> None:
    assert not is_computed([1, [2.0], None])
    check_known([1, [2.0], None, "text"])


@pytest.mark.parametrize("element_type", ["INT64", "UINT8", "BOOL"])
def test_integers_refuse_a_float(element_type: str) -> None:
    check_integer(2.0, element_type)
    check_integer([1, 2], element_type, is_number=True)
    for value, is_number in ((2.5, False), ([1, 2.5], False), (2.0, True)):
        with pytest.raises(ValueError, match=r"combined with integers"):
            check_integer(value, element_type, is_number=is_number)


def test_floats_take_any_number() -> None:
    check_integer(2.5, "FLOAT", is_number=True)


def test_rounded_floats_are_as_they_were_written() -> None:
    rounded = [float(np.float32(value)) for value in (1.7, 0.1, 2.5)]
    assert rounded[0] != 1.7
    assert as_written(rounded) == [1.7, 0.1, 2.5]
    assert as_written([1, "text", None]) == [1, "text", None]


@pytest.mark.parametrize("value", [1.7, 1e300, math.inf, 1.70000005])
def test_other_floats_stay(value: float) -> None:
    assert as_written([value]) == [value]
