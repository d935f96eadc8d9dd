"""The tiers of tests: what a push runs, a night, and a week."""

from __future__ import annotations

from typing import Any

import pytest


def nightly(*arguments: Any, name: str | None = None) -> Any:
    """Return a case of a parametrized test that `poe nightly` runs, and `poe all` does not."""
    return pytest.param(*arguments, id=name, marks=pytest.mark.nightly)
