"""The TOML tree that a spec is read from, and the problems that are found in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from ..errors import Path, Problems
from ..words.pyexpr import ExpressionProblem

_MAX_TABLES = 1000  # of samples, and of errors


@dataclass(frozen=True)
class Tables:
    """The tables of a spec as they are written, of any type: each check goes as far as the parts
    that it needs are sound. ``folder`` is where the spec lies.
    """

    tree: dict[str, Any]
    problems: Problems
    folder: FilePath

    def get(self, *path: str) -> Any:
        """What stands there, or None."""
        value: Any = self.tree
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def text(self, *path: str) -> str | None:
        """What stands there where it is a text, or None."""
        value = self.get(*path)
        return value if isinstance(value, str) else None

    def of(self, name: str) -> list[tuple[Path, dict[str, Any]]]:
        """The ``[[name]]`` tables with their places."""
        value = self.get(name)
        tables = value if isinstance(value, list) else []
        if len(tables) > _MAX_TABLES:
            self.problems.add(
                (name,),
                f"there are {len(tables)} tables, each of which is a test of its own; write at most "
                f"{_MAX_TABLES}",
                on_key=True,
            )
            tables = tables[:_MAX_TABLES]
        return [((name, i), table) for i, table in enumerate(tables) if isinstance(table, dict)]

    @property
    def requires(self) -> tuple[str, ...]:
        """The modules of ``[op] requires``; what else stands there is noted with the tables."""
        modules = self.get("op", "requires")
        modules = [modules] if isinstance(modules, str) else modules
        return tuple(m for m in modules if isinstance(m, str)) if isinstance(modules, list) else ()

    def note(self, path: Path, problem: ExpressionProblem) -> None:
        """Notes what is wrong with a word of the expression that stands there."""
        self.problems.add(path, problem.message, offset=problem.offset, length=problem.length)
