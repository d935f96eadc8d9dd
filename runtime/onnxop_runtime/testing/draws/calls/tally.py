"""The calls of a test that were compared, and those that were refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
import torch

from ..choices.draw_kinds import KINDS
from .call import DrawnCall

_MANY = 6
"""The refused calls of a dtype or kind that say something; of fewer, the time was over."""
_MAY_BE_REFUSED = ("empty", "equal", "scalar", "scalars", "large scalar")
"""The kinds of which all calls may be refused."""


class Refused(Exception):
    """A call, or its export, is refused for a reason that the reference or the spec gives.

    ``is_said``: an ``[[errors]]`` table gives it.
    """

    def __init__(self, is_said: bool = False) -> None:
        super().__init__()
        self.is_said = is_said


class Tally:
    """The calls that one test has drawn, by dtype and by kind of draw."""

    def __init__(self) -> None:
        self.computed: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self._first: dict[str, str] = {}

    def add(self, drawn: DrawnCall) -> None:
        """Count a call that was compared."""
        dtype = [] if drawn.dtype is None else [name_of(drawn.dtype)]
        self.computed.update(["calls", *drawn.kinds, *dtype])

    def refuse(self, drawn: DrawnCall, refusal: Refused) -> None:
        """Count a call that was refused: of its dtype, and of its kind if that is the only one, an
        ``[[errors]]`` table says so, and not because of sizes that the spec need not support.
        """
        dtype = [] if drawn.dtype is None else [name_of(drawn.dtype)]
        is_of_kind = refusal.is_said and not drawn.may_be_refused and len(drawn.kinds) == 1
        names = [*dtype, *(drawn.kinds if is_of_kind else ())]
        for name in names:
            if not self.refused[name]:
                self._first[name] = _call_with_reason(drawn, refusal)
        self.refused.update(names)

    def refused_dtypes(self, dtypes: Iterable[torch.dtype | None]) -> list[torch.dtype]:
        """Return the dtypes of which calls were refused, and none was compared."""
        named = [dtype for dtype in dtypes if dtype is not None]
        return [d for d in named if self.refused[name_of(d)] and not self.computed[name_of(d)]]

    def check(self, what: str) -> None:
        """Fail if no call of a dtype or kind was compared, unless sizes and scalars may be refused,
        with the first of those that were refused.
        """
        for name, count in self.refused.items():
            if count < _MANY or name in _MAY_BE_REFUSED:
                continue
            if not self.computed[name]:
                remedy = "" if name in KINDS else ", or take the dtype from Supported"
                first = f". The first is {self._first[name]}" if name in self._first else ""
                pytest.fail(
                    f"{what}: each of {count} drawn calls of {name} is refused, so that nothing "
                    f"was compared; support them{remedy}{first}",
                    pytrace=False,
                )

    def __str__(self) -> str:
        return ", ".join(f"{name} {count}" for name, count in self.computed.items())


def _call_with_reason(drawn: DrawnCall, refusal: Refused) -> str:
    """Return a refused call, with the first line of why it is."""
    call = drawn.shown(drawn.arguments())
    why = str(refusal.__cause__ or "").strip()
    return f"{call}: {why.splitlines()[0]}" if why else call


def name_of(dtype: torch.dtype) -> str:
    """Return the name of a dtype, as ``"float32"``."""
    return str(dtype).removeprefix("torch.")
