"""The measured pairs of calls: onnxop's, and the alternative without it."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

Call = Callable[[], object]

FUNCTIONS = (
    "acos acosh asin asinh atan atanh cos cosh erf erfc exp exp2 expm1 log log10 log1p log2 sin sinh "
    "tan tanh cbrt atan2 hypot pow"
).split()
"""The functions of C++ with vector variants; torch has all but cbrt."""
BINARY = {"atan2", "hypot", "pow"}
SIZES = [16, 256, 4096, 65536, 2**20, 2**24]
MANY = 4_000_000


@dataclass(frozen=True)
class Work:
    """A pair of calls. ``host`` calls them; ``group`` is the table of the result."""

    group: str
    host: str
    work: str
    against: str
    ours: Call
    theirs: Call
    rounds: int = 25
    pause: float = 0.01  # seconds before each call: the threads of both runtimes spin after one


def all_works(folder: Path) -> Iterator[Work]:
    """Return every pair that this machine can measure; ``folder`` holds the packages' sources."""
    yield from elementwise()
    yield from small_calls()
    yield from functions()
    yield from deform_conv2d()
    yield from rms_norm()
    yield from resize()
    yield from importlib.import_module("tests.benchmark.vision").vision_ops()
    yield from runtime_libraries()
    yield from openvino_extensions()
    yield from sizes()
    yield from commands(folder)


def elementwise() -> Iterator[Work]:
    import torch

    my_add, asinh = importlib.import_module("my_add").my_add, importlib.import_module("asinh").asinh
    swish = importlib.import_module("speed").swish
    in_torch = partial(Work, "kernels", "PyTorch")
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        label = str(dtype).removeprefix("torch.")
        a, b = torch.randn(2, MANY).to(dtype)
        add = partial(torch.add, b, a, alpha=2)
        yield in_torch(
            f"my_add, 4 M {label}", "torch.add(b, a, alpha=2)", partial(my_add, a, b), add
        )
    a, b = torch.randn(2, MANY)
    yield in_torch("my_add, 4 M float32", "2 * a + b", partial(my_add, a, b), lambda: 2 * a + b)
    pairs = {
        "my_add, [64, 1, 256] with [128, 256]": (torch.randn(64, 1, 256), torch.randn(128, 256)),
        "my_add, 2048 x 2048, one transposed": (
            torch.randn(2048, 2048).t(),
            torch.randn(2048, 2048),
        ),
    }
    for label, (a, b) in pairs.items():
        add = partial(torch.add, b, a, alpha=2)
        yield in_torch(label, "torch.add(b, a, alpha=2)", partial(my_add, a, b), add)
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        label = str(dtype).removeprefix("torch.")
        x = torch.randn(MANY).to(dtype)
        ours, theirs = partial(asinh, x), partial(torch.asinh, x)
        yield in_torch(f"asinh, 4 M {label}", "torch.asinh", ours, theirs, rounds=9)
    x = torch.randn(MANY)
    text = "x / (1 + exp(-1.5 * x)), 4 M float32"
    yield in_torch(
        text, "x * torch.sigmoid(1.5 * x)", partial(swish, x), lambda: x * torch.sigmoid(1.5 * x)
    )


def small_calls() -> Iterator[Work]:
    import torch

    my_add = importlib.import_module("my_add")
    a, b = torch.randn(2, 1000)
    add = partial(torch.add, b, a, alpha=2)
    in_torch = partial(Work, "kernels", "PyTorch", theirs=add, against="torch.add(b, a, alpha=2)")
    yield in_torch(work="my_add, 1000 floats, a call", ours=partial(my_add.my_add, a, b))
    compiled = partial(my_add._kernel.my_add, a, b)
    yield in_torch(work="my_add, 1000 floats, the pybind11 function", ours=compiled)


