"""The pages that people read, and the examples in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    {
        str(page.relative_to(ROOT))
        for pattern in (
            "*.md",
            ".github/*.md",
            "*/README.md",
            "docs/**/*.md",
            "generator/*.md",
            "reference_ops/*/*.md",
        )
        for page in ROOT.glob(pattern)
    }
)
_HEADER = re.compile(r"^(?=\[)", re.MULTILINE)


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The page's blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", read(page), re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """A block of a page that is followed from its first line to its last: a file, where it has a title."""

    language: str
    title: str
    text: str


def steps(page: str) -> list[Step]:
    """Returns the page's blocks of code, in order."""
    fence = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.DOTALL | re.MULTILINE)
    return [Step(*block) for block in fence.findall(read(page))]


def assert_shown(shown: str, told: str) -> None:
    """Checks that a command printed what a page shows; `...` stands for lines that are left out."""
    rest = told
    for part in shown.split("...\n"):
        assert part in rest, f"{part}\nis not in\n{rest}"
        rest = rest[rest.index(part) + len(part) :]


def specs(page: str) -> list[str]:
    """The page's specs. Tables that are shown alone stand in its first one."""
    found: list[str] = []
    for block in blocks(page, "toml"):
        if not block.startswith("[op]"):
            shown = {table.partition("\n")[0] for table in _tables(block)}
            kept = [table for table in _tables(found[0]) if table.partition("\n")[0] not in shown]
            block = "".join([*kept, block])
        found.append(block)
    return found


def _tables(text: str) -> list[str]:
    return [table for table in _HEADER.split(text) if table]
