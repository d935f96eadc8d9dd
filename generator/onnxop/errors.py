"""The errors of commands, and the exit status of each."""

from __future__ import annotations

from collections.abc import Iterable


class OnnxopError(Exception):
    """The base of all errors that a user can cause; users see its text.

    ``status`` is the command's exit status.
    """

    status = 1


class InvalidSpecError(OnnxopError):
    """The spec is wrong; ``lines`` are the messages, in the order of the file."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


class DestinationError(OnnxopError):
    """The package cannot be written to the destination."""


class BuildError(OnnxopError):
    """The package was written, but it does not build, install or pass its tests."""
