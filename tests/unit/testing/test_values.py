"""Lists of tensors, flat and nested, and the numbers of mappings."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.mapping import MappingError, numbers
from onnxop_runtime.operator import lists, originals

X, Y = torch.ones(2), torch.zeros(3)


def test_flat_and_nested() -> None:
    values = [X, [Y, X], 2.0]
    lengths = [None, 2, None]
    leaves = lists.flat(values, lengths)
    assert len(leaves) == 4
    assert lists.nested(leaves, lengths) == values
    assert lists.flat([None], [2]) == [None, None]  # one gradient for each item


def test_tensors_in() -> None:
    assert lists.tensors_in([X, 3, [Y, None], "text"]) == [X, Y]
    assert lists.has_tensors([None, X])
    assert not lists.has_tensors(X)


def test_originals_are_restored_in_a_block() -> None:
    assert originals.calling(originals.are_restored)()
    assert not originals.are_restored()
    with originals.restored(), originals.restored():
        assert originals.are_restored()
    assert not originals.are_restored()


def test_a_scalar_stays_one() -> None:
    scalar = numbers.number(3)
    assert isinstance(scalar * 2, numbers.IntNumber)
    assert isinstance(2 - scalar, numbers.IntNumber)
    assert type(scalar / 2) is float  # as for PyTorch's Scalars, which it converts to a float
    assert numbers.plain([scalar, 1]) == [3.0, 1]


@pytest.mark.parametrize(
    ("value", "sizes"),
    [(1, []), ([1, 2], [2]), ([[1], [2]], [2, 1]), ([[1], [2, 3]], None), ([], [0])],
)
def test_sizes_of(value: object, sizes: list[int] | None) -> None:
    assert numbers.sizes_of(value) == sizes


@pytest.mark.parametrize(
    ("value", "element_type"),
    [(1, "INT64"), (1.0, "FLOAT"), ([True, False], "BOOL"), ([1, 2.5], "FLOAT"), ([], "INT64")],
)
def test_a_number_s_element_type(value: object, element_type: str) -> None:
    assert numbers.natural(value) == element_type


@pytest.mark.parametrize(
    ("value", "element_type", "fits"),
    [
        (255, "UINT8", True),
        (300, "UINT8", False),
        (0.5, "INT64", False),
        (2.0, "INT32", True),
        (1e40, "FLOAT", True),
    ],
)
def test_check_fits(value: object, element_type: str, fits: bool) -> None:
    if fits:
        numbers.check_fits(value, element_type)
    else:
        with pytest.raises(MappingError, match="does not fit"):
            numbers.check_fits(value, element_type)
