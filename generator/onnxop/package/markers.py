"""A file → the lines that have conflict markers of an update or a merge."""

from __future__ import annotations

import re
from collections.abc import Iterator

_MARKER = re.compile(rb"^(?:([<|>])\1{6} ([^\n:]*)[^\n]*|={7}\r?)$", re.MULTILINE)
_LABELS = {"<": (b"yours", b"before updating"), ">": (b"updated", b"after updating")}
"""What `merge.merge` and copier write beside a marker."""


def lines_with_markers(data: bytes) -> list[int]:
    """Return the numbers of the lines with markers of whole conflicts, and of any left by an
    update.

    A line of seven signs alone is none: headings in many formats have such lines.
    """
    marked: set[int] = set()
    conflict: list[int] = []  # the lines of the markers since the last <<<<<<<
    signs = ""  # their signs
    for line, marker in _possible_markers(data):
        sign = marker[0][:1].decode()
        label = marker[2]
        if label is not None and label.rstrip() in _LABELS.get(sign, ()):
            marked.add(line)
        if sign == "<":
            conflict, signs = [line], sign
        elif conflict:
            conflict.append(line)
            signs += sign
        if sign == ">" and "=" in signs:
            marked.update(conflict)
            conflict, signs = [], ""
    return sorted(marked)


def _possible_markers(data: bytes) -> Iterator[tuple[int, re.Match[bytes]]]:
    """Yield each line that may be a marker, after its number."""
    line, last = 1, 0
    for marker in _MARKER.finditer(data):
        line += data.count(b"\n", last, marker.start())
        last = marker.start()
        yield line, marker
