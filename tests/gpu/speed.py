"""Speed as shares of a copy's bytes a second, beside PyTorch's own operators and Inductor's
code.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from . import libraries
from .checks import attention_inputs
from .inputs import make
from .libraries import asinh, ms_deform_attn, my_add, rms_norm, rms_norm_backward, roi_align_rotated

Call = Callable[[], Tensor]
ELEMENTS = 1 << 26
HEAD_START = 1_000_000
"""Cycles for which the GPU waits before a call, so that its kernels are queued by then and the
host's time is not measured.
"""
GOALS = {
    "my_add torch": {"share_of_copy": 0.9, "eager": 0.97, "inductor": 0.97},
    "my_add fused": {"inductor": 0.97, "not_fused": 1.5},
    "asinh": {"share_of_copy": 0.9, "eager": 0.97, "inductor": 0.97},
    "rms_norm forward": {"share_of_copy": 0.85},
    "rms_norm backward": {"share_of_copy": 0.75},
    "ms_deform_attn forward": {"grid_sample": 8.0},
    "roi_align_rotated forward": {"torchvision": 0.97},
}
"""The least values of the columns of works that begin with these names."""


def measure() -> list[dict[str, str | float]]:
    """Return for each work the share of the copy's speed, and the ratios of times, theirs
    to ours.
    """
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
    rows += [_fused(dtype) for dtype in (torch.float32, torch.float16)]
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        rows += _rms_norm(dtype)
        rows += _attention(dtype)
    rows += _boxes()
    return rows


def missed(rows: list[dict[str, str | float]]) -> list[str]:
    """Return the goals that the rows do not reach."""
    return [
        f"{row['work']}: {column} {row[column]}, the goal is {goal}"
        for row in rows
        for work, goals in GOALS.items()
        for column, goal in goals.items()
        if str(row["work"]).startswith(work) and column in row and float(row[column]) < goal
    ]


def _fused(dtype: torch.dtype) -> dict[str, str | float]:
    """Return a row for my_add between other operators under torch.compile, which fuses it as
    packages let it.
    """
    a, b = make((ELEMENTS,), dtype), make((ELEMENTS,), dtype)
    torch.compiler.reset()
    alone = torch.compile(lambda a, b: my_add(a * b, b).relu(), dynamic=False)
    alone(a, b)
    with libraries.fused():
        ours = torch.compile(lambda a, b: my_add(a * b, b).relu(), dynamic=False)
        ours(a, b)
    theirs = torch.compile(lambda a, b: (2 * (a * b) + b).relu(), dynamic=False)
    calls: dict[str, Call] = {
        "ours": partial(ours, a, b),
        "not_fused": partial(alone, a, b),
        "inductor": partial(theirs, a, b),
    }
    return _row(f"my_add fused {dtype}", a, 3, calls)


def _rms_norm(dtype: torch.dtype) -> list[dict[str, str | float]]:
    x, weight, grad = make((4096, 4096), dtype), make((4096,), dtype), make((4096, 4096), dtype)
    normal = torch.nn.functional.rms_norm
    compiled = torch.compile(lambda x, weight: normal(x, (4096,), weight, 1e-6), dynamic=False)
    forward: dict[str, Call] = {
        "ours": lambda: rms_norm(x, weight),
        "eager": lambda: normal(x, (4096,), weight, 1e-6),
        "inductor": lambda: compiled(x, weight),
    }
    inputs = [tensor.clone().requires_grad_() for tensor in (x, weight)]
    result = normal(inputs[0], (4096,), inputs[1], 1e-6)
    backward: dict[str, Call] = {
        "ours": lambda: rms_norm_backward(grad, x, weight)[0],
        "eager": lambda: torch.autograd.grad(result, inputs, grad, retain_graph=True)[0],
    }
    return [
        _row(f"rms_norm forward {dtype}", x, 2, forward),
        _row(f"rms_norm backward {dtype}", x, 3, backward),
    ]


def _attention(dtype: torch.dtype) -> list[dict[str, str | float]]:
    tensors = attention_inputs(dtype, queries=5440, channels=32)
    value, shapes, starts, locations, weights = tensors
    inputs = [tensor.clone().requires_grad_() for tensor in (value, locations, weights)]
    result = _by_grid_sample(inputs[0], shapes, starts, *inputs[1:])
    grad = make(tuple(result.shape), dtype)
    backward = torch.ops.vision_ops.ms_deform_attn_backward
    forward_calls: dict[str, Call] = {
        "ours": lambda: ms_deform_attn(*tensors),
        "grid_sample": lambda: _by_grid_sample(*tensors),
    }
    backward_calls: dict[str, Call] = {
        "ours": lambda: backward(grad, *tensors, [True] * 3)[0],
        "grid_sample": lambda: torch.autograd.grad(result, inputs, grad, retain_graph=True)[0],
    }
    return [
        _beside(f"ms_deform_attn forward {dtype}", forward_calls),
        _beside(f"ms_deform_attn backward {dtype}", backward_calls),
    ]


def _by_grid_sample(
    value: Tensor, shapes: Tensor, starts: Tensor, locations: Tensor, weights: Tensor
) -> Tensor:
    """Compute ms_deform_attn by PyTorch's grid_sample, level by level, as models do without a
    kernel.
    """
    batch, _, heads, channels = value.shape
    queries, points = locations.shape[1], locations.shape[4]
    samples = []
    for level, (height, width) in enumerate([(64, 64), (32, 32), (16, 16), (8, 8)]):
        first = [0, 4096, 5120, 5376][level]
        image = value[:, first : first + height * width].permute(0, 2, 3, 1)
        image = image.reshape(batch * heads, channels, height, width)
        grid = (2 * locations[:, :, :, level] - 1).transpose(1, 2).flatten(0, 1)
        samples.append(torch.nn.functional.grid_sample(image, grid, align_corners=False))
    shares = weights.transpose(1, 2).reshape(batch * heads, 1, queries, 4 * points)
    summed = (torch.cat(samples, -1) * shares).sum(-1)
    return summed.view(batch, heads * channels, queries).transpose(1, 2)


def _boxes() -> list[dict[str, str | float]]:
    """Return rows for boxes at angle 0, beside torchvision's roi_align, where it is installed."""
    try:
        from torchvision.ops import roi_align  # type: ignore[import-untyped,unused-ignore]
    except ImportError:
        return []
    image = make((2, 256, 200, 304), torch.float32)
    count = 1000
    numbers = torch.rand(count, 4, device="cuda")
    centres, sides = numbers[:, :2] * 800 + 8, numbers[:, 2:] * 400 + 8
    index = torch.randint(0, 2, (count, 1), device="cuda").float()
    rotated = torch.cat([index, centres, sides, torch.zeros(count, 1, device="cuda")], 1)
    straight = torch.cat([index, centres - sides / 2, centres + sides / 2], 1)
    wide = image.clone().requires_grad_()
    result = roi_align(wide, straight, 7, 0.25, 2, True)
    grad = make(tuple(result.shape), torch.float32)
    backward = torch.ops.vision_ops.roi_align_rotated_backward
    rest = 0.25, 7, 7, 2, True, False
    forward_calls: dict[str, Call] = {
        "ours": lambda: roi_align_rotated(image, rotated, *rest),
        "torchvision": lambda: roi_align(image, straight, 7, 0.25, 2, True),
    }
    backward_calls: dict[str, Call] = {
        "ours": lambda: backward(grad, image, rotated, *rest, [True]),
        "torchvision": lambda: torch.autograd.grad(result, wide, grad, retain_graph=True)[0],
    }
    return [
        _beside("roi_align_rotated forward at angle 0", forward_calls),
        _beside("roi_align_rotated backward at angle 0", backward_calls),
    ]


