"""A line at which an exporter stops → names near it that may be switches for exports."""

from __future__ import annotations

import re
from itertools import chain

from onnxop_runtime.messages import join_words

from ...trial import places
from ...trial.places import Place

_SWITCHES = (  # an attribute, and a variable of a condition
    re.compile(r"\b[A-Za-z_][\w.]*\.\w*(?:onnx|export|traceable)\w*\b(?![(.])"),
    re.compile(r"\bif (?:not )?(\w*(?:onnx|export|traceable)\w*)\b(?![(.])"),
)
_NEAR = 25  # lines above and below the line


def near(place: Place | None) -> str:
    """Return a sentence on names of switches for exports near the line, such as
    ``config.onnx_export``.
    """
    if place is None:
        return ""
    file, line = place.innermost
    lines = places.source_lines(file)[max(line - 1 - _NEAR, 0) : line + _NEAR]
    code = [text.partition("#")[0] for text in lines]
    matches = (pattern.findall(line) for line in code for pattern in _SWITCHES)
    named = dict.fromkeys(chain.from_iterable(matches))
    names = [name for name in named if not name.startswith(("torch.", "onnx.", "onnxop"))]
    if not names:
        return ""
    return f" {join_words(names)} near this line may be a switch for exports: try it."
