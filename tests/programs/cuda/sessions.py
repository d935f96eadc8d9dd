"""Run a model of my_add in onnxruntime-gpu on a machine without a GPU, with the libraries for CPUs and for CUDA, as JSON."""

import json
import sys

import my_add
import numpy as np
import onnxruntime
import torch

ON_GPU = ["CUDAExecutionProvider", "CPUExecutionProvider"]
onnxruntime.set_default_logger_severity(4)  # it tells that there is no GPU


class Model(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return my_add.my_add(my_add.my_add(a, b), b)


def export(path: str, domain: str, dtype: torch.dtype, *, has_functions: bool) -> None:
    args = torch.ones(2, 3, dtype=dtype), torch.ones(3, dtype=dtype)
    options = {"domain": domain, "function_bodies": has_functions, "verbose": False}
    my_add.export(Model().eval(), args, path, input_names=["a", "b"], **options)


def run(path: str, options: onnxruntime.SessionOptions, providers: list[str]) -> list[object]:
    """Return the first value, and what the libraries have computed."""
    session = onnxruntime.InferenceSession(path, options, providers=providers)
    types = {"tensor(float)": np.float32, "tensor(float16)": np.float16}
    feeds = {port.name: np.ones(port.shape, types[port.type]) for port in session.get_inputs()}
    (result,) = session.run(None, feeds)
    return [float(result.flat[0]), my_add.package.library.served()]


def registered(*libraries: str) -> onnxruntime.SessionOptions:
    options = onnxruntime.SessionOptions()
    for library in libraries:
        options.register_custom_ops_library(library)
    return options


def error_of_missing_file() -> str:
    try:
        my_add.session_options(cuda=True)
    except ImportError as error:
        return str(error)
    return ""


if sys.argv[1:] == ["missing"]:
    print(error_of_missing_file())
    sys.exit()
cpu, cuda = my_add.library_path(), my_add.library_path(cuda=True)
facts: dict[str, object] = {"release": onnxruntime.__version__}
facts["providers"] = "CUDAExecutionProvider" in onnxruntime.get_available_providers()
for name, domain, dtype, has_functions in (
    ("functions", "my_lib", torch.float32, True),
    ("nodes", "my_lib", torch.float32, False),
    ("halves", "my_lib", torch.float16, False),
):
    path = f"{name}.onnx"
    export(path, domain, dtype, has_functions=has_functions)
    facts[name] = [
        run(path, registered(*libraries), providers)
        for libraries in ([cpu, cuda], [cuda, cpu], [cuda], [cpu])
        for providers in (ON_GPU, ON_GPU[1:])
    ]
export("other.onnx", "other", torch.float32, has_functions=True)
facts["other"] = [
    run("other.onnx", my_add.session_options(domain="other", cuda=True), ON_GPU),
    my_add.session("other.onnx", providers=ON_GPU, require_native=True).served,
    my_add.session("other.onnx", providers=[("CUDAExecutionProvider", {"device_id": 0})]).served,
    my_add.session("other.onnx", providers=ON_GPU[1:]).served,
]
args = torch.ones(2, 3), torch.ones(3)
facts["verify"] = str(my_add.verify(Model().eval(), args, domain="my_lib", verbose=False))
# The same thread's next sessions: one of the CPU's library, and one in which neither has a node.
facts["next"] = run("nodes.onnx", registered(cpu), ON_GPU)
my_add.export(Model().eval(), args, "standard.onnx", domain="", verbose=False)
facts["none"] = my_add.session("standard.onnx", providers=ON_GPU).served
json.dump(facts, sys.stdout)
