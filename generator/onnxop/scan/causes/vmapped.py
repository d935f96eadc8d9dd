"""A model that fails for other sizes → the lines at which it calls torch.vmap."""

from __future__ import annotations

import re

from onnxop_runtime.messages import join_words

from ...trial import places
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from ..source.shown_lines import MOST_LINES

_VMAP = re.compile(r"\bvmap\(")


def cause(failed: FailedExport) -> Cause | None:
    """Return the lines of torch.vmap, within which exporters write sizes as constants, if a file
    fails for other sizes, with what to write instead.
    """
    if not failed.outcome.is_of_unexplained_sizes:
        return None
    run = sorted(places.lines_run(failed.report.target.call("dynamo").returned))
    lines = [places.at(file, line) for file, line in run]
    at_vmap = [place for place in lines if _VMAP.search(place.code)]
    if not at_vmap:
        return None
    shown = join_words(place.with_code for place in at_vmap[:MOST_LINES])
    return Cause(
        f"exporters write sizes within torch.vmap as constants for some operators: {shown}",
        tuple(at_vmap[:MOST_LINES]),
        "Write the function for tensors with the mapped dimension, without torch.vmap",
    )
