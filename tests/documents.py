"""The documentation pages and their examples; run as a module, it writes the code into the Chinese
ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from os.path import normpath
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
CHINESE = [page for page in PAGES if page.startswith("docs/zh/")]
"""The Chinese pages. Their code is that of the English ones, which the tests run."""
ENGLISH = [page for page in PAGES if page not in CHINESE]
_HEADER = re.compile(r"^(?=\[)", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def read(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def write_between(page: Path, begin: str, end: str, text: str) -> None:
    """Replace the text between two marks of a page. Raise ValueError if it lacks one of them."""
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, mark, after = rest.partition(end)
    if not mark:
        raise ValueError(f"{page} has no {begin} ... {end}")
    page.write_text(f"{before}{begin}\n\n{text}\n\n{end}{after}", encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """Return the page's blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", read(page), re.DOTALL | re.MULTILINE)


def english(page: str) -> str:
    """Return the English page of a Chinese one, or the page itself."""
    inner = page.removeprefix("docs/zh/")
    return inner if inner in ("README.md", page) else f"docs/{inner}"


def in_chinese(page: str) -> str:
    """Return a Chinese page with the current code blocks of its English page."""
    prose, shown = _FENCE.split(read(page)), _FENCE.findall(read(english(page)))
    if len(prose) != len(shown) + 1:
        raise ValueError(
            f"{page} has {len(prose) - 1} blocks of code, {english(page)} has {len(shown)}: "
            "add or remove one (an empty one will do), then run poe regenerate"
        )
    return prose[0] + "".join(
        f"{block}{part}" for block, part in zip(shown, prose[1:], strict=True)
    )


def outline(page: str) -> tuple[list[str], list[str]]:
    """Return the marks of the page's headings, items and rows, and the targets of its links."""
    prose = _FENCE.sub("", read(page))
    folder = Path(page).parent
    links = re.findall(r"\]\(([^)\s]+)\)", prose)
    marks = re.findall(r"^(?:#+|-|\|)(?= )", prose, re.MULTILINE)
    return marks, sorted(english(normpath(folder / link)) for link in links)


@dataclass(frozen=True)
class Step:
    """A code block of a page that tests follow line by line: a file if it has a title."""

    language: str
    title: str
    text: str


def steps(page: str) -> list[Step]:
    """Return the page's blocks of code, in order."""
    fence = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.DOTALL | re.MULTILINE)
    return [Step(*block) for block in fence.findall(read(page))]


def assert_shown(shown: str, output: str) -> None:
    """Check that a command printed what a page shows; `...` stands for omitted lines."""
    rest = output
    for part in shown.split("...\n"):
        assert part in rest, f"{part}\nis not in\n{rest}"
        rest = rest[rest.index(part) + len(part) :]


def specs(page: str) -> list[str]:
    """Return the page's specs. Tables shown alone replace those of the first spec."""
    texts: list[str] = []
    for block in blocks(page, "toml"):
        if not block.startswith("[op]"):
            shown = {table.partition("\n")[0] for table in _tables(block)}
            kept = [table for table in _tables(texts[0]) if table.partition("\n")[0] not in shown]
            block = "".join([*kept, block])
        texts.append(block)
    return texts


def _tables(text: str) -> list[str]:
    return [table for table in _HEADER.split(text) if table]


if __name__ == "__main__":
    for chinese in CHINESE:
        (ROOT / chinese).write_text(in_chinese(chinese), encoding="utf-8")
