"""A line with a number before a tensor → the same with the tensor converted, by its syntax alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop.scan.source.operands import converted
from onnxop.trial.places import Place


@pytest.mark.parametrize(
    ("code", "expression"),
    [
        ("y = (1.0 - mask) * -100", "1.0 - mask.to(torch.float32)"),
        ("y = x - (1.0 - mask[:, None])", "1.0 - mask[:, None].to(torch.float32)"),
        ("y = 1.0 - (a & b)", "1.0 - (a & b).to(torch.float32)"),
        ("y = self.limit - mask", "self.limit - mask.to(torch.float32)"),
        ("y = limit - mask - x", ""),
        ("y = torch.rsub(mask, 1.0)", ""),
    ],
)
def test_the_conversion_of_the_tensor_after_a_number(
    code: str, expression: str, tmp_path: Path
) -> None:
    """A name before the sign may be a number; of two subtractions without a number, none is known."""
    file = tmp_path / "net.py"
    file.write_text(code, encoding="utf-8")
    assert converted("aten::rsub", Place(str(file), 1, ""), "torch.float32") == expression
