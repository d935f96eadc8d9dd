"""Writes to inputs and buffers of a model, which a file does not have."""

from __future__ import annotations

import warnings

import pytest

from onnxop_runtime.exporting.call import lost_writes


def test_operators_and_arguments_are_named() -> None:
    with pytest.warns(
        UserWarning, match="acme::update writes to cache and keys, an input or a buffer"
    ):
        lost_writes.warn({"acme::update": {"keys", "cache"}})


def test_nothing_is_lost() -> None:
    with warnings.catch_warnings(action="error"):
        lost_writes.warn({})
