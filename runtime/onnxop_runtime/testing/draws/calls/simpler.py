"""A call that fails -> calls with one change fewer, or a smaller one, of which the failure may
tell more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..choices.draw_kinds import LAYOUTS, SCALARS, SIZES, VALUES, DrawKind
from .call import DrawnCall

_LARGE = 16
"""Sizes up to which a call is as simple as one of half of them."""


def simpler_calls(drawn: DrawnCall) -> Iterator[DrawnCall]:
    """Yield the call with ordinary values, in an ordinary layout, with the sample's sizes, with
    half of a large size, with all tensors, with each scalar of the sample, and in the sample's
    dtype, if it has others.
    """
    if drawn.values:
        yield _without(drawn, VALUES, values="", has_zeros_beside=False)
    if drawn.layout:
        yield _without(drawn, LAYOUTS, layout="")
    if drawn.sizes or drawn.ranks:
        yield _without(drawn, SIZES, sizes={}, ranks={})
    for symbol, size in drawn.sizes.items():
        if size > _LARGE:
            yield replace(drawn, sizes=drawn.sizes | {symbol: size // 2})
    if drawn.left_out:
        yield _without(drawn, ("left out",), left_out=())
    if not drawn.lengths and drawn.values != "equal":
        for name in drawn.scalars:
            scalars = {other: value for other, value in drawn.scalars.items() if other != name}
            kinds: tuple[DrawKind, ...] = () if scalars else (*SCALARS, "large scalar")
            yield _without(drawn, kinds, scalars=scalars)
    if drawn.dtype is not None:
        yield replace(drawn, dtype=None)


def _without(drawn: DrawnCall, kinds: tuple[DrawKind, ...], **fields: object) -> DrawnCall:
    """Return a call with other fields, which is no longer of some kinds."""
    left = [kind for kind in drawn.kinds if kind not in kinds]
    return replace(drawn, kinds=left, **fields)  # type: ignore[arg-type]
