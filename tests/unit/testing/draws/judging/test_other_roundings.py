"""Results that jump where rounding decides."""

from __future__ import annotations

import math
from typing import Any

import torch

from onnxop_runtime.testing.draws.judging.other_roundings import masks_of_other_rounding


def angle(arguments: dict[str, Any]) -> torch.Tensor:
    return torch.atan2(arguments["x"].sum(-1), torch.tensor(-1.0).to(arguments["x"].dtype))


def test_a_sum_at_a_branch_cut_may_be_on_either_side() -> None:
    x = torch.tensor([[0.1, 0.2, -0.3], [0.1, 0.2, 0.3]])
    own = angle({"x": x})
    other = torch.where(torch.tensor([True, False]), -own, own)
    assert masks_of_other_rounding(angle, {"x": x}, [other], [own])[0].tolist() == [True, False]
    wrong = torch.tensor([0.5, math.pi])
    assert masks_of_other_rounding(angle, {"x": x}, [wrong], [own])[0].tolist() == [False, False]


def test_small_errors_are_of_no_rounding() -> None:
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.linspace(0.5, 2, 20, dtype=dtype)
        own = [x * x * x]
        wrong = [own[0] * 1.05]
        excused = masks_of_other_rounding(lambda a: a["x"] ** 3, {"x": x}, wrong, own)
        assert not bool(excused[0].any())
