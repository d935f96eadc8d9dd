"""The dtypes in which operators compute under torch.autocast."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from onnxop_runtime.operator import autocast

from .samples import SCALED, scaled, weighted

X = torch.ones(3)
AUTOCAST = torch.autocast("cpu", dtype=torch.bfloat16)


@pytest.mark.parametrize("dtypes", [("bfloat16", "float32"), ("float32", "bfloat16")])
def test_tensors_are_promoted(dtypes: tuple[str, str]) -> None:
    x, weight = (X.to(getattr(torch, dtype)) for dtype in dtypes)
    with AUTOCAST:
        assert scaled(x, weight).dtype == torch.float32


def test_one_dtype_is_kept() -> None:
    with AUTOCAST:
        assert scaled(X.bfloat16(), X.bfloat16()).dtype == torch.bfloat16
        assert scaled(X.double(), X.bfloat16()).dtype == torch.float64


def test_lists_are_cast() -> None:
    with AUTOCAST:
        assert weighted([X.bfloat16(), X.bfloat16()], X.bfloat16()).dtype == torch.float32


@pytest.mark.parametrize(
    ("policy", "dtypes", "expected"),
    [
        ("lower", [torch.float32], torch.bfloat16),
        ("lower", [torch.float64], torch.float64),
        ("float32", [torch.bfloat16], torch.float32),
        ("promote", [torch.float16, torch.bfloat16], torch.float32),
        ("promote", [torch.float16], torch.float16),
    ],
)
def test_policies(policy: str, dtypes: list[torch.dtype], expected: torch.dtype) -> None:
    assert autocast._dtype(replace(SCALED, autocast=policy), "cpu", dtypes) == expected


def test_a_dtype_that_the_kernel_lacks_becomes_float32() -> None:
    operator = replace(SCALED, autocast="lower", dtypes=[torch.float32, torch.float64])
    assert autocast._dtype(operator, "cpu", [torch.float32]) == torch.float32
