"""Speed as shares of a copy's bytes a second, beside PyTorch's own operators and Inductor's code."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from .checks import make
from .libraries import asinh, my_add

Call = Callable[[], Tensor]
ELEMENTS = 1 << 26


def measure() -> list[dict[str, str | float]]:
    """Return for each work the share of the copy's speed, and the ratios of times, theirs to ours."""
    rows: list[dict[str, str | float]] = []
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8):
        a, b = make((ELEMENTS,), dtype), make((ELEMENTS,), dtype)
        add = torch.compile(lambda a, b: 2 * a + b, dynamic=False)
        calls: dict[str, Call] = {
            "ours": partial(my_add, a, b),
            "eager": partial(torch.add, b, a, alpha=2),
            "inductor": partial(add, a, b),
        }
        rows.append(_row(f"my_add {dtype}", a, 3, calls))
    for dtype in (torch.float32, torch.float16):
        x = make((ELEMENTS,), dtype)
        function = torch.compile(torch.asinh, dynamic=False)
        calls = {
            "ours": partial(asinh, x),
            "eager": partial(torch.asinh, x),
            "inductor": partial(function, x),
        }
        rows.append(_row(f"asinh {dtype}", x, 2, calls))
    return rows


def _row(work: str, first: Tensor, tensors: int, calls: dict[str, Call]) -> dict[str, str | float]:
    copy = torch.empty_like(first)
    seconds = _medians({**calls, "copy": lambda: copy.copy_(first)})
    size = first.numel() * first.element_size()
    share = (tensors * size / seconds["ours"]) / (2 * size / seconds["copy"])
    ratios = {name: round(seconds[name] / seconds["ours"], 3) for name in ("eager", "inductor")}
    return {"work": work, "share_of_copy": round(share, 3), **ratios}


def _medians(calls: dict[str, Call], rounds: int = 20) -> dict[str, float]:
    """Return each call's median seconds on the GPU, measured in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for place in range(rounds + 3):
        for name, call in calls.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call,unused-ignore]
            start.record()
            call()
            end.record()
            end.synchronize()
            if place >= 3:  # the first compile, and warm up
                times[name].append(start.elapsed_time(end) * 1e-3)
    return {name: statistics.median(of_call) for name, of_call in times.items()}


def host_seconds() -> dict[str, float]:
    """Return the host's microseconds of a call with 1,000 elements."""
    a, b = make((1000,), torch.float32), make((1000,), torch.float32)
    calls: dict[str, Call] = {
        "my_add": lambda: my_add(a, b),
        "torch.add": lambda: torch.add(b, a, alpha=2),
    }
    results = {}
    for name, call in calls.items():
        for _ in range(100):
            call()
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(5000):
            call()
        results[name] = round((time.perf_counter() - start) / 5000 * 1e6, 2)
        torch.cuda.synchronize()
    return results
