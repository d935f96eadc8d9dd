"""The elementwise loop of CUDA: values of each dtype, for all shapes and strides that it treats in
ways of its own.
"""

from __future__ import annotations

import shutil
from functools import partial

import pytest
import torch
from torch import Tensor

from tests.conftest import Shared
from tests.emulated.emulation import ROOT, Kernels, build
from tests.gpu import inputs
from tests.gpu.inputs import FLOATS, INTEGERS, expected

SHAPES = (
    ((), ()),
    ((1,), (7,)),
    ((3, 4), (4,)),
    ((5, 1), (1, 6)),
    ((0, 3), (3,)),
    ((1023,), (1023,)),
    ((4096,), (1,)),
    ((2, 3, 65, 33), (3, 1, 1)),
    ((2, 1, 4, 1, 8), (3, 1, 5, 1)),
    ((16, 32), (16, 1)),
    ((16, 1), (1, 32)),
)

make = partial(inputs.make, device="cpu")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++"),
]


@pytest.fixture(scope="session")
def emulated(shared: Shared) -> Kernels:
    return built("my_add", shared)


@pytest.fixture(scope="session")
def emulated_asinh(shared: Shared) -> Kernels:
    return built("asinh", shared)


def built(op: str, shared: Shared) -> Kernels:
    source = ROOT / "reference_ops" / op / "csrc" / f"{op}.cpp"
    name = "libelementwise.so"
    folder = shared.once(f"emulated_{op}", lambda path: build([source], path / name, for_cuda=True))
    return Kernels(folder / name)


def my_add(emulated: Kernels, a: Tensor, b: Tensor) -> Tensor:
    out = torch.empty_like(expected(a, b), memory_format=torch.contiguous_format)
    emulated.compute("my_lib::my_add", [out], a, b)
    return out


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS], ids=str)
def test_shapes(emulated: Kernels, dtype: torch.dtype) -> None:
    for first, second in SHAPES:
        a, b = make(first, dtype), make(second, dtype)
        assert torch.equal(my_add(emulated, a, b), expected(a, b)), (first, second)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int8], ids=str)
def test_strides(emulated: Kernels, dtype: torch.dtype) -> None:
    x, y = make((64, 48), dtype), make((48, 64), dtype)
    image = make((2, 5, 9, 7), dtype).to(memory_format=torch.channels_last)
    for a, b in (
        (x, y.t()),
        (x.t(), y),
        (x[::2, 1:], make((32, 47), dtype)),
        (x[:, ::3], x[:, ::3]),
        (x[1:].flatten()[1:33], make((32,), dtype)),
        (make((1, 48), dtype).expand(64, 48), x),
        (make((64, 1), dtype).expand(64, 48), x),
        (image, image),
        (image, make((5, 1, 1), dtype)),
        (image.permute(3, 0, 2, 1), image.permute(3, 0, 2, 1)),
    ):
        assert torch.equal(my_add(emulated, a, b), expected(a, b)), (a.shape, a.stride())


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_all_halves(emulated: Kernels, dtype: torch.dtype) -> None:
    a = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(dtype)
    b = a.flip(0).contiguous()
    out = my_add(emulated, a, b)
    torch.testing.assert_close(out, expected(a, b), rtol=0, atol=0, equal_nan=True)


@pytest.mark.nightly
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_function(emulated_asinh: Kernels, dtype: torch.dtype) -> None:
    x = (torch.randn(1001, dtype=torch.float64) * 30).to(dtype)
    out = torch.empty_like(x)
    emulated_asinh.compute("asinh::asinh", [out], x)
    torch.testing.assert_close(
        out.double(), x.double().asinh(), rtol=2 * torch.finfo(dtype).eps, atol=0
    )


def test_refusals(emulated: Kernels) -> None:
    a, b = make((2, 3), torch.float32), make((4,), torch.float32)
    with pytest.raises(RuntimeError, match="cannot be broadcast together"):
        emulated.compute("my_lib::my_add", [a], a, b)
    with pytest.raises(RuntimeError, match="must have the same dtype"):
        emulated.compute("my_lib::my_add", [a], a, a.double())
    many = make((2,) * 17, torch.float32)
    with pytest.raises(RuntimeError, match="more than 16 dimensions that cannot be merged"):
        my_add(emulated, many, many.permute(*reversed(range(17))))
