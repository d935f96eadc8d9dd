"""The checks: each is a function that raises AssertionError, and returns a note."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

from . import libraries
from .inputs import FLOATS, INTEGERS, expected, make
from .libraries import asinh, ms_deform_attn, my_add, rms_norm, rms_norm_backward, roi_align_rotated

SHAPES = (
    ((), ()),
    ((1,), (7,)),
    ((3, 4), (4,)),
    ((5, 1), (1, 6)),
    ((0, 3), (3,)),
    ((1023,), (1023,)),
    ((1 << 20,), (1 << 20,)),
    ((8, 3, 65, 33), (3, 1, 1)),
    ((2, 1, 4, 1, 8), (3, 1, 5, 1)),
    ((128, 256), (128, 1)),
)


ROUNDINGS_OF_A_POSITION = 64
"""A position of up to 43 pixels is rounded before a difference of neighbouring pixels is taken at
it.
"""


class SkippedError(Exception):
    """The machine lacks what the check needs."""


def values() -> str:
    """Compare my_add bit by bit, for each dtype and several shapes."""
    for dtype in (*FLOATS, *INTEGERS):
        for first, second in SHAPES:
            a, b = make(first, dtype), make(second, dtype)
            assert torch.equal(my_add(a, b), expected(a, b)), (dtype, first, second)
    return f"{len(FLOATS + INTEGERS) * len(SHAPES)} cases"


def values_of_a_function() -> str:
    """Compare asinh with float64."""
    worst = 0.0
    for dtype in FLOATS:
        x = (make((4097,), torch.float64) * 30).to(dtype)
        correct = x.double().asinh()
        error = (asinh(x).double() - correct).abs() / correct.abs().clamp(min=1e-30)
        worst = max(worst, float(error.max()) / torch.finfo(dtype).eps)
    assert worst < 4, worst
    return f"at most {worst:.2f} times the dtype's precision"


def all_halves() -> str:
    """Compare all numbers of 16 bits, NaN, infinities and subnormal ones included."""
    for dtype in (torch.float16, torch.bfloat16):
        a = torch.arange(65536, device="cuda", dtype=torch.int32).to(torch.int16).view(dtype)
        b = a.flip(0).contiguous()
        torch.testing.assert_close(my_add(a, b), expected(a, b), rtol=0, atol=0, equal_nan=True)
    return "65536 of each"


def strides() -> str:
    """Compare transposed, sliced, expanded, unaligned and channels-last tensors."""
    for dtype in (torch.float32, torch.float16, torch.int8):
        x, y = make((64, 48), dtype), make((48, 64), dtype)
        image = make((2, 5, 9, 7), dtype).to(memory_format=torch.channels_last)
        cases = [
            (x, y.t()),
            (x.t(), y),
            (x[::2, 1:], make((32, 47), dtype)),
            (x[:, ::3], x[:, ::3]),
            (x[1:].flatten()[1:33], make((32,), dtype)),
            (make((1, 48), dtype).expand(64, 48), x),
            (image, image),
            (image, make((5, 1, 1), dtype)),
        ]
        for a, b in cases:
            assert torch.equal(my_add(a, b), expected(a, b)), (dtype, a.shape, a.stride())
        assert my_add(image, image).is_contiguous(memory_format=torch.channels_last)
    return ""


def many_elements() -> str:
    """Compute more elements than 32 bits count."""
    count = 2**31 + 5
    if torch.cuda.mem_get_info()[0] < 4 * count:
        raise SkippedError("the GPU lacks 9 GB of free memory")
    a = torch.ones(count, dtype=torch.int8, device="cuda")
    assert bool((my_add(a, a[:1]) == 3).all())
    return ""


def gradients() -> str:
    """Compare the gradients with finite differences, twice."""
    a = make((3, 4), torch.float64).requires_grad_()
    b = make((4,), torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(my_add, (a, b))
    assert torch.autograd.gradgradcheck(my_add, (a, b))
    return ""


def rows() -> str:
    """Compare rms_norm and its gradients with float64, for rows shorter and longer than a block;
    the bits do not vary.
    """
    shapes: tuple[tuple[int, ...], ...] = (
        *((4, 70), (2, 9, 5), (3, 1), (0, 5), (300, 33), (100, 64), (33, 300)),
        *((5, 10_240), (5, 12_288), (7, 100_003), (4096, 1024)),
    )
    for dtype in FLOATS:
        for shape in shapes:
            x, weight, grad = (make(size, dtype) for size in (shape, shape[-1:], shape))
            wide = [tensor.double().requires_grad_() for tensor in (x, weight)]
            expected = torch.nn.functional.rms_norm(wide[0], shape[-1:], wide[1], 1e-6)
            assert_near(rms_norm(x, weight), expected, dtype)
            gradients = torch.autograd.grad(expected, wide, grad.double())
            results, again = (rms_norm_backward(grad, x, weight) for _ in range(2))
            for one, other, correct in zip(results, again, gradients, strict=True):
                assert torch.equal(one, other), "the bits vary from run to run"
                if shape[-1] > 1:  # the gradient of one column is a difference of equal numbers
                    assert_near(one, correct, dtype)
    return f"{len(shapes)} shapes"


def assert_near(
    result: Tensor, expected: Tensor, dtype: torch.dtype, *, roundings: int = 16
) -> None:
    """Compare with a result in float64, by some roundings of the dtype at the largest value."""
    eps = roundings * max(torch.finfo(dtype).eps, 1e-7 if dtype == torch.float32 else 0)
    scale = float(expected.detach().abs().nan_to_num().max()) if expected.numel() else 0.0
    torch.testing.assert_close(
        result.double(),
        expected.detach().double(),
        rtol=eps,
        atol=eps * scale,
        equal_nan=True,
    )


def rotated_boxes() -> str:
    """Compare roi_align_rotated and its gradient with the reference in float64; a box without an
    image gives NaN.
    """
    reference = libraries.reference("roi_align_rotated")
    backward = torch.ops.vision_ops.roi_align_rotated_backward
    cases = (
        (19, 50, (0.75, 7, 7, 2, True, False)),
        (19, 50, (1.0, 3, 2, 0, False, True)),
        (100, 700, (0.5, 2, 2, 2, True, False)),  # blocks with all the channels that they can have
    )
    for dtype in FLOATS:
        for channels, count, rest in cases:
            image, rois = make((2, channels, 30, 41), dtype), boxes(count, dtype)
            wide = image.double().requires_grad_()
            expected = reference(wide, rois.double(), *rest)
            result = roi_align_rotated(image, rois, *rest)
            assert_near(result, expected, dtype, roundings=ROUNDINGS_OF_A_POSITION)
            grad = make(tuple(result.shape), dtype)
            (correct,) = torch.autograd.grad(expected, wide, grad.double())
            result = _first(backward(grad, image, rois, *rest, [True]))
            assert_near(result, correct, dtype, roundings=ROUNDINGS_OF_A_POSITION)
    wrong = boxes(3, torch.float32)
    wrong[1, 0] = 7
    result = roi_align_rotated(make((2, 3, 9, 9), torch.float32), wrong)
    assert result[1].isnan().all() and result[::2].isfinite().all()
    return ""


def _first(results: Tensor | tuple[Tensor, ...]) -> Tensor:
    return results if isinstance(results, Tensor) else results[0]


def boxes(count: int, dtype: torch.dtype) -> Tensor:
    """Return boxes on two images of 30 x 41 pixels, some of them across an edge."""
    image = torch.randint(0, 2, (count, 1), device="cuda").double()
    centres = torch.rand(count, 2, device="cuda", dtype=torch.float64) * 45 - 2
    sides = torch.rand(count, 2, device="cuda", dtype=torch.float64) * 20
    angles = torch.rand(count, 1, device="cuda", dtype=torch.float64) * 6 - 3
    return torch.cat([image, centres, sides, angles], 1).to(dtype)


def attention() -> str:
    """Compare ms_deform_attn and its gradients with the reference in float64."""
    reference = libraries.reference("ms_deform_attn")
    backward = torch.ops.vision_ops.ms_deform_attn_backward
    for dtype, channels in itertools.product(FLOATS, (24, 5)):
        tensors = attention_inputs(dtype, queries=33, channels=channels)
        value, shapes, starts, locations, weights = tensors
        wide = [tensor.double().requires_grad_() for tensor in (value, locations, weights)]
        expected = reference(wide[0], shapes, starts, *wide[1:])
        result = ms_deform_attn(*tensors)
        assert_near(result, expected, dtype)
        grad = make(tuple(result.shape), dtype)
        gradients = torch.autograd.grad(expected, wide, grad.double())
        results = backward(grad, *tensors, [True] * 3)
        for one, correct in zip(results, gradients, strict=True):
            assert_near(one, correct, dtype)
    return ""


def attention_inputs(
    dtype: torch.dtype, *, queries: int, channels: int, batch: int = 2, heads: int = 8
) -> tuple[Tensor, ...]:
    """Return the tensors of a call with four levels and four points."""
    sizes = [(64, 64), (32, 32), (16, 16), (8, 8)]
    lengths = [height * width for height, width in sizes]
    shapes = torch.tensor(sizes, device="cuda")
    starts = torch.tensor([sum(lengths[:level]) for level in range(4)], device="cuda")
    value = make((batch, sum(lengths), heads, channels), dtype)
    locations = (torch.rand(batch, queries, heads, 4, 4, 2, device="cuda") * 1.2 - 0.1).to(dtype)
    weights = torch.rand(batch, queries, heads, 16, device="cuda").softmax(-1)
    return value, shapes, starts, locations, weights.view(batch, queries, heads, 4, 4).to(dtype)


def streams() -> str:
    """Compute on PyTorch's current stream: after work that it waits for."""
    a, b = make((1 << 22,), torch.float32), make((1 << 22,), torch.float32)
    side = torch.cuda.Stream()  # type: ignore[no-untyped-call,unused-ignore]
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(200_000_000)  # type: ignore[no-untyped-call,unused-ignore]
        a.add_(1)
        result = my_add(a, b)
    side.synchronize()
    assert torch.equal(result, 2 * a + b)
    return ""