def functions() -> Iterator[Work]:
    """Compare the functions of elementwise expressions with torch's own."""
    import torch

    package, one, other = importlib.import_module("speed"), torch.rand(MANY), torch.rand(MANY)
    for name in FUNCTIONS:
        x = 1 + one if name == "acosh" else one
        arguments = (x, other) if name in BINARY else (x,)
        ours = partial(getattr(package, f"function_{name}"), *arguments)
        theirs, against = partial(_cube_root, x), "x.sign() * x.abs().pow(1 / 3)"
        if name != "cbrt":
            theirs, against = partial(getattr(torch, name), *arguments), f"torch.{name}"
        yield Work("functions", "PyTorch", f"{name}, 4 M float32", against, ours, theirs, rounds=9)


def _cube_root(x: Any) -> Any:
    return x.sign() * x.abs().pow(1 / 3)


def deform_conv2d() -> Iterator[Work]:
    """Compare 3 x 3 with a mask: forward, and forward and backward with all gradients."""
    import torch

    with suppress(ImportError):
        importlib.import_module("torchvision")
        importlib.import_module("deform_conv2d")
        both = torch.ops.deform_conv2d.deform_conv2d, torch.ops.torchvision.deform_conv2d
        for label, tensors, numbers in deformed():
            ours, theirs = (partial(op, *tensors, *numbers) for op in both)
            in_torch = partial(Work, "kernels", "PyTorch", against="torchvision", rounds=9)
            yield in_torch(work=f"deform_conv2d, {label}", ours=ours, theirs=theirs)
            leaves = [tensor.clone().requires_grad_() for tensor in tensors]
            grad = torch.randn_like(ours())
            ours, theirs = (partial(there_and_back, op, leaves, numbers, grad) for op in both)
            yield in_torch(work=f"  and backward, {label}", ours=ours, theirs=theirs)


def there_and_back(op: Any, tensors: Any, numbers: Any, grad: Any) -> Any:
    import torch

    leaves = [tensor for tensor in tensors if tensor.requires_grad]
    return torch.autograd.grad(op(*tensors, *numbers), leaves, grad)


def deformed() -> Iterator[tuple[str, list[Any], tuple[Any, ...]]]:
    import torch

    for batch, channels, size, groups in ((1, 64, 56, 1), (1, 256, 28, 1), (8, 64, 28, 4)):
        tensors = [
            torch.randn(batch, channels, size, size),
            torch.randn(channels, channels, 3, 3),
            torch.randn(batch, 18 * groups, size, size),
            torch.rand(batch, 9 * groups, size, size),
            torch.randn(channels),
        ]
        label = f"{batch}x{channels}x{size}x{size}, {groups} offset groups".replace(
            ", 1 offset groups", ""
        )
        yield label, tensors, (1, 1, 1, 1, 1, 1, 1, groups, True)


def rms_norm() -> Iterator[Work]:
    """Compare a handwritten kernel that reduces rows: forward, and forward and backward."""
    import torch

    both = importlib.import_module("rms_norm").rms_norm, _rms_norm
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        label = str(dtype).removeprefix("torch.")
        tensors = torch.randn(4096, 1024).to(dtype), torch.randn(1024).to(dtype)
        ours, theirs = (partial(op, *tensors) for op in both)
        in_torch = partial(Work, "kernels", "PyTorch", against="torch's rms_norm", rounds=9)
        yield in_torch(work=f"rms_norm, 4096x1024 {label}", ours=ours, theirs=theirs)
        leaves = [tensor.clone().requires_grad_() for tensor in tensors]
        grad = torch.randn_like(tensors[0])
        ours, theirs = (partial(there_and_back, op, leaves, (), grad) for op in both)
        yield in_torch(work=f"  and backward, 4096x1024 {label}", ours=ours, theirs=theirs)


def _rms_norm(x: Any, weight: Any) -> Any:
    import torch

    return torch.nn.functional.rms_norm(x, weight.shape, weight, 1e-6)


def resize() -> Iterator[Work]:
    import torch

    ours = importlib.import_module("dynamic_resize").resize
    x, scales = torch.randn(1, 3, 256, 256), torch.tensor([1.0, 1.0, 2.5, 2.5])
    theirs = partial(torch.nn.functional.interpolate, x, scale_factor=2.5, mode="bicubic")
    label, against = "resize, 3x256x256 by 2.5", "torch's interpolate"
    yield Work("kernels", "PyTorch", label, against, partial(ours, x, scales), theirs)


