"""Limits of a process: wall-clock time, which its parent watches, and memory."""

from __future__ import annotations

import resource
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one piece of work; None for no limit.

    ``seconds`` is the time on the clock until its answer, ``memory`` the bytes of data of its process.
    """

    seconds: float | None = None
    memory: int | None = None

    def apply(self) -> None:
        """Limit the memory of this process. Its crash leaves no core file."""
        if self.memory is not None:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_DATA, (self.memory, self.memory))


NO_LIMITS = Limits()


def allow_cpu_time(seconds: int) -> None:
    """Let this process run for ``seconds`` more of CPU time; then SIGXCPU ends it."""
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, resource.RLIM_INFINITY))
