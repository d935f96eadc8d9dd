"""Why an export fails, as data, and notes of a report.

One rule for full stops: the texts of causes and notes are sentences without the last one, and
`sentence` adds it where a paragraph ends. A text that has one all the same, as an error may, is
taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from onnxop_runtime.messages import join_words

from ...trial.places import Place
from ..model.exports import Export


@dataclass(frozen=True)
class Cause:
    """Why exports of the whole model fail.

    Attributes:
        fact: what stops or differs.
        places: the lines of the model where it does: each has the user's line, and the library's
            that it leads to.
        advice: what to change.
        mentioned: further lines, which the advice names.
        exports: the exports that fail by it, or the exporters, as text; none if the fact says it.
        is_kept: whether `torch.jit.trace` keeps what Python reads at the lines.
        is_vague: whether it only says where to look, as no cause is known.
    """

    fact: str
    places: tuple[Place, ...] = ()
    advice: str = ""
    mentioned: tuple[Place, ...] = ()
    exports: tuple[str, ...] = ()
    is_kept: bool = False
    is_vague: bool = False

    @property
    def lines(self) -> frozenset[str]:
        """The lines that it names, of the user and of libraries."""
        every = (*self.places, *self.mentioned)
        return frozenset(filter(None, (line for at in every for line in (str(at), at.through))))

    def __str__(self) -> str:
        """The cause as sentences without the last full stop."""
        exports = f"{join_words(self.exports)}: " if self.exports else ""
        return f"{exports}{join_sentences((self.fact, self.advice))}"


@dataclass(frozen=True)
class Note:
    """A paragraph of a report beside its findings.

    Attributes:
        text: its sentences.
        exports: the exports whose failure it explains.
        exporter: the exporter of which it says why it does not trace the model.
        cause: the cause that it tells.
    """

    text: str
    exports: tuple[Export, ...] = ()
    exporter: str = ""
    cause: Cause | None = None

    def __str__(self) -> str:
        """The paragraph."""
        return sentence(self.text)


def sentence(text: str) -> str:
    """Return sentences with their last full stop."""
    return text if text.endswith(".") else f"{text}."


def after(text: str) -> str:
    """Return sentences as what follows other ones, or ``""``."""
    return f" {sentence(text)}" if text else ""


def join_sentences(texts: Iterable[str]) -> str:
    """Return sentences as one text without the last full stop; what is the same once."""
    *former, last = dict.fromkeys(filter(None, texts)) or [""]
    return " ".join([*map(sentence, former), last])
