"""What is wrong with specs, as data: the place, the fact and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class SpecProblem:
    """A fact and its remedy.

    Attributes:
        place: the file, or what stands for one.
        line: the line in it, from 1; 0 where it is not known.
        key: the table and the key, ``onnx.mapping``; empty for the whole spec.
        fact: what is wrong.
        remedy: how to mend it.
        source: the line's text with a caret under the word, in two lines; empty where neither is known.
    """

    place: str
    line: int
    key: str
    fact: str
    remedy: str
    source: str = ""

    def __str__(self) -> str:
        where = f"{self.place}:{self.line}" if self.line else self.place
        key = f" {self.key}:" if self.key else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return f"{where}:{key} {self.fact}{remedy}" + (f"\n{self.source}" if self.source else "")


class SpecError(ValueError):
    """Specs that cannot be registered; its text says where, what and how to mend it.

    Args:
        problems: all that is wrong with them.
    """

    def __init__(self, problems: Iterable[SpecProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def of(cls, place: str, fact: str, remedy: str) -> SpecError:
        """Return an error of one problem, of a whole file."""
        return cls([SpecProblem(place, 0, "", fact, remedy)])


def nearest(word: str, known: Iterable[str]) -> str:
    """Return the remedy for a word that is not known."""
    words = list(known)
    near = difflib.get_close_matches(word, words, 1)
    return f"did you mean {near[0]}?" if near else f"known here: {', '.join(words)}"
