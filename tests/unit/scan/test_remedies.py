"""How remedies are told."""

from __future__ import annotations

import pytest

from onnxop.scan.remedies.remedy_search import format_spec
from onnxop.scan.report.findings import RemedyKind


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("gallery", "the gallery's spec: onnxop new --from acme::snap --requires acme"),
        ("own", "your spec for acme::snap"),
        (
            "starter",
            "the starter of acme::snap that --write DIR writes, with this call as its sample",
        ),
    ],
)
def test_a_spec_is_told_by_its_command(kind: RemedyKind, told: str) -> None:
    """``onnxop new`` would write a starter with samples of its own, which may need no spec."""
    assert format_spec(kind, "acme::snap", "acme::snap --requires acme") == told
