"""The opsets at which no ONNX Runtime runs a mapping's nodes on the CPU: as tests/runtime_ops.py found it."""

from __future__ import annotations

import json
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from onnxop_runtime.mapping.opsets import Opsets, ops_of


def without_kernel(to_onnx: Any, opsets: Opsets) -> list[str]:
    """Say for which of a mapping's opsets no release of ONNX Runtime has kernels."""
    found = []
    for ops, group in groupby(sorted(opsets.holds), lambda opset: _lacking(to_onnx, opset)):
        first, *_, last = [*group] * 2
        at = f"opset {first}" if first == last else f"opsets {first} to {last}"
        if ops:
            found.append(
                f"at {at} ONNX Runtime has no kernel of {' and '.join(ops)}, in no release up to "
                f"1.{_table()['newest']}; tests skip what onnx.reference does not run there either"
            )
    return found


def _lacking(to_onnx: Any, opset: int) -> list[str]:
    """Return the ops that a mapping's text names at an opset of which no release has a kernel."""
    return [op for op in ops_of(to_onnx, opset) if not _has_kernel(op, opset)]


def _has_kernel(op: str, opset: int) -> bool:
    versions: dict[str, int | None] = _table()["ops"].get(op, {})
    known = [version for version in map(int, versions) if version <= opset]
    return bool(known) and versions[str(max(known))] is not None


@cache
def _table() -> Any:
    return json.loads(Path(__file__).with_name("runtime_ops.json").read_text(encoding="utf-8"))
