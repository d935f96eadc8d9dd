"""What is known of a node's output before a model runs: sizes, and numbers if they are few."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onnxop_runtime.mapping import MappingError
from onnxop_runtime.mapping.known import MOST_NUMBERS, KnownTensor, argument, constant, output_of


def known(op: str, *values: Any, **attributes: Any) -> KnownTensor | None:
    """Return what is known of a node whose inputs are numbers, or tensors of known sizes."""
    inputs = [value if isinstance(value, KnownTensor) else constant(value) for value in values]
    return output_of(op, inputs, attributes)


def numbers(op: str, *values: Any, **attributes: Any) -> Any:
    output = known(op, *values, **attributes)
    assert output is not None and output.numbers is not None
    assert output.shape == output.numbers.shape
    return output.numbers.tolist()


@pytest.mark.parametrize(
    ("op", "values", "attributes", "expected"),
    [
        ("Add", ([1, 2], 3), {}, [4, 5]),
        ("Div", (-7, 2), {}, -3),
        ("Div", (-7.0, 2.0), {}, -3.5),
        ("Mod", (-7, 2), {}, 1),
        ("Mod", (-7, 2), {"fmod": 1}, -1),
        ("Max", ([1, 5], [4], [3, 3]), {}, [4, 5]),
        ("Cast", ([1.9, -1.9],), {"to": 7}, [1, -1]),
        ("CastLike", ([1], [0.5]), {}, [1.0]),
        ("Concat", ([1], [2, 3]), {"axis": 0}, [1, 2, 3]),
        ("Gather", ([4, 5, 6], -1), {}, 6),
        ("Slice", ([4, 5, 6], [-2], [9]), {}, [5, 6]),
        ("Slice", ([4, 5, 6], [2], [0], [0], [-1]), {}, [6, 5]),
        ("Squeeze", ([[7]], [0]), {}, [7]),
        ("Unsqueeze", (7, [0]), {}, [7]),
        ("Reshape", ([1, 2, 3, 4], [2, -1]), {}, [[1, 2], [3, 4]]),
        ("ReduceProd", ([2, 3],), {"keepdims": 0}, 6),
        ("ReduceSum", ([[1, 2], [3, 4]], [1]), {}, [[3], [7]]),
        ("Constant", (), {"value_ints": [2, 3]}, [2, 3]),
    ],
)
def test_numbers(
    op: str, values: tuple[Any, ...], attributes: dict[str, Any], expected: Any
) -> None:
    assert numbers(op, *values, **attributes) == expected


def test_sizes_of_a_tensor() -> None:
    x = argument([2, 3, 4])
    assert numbers("Shape", x) == [2, 3, 4]
    assert numbers("Shape", x, start=1) == [3, 4]
    assert numbers("Size", x) == 24
    assert argument([2, "n"]) is None
    assert argument(None) is None


@pytest.mark.parametrize(
    ("op", "values", "shape"),
    [
        ("Range", (0, 10, 3), (4,)),
        ("Range", (5, 0, 1), (0,)),
        ("ConstantOfShape", ([2, 3],), (2, 3)),
        ("Expand", (KnownTensor((3, 1)), [2, 1, 4]), (2, 3, 4)),
        ("Expand", (KnownTensor((3, 1)), [0]), (3, 0)),
        ("Tile", (KnownTensor((2, 3)), [2, 1]), (4, 3)),
        ("Pad", (KnownTensor((2, 3)), [1, 0, 0, 2]), (3, 5)),
        ("OneHot", (KnownTensor((2,)), 5, [0, 1]), (2, 5)),
        ("Sqrt", (KnownTensor((2, 3)),), (2, 3)),
        ("Add", (KnownTensor((2, 1)), KnownTensor((3,))), (2, 3)),
    ],
)
def test_shapes(op: str, values: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    output = known(op, *values)
    assert output is not None
    assert output.shape == shape


@pytest.mark.parametrize(
    ("op", "values"),
    [
        ("Range", (0, MOST_NUMBERS + 1, 1)),
        ("ConstantOfShape", ([MOST_NUMBERS, 2],)),
        ("Expand", (KnownTensor((1,)), [2**15, 2**15])),
        ("Tile", (KnownTensor((2**15,)), [2**15])),
        ("Pad", (KnownTensor((1,)), [0, MOST_NUMBERS])),
    ],
)
def test_too_many_numbers(op: str, values: tuple[Any, ...]) -> None:
    with pytest.raises(MappingError, match=rf"op\.{op} makes more than 268,435,456 numbers here"):
        known(op, *values)


def test_what_is_not_known() -> None:
    assert output_of("Add", [constant(1), None], {}) is None
    assert known("MatMul", KnownTensor((2, 3)), KnownTensor((3, 2))) is None
    assert known("Reshape", [1, 2, 3], [2, 2]) is None  # ONNX refuses the node
    assert known("Range", KnownTensor(()), 10, 1) is None


def test_constants() -> None:
    many = constant([0] * 1001)
    assert many is None
    few = constant([[1, 2, 3]])
    assert few is not None and few.numbers is not None
    assert few.shape == (1, 3) and few.numbers.dtype == np.int64
    for values in ([True, False], [2**63], []):
        without_numbers = constant(values)
        assert without_numbers is not None and without_numbers.numbers is None
