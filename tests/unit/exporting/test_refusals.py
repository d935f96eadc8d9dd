"""The errors of rules: they name the operator, and the export has them."""

from __future__ import annotations

import pytest

from onnxop_runtime.exporting.rules import refusals

from .samples import asinh, context


def test_an_error_names_the_operator() -> None:
    export = context()
    with (
        pytest.raises(ValueError, match="^aten::asinh: no such size$") as raised,
        refusals.recorded(asinh(), export),
    ):
        raise ValueError("no such size")
    assert export.log.refusals == [raised.value]


def test_an_error_that_names_the_operator_stays() -> None:
    export, error = context(), ValueError("aten::asinh has no mapping")
    with (
        pytest.raises(ValueError, match="^aten::asinh has") as raised,
        refusals.recorded(asinh(), export),
    ):
        raise error
    assert raised.value is error


def test_the_cause_stays() -> None:
    cause = KeyError("x")
    with pytest.raises(ValueError, match="why") as raised, refusals.recorded(asinh(), context()):
        raise ValueError("why") from cause
    assert raised.value.__cause__ is cause


def test_other_errors_pass() -> None:
    export = context()
    with pytest.raises(TypeError), refusals.recorded(asinh(), export):
        raise TypeError
    assert not export.log.refusals