def devices() -> str:
    """Compute on the device of the tensors, whichever is current, and refuse tensors of two."""
    if torch.cuda.device_count() < 2:
        raise SkippedError("the machine has one GPU")
    a = make((1000,), torch.float32, "cuda:1")
    result = my_add(a, a)
    assert result.device == a.device and torch.equal(result, 3 * a)
    refuses(lambda: my_add(a, a.to("cuda:0")), "another GPU")
    return ""


def errors() -> str:
    """Refuse tensors of other shapes, dtypes and devices in a sentence."""
    a = make((2,), torch.float32)
    refuses(lambda: my_add(a, make((3,), torch.float32)), "broadcast")
    refuses(lambda: my_add(a, a.double()), "dtype")
    refuses(lambda: my_add(a, a.cpu()), "another device")
    return ""


def refuses(call: Callable[[], Tensor], text: str) -> None:
    try:
        call()
    except RuntimeError as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no error with {text!r}")


def compiled() -> str:
    """Compile a function with torch.compile, with and without fusion, and differentiate it."""
    for dtype in FLOATS:
        a, b = make((64, 32), dtype).requires_grad_(), make((32,), dtype)
        wide = a.detach().double().requires_grad_()
        expected = between(wide, b.double())
        gradient = torch.autograd.grad(expected.sum(), wide)[0]
        for context, is_fused in ((contextlib.nullcontext(), False), (libraries.fused(), True)):
            torch.compiler.reset()
            with context:
                function = torch.compile(between, fullgraph=True)
                function(a, b)
                with torch.profiler.profile() as profile:
                    result = function(a, b)
            calls = [event for event in profile.events() or () if event.name == "my_lib::my_add"]
            assert bool(calls) != is_fused, dtype
            assert_near(result, expected, dtype)
            assert_near(torch.autograd.grad(result.sum(), a)[0], gradient, dtype)
    return "fused, too"


