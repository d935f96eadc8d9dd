"""Where in the spec a schema stands, and where in the schema a word."""

from __future__ import annotations

import re
from typing import TypedDict

from ..errors import Path

PATH: Path = ("op", "schema")


class Place(TypedDict, total=False):
    offset: int
    length: int


def place_of(word: str, text: str) -> Place:
    """Where the word stands in the schema; empty where it cannot be told."""
    pattern = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    found = pattern.search(text, max(text.find("("), 0))
    return Place(offset=found.start(), length=len(word)) if found else Place()
