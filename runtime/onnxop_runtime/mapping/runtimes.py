"""Since which release ONNX Runtime runs a mapping's nodes on the CPU: as tests/runtime_ops.py found it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from .opsets import Opsets, ops_of


@dataclass(frozen=True)
class Since:
    """Opsets, both included, and the first release 1.x that runs the nodes there; None: none does so far.
    ``ops`` are those that earlier releases lack, where it is not the opset itself.
    """

    first: int
    last: int
    release: int | None
    ops: tuple[str, ...] = ()


def newest() -> int:
    """The newest release 1.x that was tried."""
    found: int = _table()["newest"]
    return found


def since(to_onnx: Any, opsets: Opsets) -> list[Since]:
    """Return them by opset, for the nodes that a mapping's text names; those of the same answer together."""
    found = [_since(opset, sorted(ops_of(to_onnx, opset))) for opset in sorted(opsets.holds)]
    groups = groupby(found, lambda each: (each.release, each.ops))
    return [
        Since(same[0].first, same[-1].last, release, ops)
        for (release, ops), same in ((key, list(group)) for key, group in groups)
    ]


def without_kernel(to_onnx: Any, opsets: Opsets) -> list[str]:
    """Say for which of a mapping's opsets no release of ONNX Runtime has kernels."""
    return [
        f"at {_span(each)} ONNX Runtime has no kernel of {' and '.join(each.ops)}, in no release up to "
        f"1.{newest()}; tests skip what onnx.reference does not run there either"
        for each in since(to_onnx, opsets)
        if each.release is None
    ]


def _span(opsets: Since) -> str:
    first, last = opsets.first, opsets.last
    return f"opset {first}" if first == last else f"opsets {first} to {last}"


def _since(opset: int, ops: Iterable[str]) -> Since:
    by_op = {op: _release(op, opset) for op in ops}
    lacking = tuple(op for op, release in by_op.items() if release is None)
    if lacking:
        return Since(opset, opset, None, lacking)
    own = _release("opset", opset) or newest()
    latest = max((release or own for release in by_op.values()), default=own)
    late = tuple(op for op, release in by_op.items() if release == latest > own)
    return Since(opset, opset, max(own, latest), late)


def _release(op: str, opset: int) -> int | None:
    """That of the op as it is at the opset."""
    versions: dict[str, int | None] = _table()["ops"].get(op, {})
    known = [version for version in map(int, versions) if version <= opset]
    return versions[str(max(known))] if known else None


@cache
def _table() -> Any:
    return json.loads(Path(__file__).with_name("runtime_ops.json").read_text(encoding="utf-8"))
