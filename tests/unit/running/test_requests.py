"""The arguments of ``onnxop run`` that are wrong: each is an error of the user's input."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from onnxop.errors import OnnxopError
from onnxop.run.start import Request, start

MODULE = "imported_by_a_test"


@pytest.mark.parametrize("code", ["raise RuntimeError('no model\\nfound')", "raise SystemExit(2)"])
@pytest.mark.parametrize(
    ("request_", "match"),
    [
        (
            Request(replacements=[f"{MODULE}.f=torch.mul"]),
            "its module cannot be imported: .*if it is",
        ),
        (Request(sources=[MODULE]), f"--with {MODULE}: "),
    ],
    ids=["replace", "with"],
)
def test_a_module_that_fails(
    request_: Request, match: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a script does that exports where it is imported, or that reads its own arguments."""
    (tmp_path / f"{MODULE}.py").write_text(f"{code}\n", encoding="utf-8")
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    with pytest.raises(OnnxopError, match=match):
        start(request_, str(tmp_path), str(tmp_path))
