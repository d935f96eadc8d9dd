"""The names that exporters have for sizes that are no numbers."""

from __future__ import annotations

import re


def is_symbol(text: str) -> bool:
    """Return whether an exporter's name for a size is that of a dynamic axis, or of a size that
    depends on one.
    """
    return text not in ("", "None") and not re.search(r"\bu\d+\b|^unk__", text)