def between(a: Tensor, b: Tensor) -> Tensor:
    """Call my_add between PyTorch's operators."""
    return my_add(a.sin(), b).cos()


def graphs() -> str:
    """Capture calls in a CUDA graph, and replay it with other values."""
    a, b = make((1024, 64), torch.float32), make((64,), torch.float32)
    my_add(a, b)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = my_add(a, b)
        gradients = rms_norm_backward(a, a, b)  # two kernels, with memory between them
    a.copy_(torch.randn_like(a))
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(result, 2 * a + b)
    assert all(map(torch.equal, gradients, rms_norm_backward(a, a, b)))
    return ""


def sanitizer(folder: Path) -> str:
    """Run small calls under compute-sanitizer."""
    program = shutil.which("compute-sanitizer")
    if program is None:
        raise SkippedError("compute-sanitizer is missing")
    for tool in ("memcheck", "racecheck"):
        command = [program, "--tool", tool, "--error-exitcode", "9", sys.executable]
        command += ["-m", "tests.gpu", "small", str(folder)]
        run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
        assert run.returncode == 0, f"{tool}: {(run.stdout + run.stderr)[-400:]}"
    return "memcheck and racecheck"


def small() -> None:
    """Call the kernels with few elements, for `sanitizer`."""
    for dtype in (torch.float32, torch.float16, torch.int8):
        for first, second in SHAPES[:6]:
            my_add(make(first, dtype), make(second, dtype))
    x = make((5, 7), torch.float32)
    my_add(x.t(), x.t()[:, ::5])
    asinh(x[1:].flatten()[1:])
    for dtype in (torch.float32, torch.float16):
        y, weight = make((5, 300), dtype), make((300,), dtype)
        rms_norm(y, weight)
        rms_norm_backward(y, y, weight)
        image, rois = make((2, 3, 9, 8), dtype), boxes(4, dtype)
        result = roi_align_rotated(image, rois)
        torch.ops.vision_ops.roi_align_rotated_backward(
            result, image, rois, 1.0, 7, 7, 0, True, False, [True]
        )
        tensors = attention_inputs(dtype, queries=3, channels=5, batch=1, heads=2)
        result = ms_deform_attn(*tensors)
        torch.ops.vision_ops.ms_deform_attn_backward(result, *tensors, [True] * 3)
    torch.cuda.synchronize()