# ---- ONNX Runtime ----


def runtime_libraries() -> Iterator[Work]:
    """Compare the packages' libraries with ONNX Runtime's own kernels."""
    import torch

    my_add, asinh = importlib.import_module("my_add"), importlib.import_module("asinh")
    x, y = torch.randn(MANY), torch.randn(MANY)
    yield _in_runtime("asinh, 4 M float32", "Asinh", asinh, as_module(torch.asinh), (x,), 9)
    yield _in_runtime("my_add, 4 M float32", "Mul and Add", my_add, my_add.MyAdd(), (x, y), 9)
    with suppress(ImportError):
        package, vision = (importlib.import_module(m) for m in ("deform_conv2d", "torchvision"))
        for label, (image, weight, offset, mask, bias), _ in deformed():
            theirs = vision.ops.DeformConv2d(weight.shape[1], weight.shape[0], 3, padding=1)
            theirs.weight.data, theirs.bias.data = weight, bias
            arguments = (image, offset, mask)
            yield _in_runtime(
                f"deform_conv2d, {label}", "DeformConv", package, theirs, arguments, 15
            )


def as_module(function: Any) -> Any:
    import torch

    class Module(torch.nn.Module):
        def forward(self, *arguments: Any) -> Any:
            return function(*arguments)

    return Module()


def _in_runtime(
    label: str, against: str, package: Any, module: Any, arguments: tuple[Any, ...], rounds: int
) -> Work:
    """Compare the package's node with standard nodes, in one model."""
    import onnxruntime  # type: ignore[import-untyped]

    runs: list[Call] = []
    for domain in (package.__name__, ""):
        domain = "my_lib" if domain == "my_add" else domain
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "model.onnx"))
            package.export(
                module.eval(), arguments, file, domain=domain, opset_version=19, dynamo=False
            )
            options = package.session_options() if domain else onnxruntime.SessionOptions()
            session = onnxruntime.InferenceSession(file, options, ["CPUExecutionProvider"])
        names = [port.name for port in session.get_inputs()]
        feeds = {name: x.numpy() for name, x in zip(names, arguments, strict=True)}
        runs.append(partial(session.run, None, feeds))
    return Work("kernels", "ONNX Runtime", label, against, runs[0], runs[1], rounds, 0.02)


# ---- OpenVINO ----


def openvino_extensions() -> Iterator[Work]:
    """Compare the same kernels, as extensions of OpenVINO, with its own operators."""
    import torch

    with suppress(ImportError):
        importlib.import_module("openvino")
        package = importlib.import_module("rms_norm")
        norm = as_module(package.rms_norm)
        for rows in (512, 4096):  # within a cache, and bound by memory
            arguments = (torch.randn(rows, 1024), torch.randn(1024))
            label = f"rms_norm, {rows}x1024 float32"
            yield _in_openvino(label, "standard nodes", package, norm, "my_lib", arguments)
        package, vision = (importlib.import_module(m) for m in ("deform_conv2d", "torchvision"))
        for label, (image, weight, offset, mask, bias), _ in deformed():
            theirs = vision.ops.DeformConv2d(weight.shape[1], weight.shape[0], 3, padding=1)
            theirs.weight.data, theirs.bias.data = weight, bias
            label, against = f"deform_conv2d, {label}", "its DeformableConvolution"
            values = (image, offset, mask)
            yield _in_openvino(label, against, package, theirs, "deform_conv2d", values)


