"""The runtime's comparison of results: the only definition of right."""

from __future__ import annotations

import numpy as np
import pytest

from onnxop_runtime.verification.verify import compare

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("expected", "actual", "is_right"),
    [
        ([1.0, NAN, INF], [1.0, NAN, INF], True),
        ([1.0], [1.00005], True),
        ([1.0], [1.001], False),
        ([NAN], [1.0], False),
        ([1.0], [NAN], False),
        ([INF], [1e30], False),
        ([INF], [-INF], False),
        ([], [], True),
    ],
)
def test_values(expected: list[float], actual: list[float], is_right: bool) -> None:
    arrays = [np.array(values, np.float32) for values in (expected, actual)]
    assert (not compare(arrays[:1], arrays[1:])[1]) is is_right


def test_dtypes_and_shapes() -> None:
    ones = np.ones((2, 3), np.float32)
    assert compare([ones], [ones.astype(np.float64)])[1] == [
        "output 0 is float64[2, 3], not float32[2, 3]"
    ]
    assert compare([ones], [ones[0]])[1] == ["output 0 is float32[3], not float32[2, 3]"]
    assert compare([ones], [])[1] == ["0 outputs instead of 1"]
