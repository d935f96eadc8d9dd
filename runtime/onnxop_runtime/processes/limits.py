"""Limits of a process: wall-clock time, which its parent watches, CPU time and memory."""

from __future__ import annotations

import math
import resource
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one piece of work; None for no limit.

    ``seconds`` is the time on the clock until its answer, ``memory`` the bytes of data of its
    process, ``cpu_seconds`` the CPU time of its process.
    """

    seconds: float | None = None
    memory: int | None = None
    cpu_seconds: int | None = None

    def apply(self) -> None:
        """Limit the memory and the CPU time of this process. Its crash leaves no core file."""
        if self.memory is not None or self.cpu_seconds is not None:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if self.memory is not None:
            memory = _up_to_hard_limit(resource.RLIMIT_DATA, self.memory)
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        self.allow_work()

    def allow_work(self) -> None:
        """Let this process run for as long as one more piece of work may."""
        if self.cpu_seconds is not None:
            allow_cpu_time(self.cpu_seconds)


NO_LIMITS = Limits()


def allow_cpu_time(seconds: int) -> None:
    """Let this process run for ``seconds`` more of CPU time; then SIGXCPU ends it."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    used = math.ceil(usage.ru_utime + usage.ru_stime)  # the system counts whole seconds
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(
        resource.RLIMIT_CPU, (_up_to_hard_limit(resource.RLIMIT_CPU, used + seconds), hard)
    )


def _up_to_hard_limit(resource_type: int, limit: int) -> int:
    """Return the limit, or the lower one that this process has already: only root can raise that
    one.
    """
    _, hard = resource.getrlimit(resource_type)
    return limit if hard == resource.RLIM_INFINITY else min(limit, hard)