def _in_openvino(
    label: str, against: str, package: Any, module: Any, domain: str, arguments: tuple[Any, ...]
) -> Work:
    """Compare the package's node with OpenVINO's own operators, in float32."""
    import openvino  # type: ignore[import-untyped,unused-ignore]
    from openvino.frontend.onnx import (  # type: ignore[import-untyped,unused-ignore]
        ConversionExtension,
    )

    core = openvino.Core()
    core.add_extension(package.openvino_extension())
    core.add_extension(ConversionExtension("DeformConv", _deform_conv))
    runs: list[Call] = []
    for node_domain in (domain, ""):
        with tempfile.TemporaryDirectory() as folder:
            file = str(Path(folder, "model.onnx"))
            options: Any = {"domain": node_domain, "opset_version": 19, "dynamo": False}
            package.export(module.eval(), arguments, file, **options)
            compiled = core.compile_model(file, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
        request = compiled.create_infer_request()
        request.infer([x.numpy() for x in arguments])
        # Without copies of results, which only Python's binding makes.
        runs.append(partial(request.infer, share_outputs=True))
    return Work("kernels", "OpenVINO", label, against, runs[0], runs[1], 15, 0.02)


def _deform_conv(node: Any) -> Any:
    """Return OpenVINO's operator for ONNX's, which its reader does not support."""
    import openvino.opset13 as ops  # type: ignore[import-untyped,unused-ignore]

    x, weight, offset, bias, mask = (node.get_input(i) for i in range(5))
    pads, strides = node.get_attribute("pads"), node.get_attribute("strides")
    made = ops.deformable_convolution(
        x,
        offset,
        weight,
        strides,
        pads[:2],
        pads[2:],
        node.get_attribute("dilations"),
        mask=mask,
        group=node.get_attribute("group"),
        deformable_group=node.get_attribute("offset_group"),
        bilinear_interpolation_pad=True,
    )
    shape = ops.constant([1, -1, 1, 1], dtype="int64")
    return ops.add(made, ops.reshape(bias, shape, False)).outputs()


# ---- Sizes ----


def sizes() -> Iterator[Work]:
    """Measure the sizes at which each path wins."""
    import torch

    my_add, asinh = importlib.import_module("my_add"), importlib.import_module("asinh")
    for size in SIZES:
        a, b = torch.randn(2, size)
        work = partial(Work, "sizes", "PyTorch", rounds=9)
        add = partial(torch.add, b, a, alpha=2)
        yield work(f"my_add, {size}", "torch.add(b, a, alpha=2)", partial(my_add.my_add, a, b), add)
        ours, theirs = partial(my_add._kernel.my_add, a, b), add
        yield work(
            f"my_add, the pybind11 function, {size}", "torch.add(b, a, alpha=2)", ours, theirs
        )
        ours, theirs = partial(asinh.asinh, a), partial(torch.asinh, a)
        yield work(f"asinh, {size}", "torch.asinh", ours, theirs)


# ---- Commands ----

OFFICIAL = Path(__file__).parent / "official"


def commands(folder: Path) -> Iterator[Work]:
    """Measure the commands that users wait for: making a package, and building it."""
    command = partial(Work, "commands", "command line", pause=0)
    with suppress(ImportError):
        importlib.import_module("onnxop")
        spec = folder / "my_add" / "ops" / "my_add.toml"
        yield command(
            "onnxop-new, one op",
            'python -c "import copier"',
            partial(_new, spec),
            partial(_python, "-c", "import copier"),
            rounds=7,
        )
    with suppress(ImportError):
        importlib.import_module("pip")
        ours, theirs = partial(_install, folder / "my_add"), partial(_install, OFFICIAL)
        against = "PyTorch's C++ template with one op"
        yield command("pip install of my_add", against, ours, theirs, rounds=3)


def _python(*arguments: str | Path) -> None:
    environment = {
        name: os.environ[name] for name in os.environ if name not in ("CC", "CXX")
    }  # ccache
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)


def _new(spec: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        _python("-c", "from onnxop.cli import new; new()", spec, Path(scratch, "package"))


def _install(package: Path) -> None:
    """Install a copy, which has no earlier build."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "source")
        shutil.copytree(package, source, ignore=shutil.ignore_patterns("build", "*.egg-info"))
        options = ["--quiet", "--no-build-isolation", "--no-deps", "--disable-pip-version-check"]
        _python("-m", "pip", "install", *options, "--target", Path(scratch, "site"), source)
