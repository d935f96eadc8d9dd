"""A file → the lines that have conflict markers of an update or a merge."""

from __future__ import annotations

import re

_MARKER = re.compile(rb"^(?:([<|>])\1{6} ([^\n:]*)[^\n]*|={7}\r?)$", re.MULTILINE)
_LABELS = {"<": (b"yours", b"before updating"), ">": (b"updated", b"after updating")}
"""What `merge.merge` and copier write beside a marker."""


def lines_with_markers(data: bytes) -> list[int]:
    """Return the numbers of the lines with markers of whole conflicts, and of any left by an update.

    A line of seven signs alone is none: headings in many formats have such lines.
    """
    marked: set[int] = set()
    conflict: list[int] = []  # the lines of the conflict that is read
    is_halved = False
    line, end = 1, 0
    for marker in _MARKER.finditer(data):
        line, end = line + data.count(b"\n", end, marker.start()), marker.start()
        sign = marker[0][:1].decode()
        if marker[2] is not None and marker[2].rstrip() in _LABELS.get(sign, ()):
            marked.add(line)
        if sign == "<":
            conflict, is_halved = [line], False
        elif conflict:
            conflict.append(line)
            is_halved |= sign == "="
        if sign == ">" and is_halved:
            marked.update(conflict)
            conflict, is_halved = [], False
    return sorted(marked)