def _beside(work: str, calls: dict[str, Call]) -> dict[str, str | float]:
    """Return a row without a share of a copy: the work reads its inputs many times."""
    seconds = _medians(calls)
    others = [name for name in calls if name != "ours"]
    return {"work": work, **{name: round(seconds[name] / seconds["ours"], 3) for name in others}}


def _row(work: str, first: Tensor, tensors: int, calls: dict[str, Call]) -> dict[str, str | float]:
    copy = torch.empty_like(first)
    seconds = _medians({**calls, "copy": lambda: copy.copy_(first)})
    size = first.numel() * first.element_size()
    share = (tensors * size / seconds["ours"]) / (2 * size / seconds["copy"])
    others = [name for name in calls if name != "ours"]
    ratios = {name: round(seconds[name] / seconds["ours"], 3) for name in others}
    return {"work": work, "share_of_copy": round(share, 3), **ratios}


def _medians(calls: dict[str, Call], rounds: int = 20) -> dict[str, float]:
    """Return each call's median seconds on the GPU, measured in turn."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for place in range(rounds + 3):
        for name, call in calls.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call,unused-ignore]
            torch.cuda._sleep(HEAD_START)  # type: ignore[no-untyped-call,unused-ignore]
            start.record()
            call()
            end.record()
            end.synchronize()
            if place >= 3:  # the first compile, and warm up
                times[name].append(start.elapsed_time(end) * 1e-3)
    return {name: statistics.median(of_call) for name, of_call in times.items()}


def host_seconds() -> dict[str, float]:
    """Return the host's microseconds of a call with 1,000 elements. Without the package, autograd's
    part is PyTorch's own.
    """
    with torch.inference_mode():
        a, b = make((1000,), torch.float32), make((1000,), torch.float32)
        calls: dict[str, Call] = {
            "my_add": lambda: my_add(a, b),
            "torch.add": lambda: torch.add(b, a, alpha=2),
            "asinh": lambda: asinh(a),
            "torch.asinh": lambda: torch.asinh(a),
        }
        return {
            f"{name} (inference_mode)": min(_microseconds(call) for _ in range(5))
            for name, call in calls.items()
        }


def _microseconds(call: Call, count: int = 1000) -> float:
    for _ in range(100):
        call()
    torch.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    seconds = time.perf_counter() - start
    torch.cuda.synchronize()
    return round(seconds / count * 1e6, 2)
