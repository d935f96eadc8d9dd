"""Sizes of results of other nodes, in a model with a dynamic axis: read as numbers, and passed on."""

import logging
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import sized
import torch
from torch import Tensor
from torch.nn import functional

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)

MODELS: dict[str, Callable[[Tensor], Tensor]] = {
    "concatenated": lambda x: sized.columns(torch.cat([x.reshape(-1, 3, 4)] * 2, 2)),
    "split": lambda x: sized.columns(x.reshape(-1, 3, 4).split([1, 3], 2)[1]),
    "resized": lambda x: sized.columns(
        functional.interpolate(x.reshape(-1, 3, 4), scale_factor=2.0)
    ),
    "indexed": lambda x: sized.columns(x.reshape(-1, 3, 2, 2)[:, :, :, 0]),
    "squeezed": lambda x: sized.columns(x.view(-1, 3, 4, 1).squeeze(3)),
    "merged": lambda x: sized.columns(x.reshape(-1, 3, 2, 2).flatten(0, 1).unsqueeze(1)),
    "passed on": lambda x: sized.rows(x.reshape(-1, 3, 4)),
    "passed on by an input": lambda x: sized.rows(x),
    "passed on from the end": lambda x: sized.rows(x.reshape(-1, 3, 4).permute(2, 1, 0)),
}
DYNAMIC = {
    "an axis": lambda x: sized.columns(x.reshape(-1, 3, 4).permute(2, 1, 0)),
    "values": lambda x: sized.columns(
        x.T.reshape(3, 4, -1)[:, :, (x.sum(1) > -1).nonzero().flatten()]
    ),
}
REFUSED = {
    ("an axis", True): "which is dynamic in the model; export it without that dynamic axis",
    ("an axis", False): "which is dynamic in the model; export it without that dynamic axis",
    ("values", True): "which the dynamo exporter does not know; compute with op.Shape(...)",
    ("values", False): "which the TorchScript exporter does not know; compute with op.Shape(...)",
}
"""What the refusal says of a size that is not a number, by the kind of size and by ``dynamo``."""


class Model(torch.nn.Module):
    def __init__(self, compute: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.compute = compute

    def forward(self, x: Tensor) -> Tensor:
        return self.compute(x)


x, longer = torch.rand(2, 12), torch.rand(5, 12)
axes = {"x": {0: "batch"}}
ways = [(dynamo, domain) for dynamo in (True, False) for domain in ("", "my_lib")]


def exported(model: torch.nn.Module, dynamo: bool, domain: str, path: Path) -> None:
    options: Any = {"verbose": False} if dynamo else {}
    sized.export(model, (x,), path, dynamo=dynamo, domain=domain, dynamic_axes=axes, **options)


def exported_plainly(model: torch.nn.Module, path: Path) -> None:
    torch.onnx.export(
        model, (x,), str(path), dynamo=False, input_names=["x"], dynamic_axes=axes, opset_version=17
    )


def check(model: torch.nn.Module, path: Path) -> None:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for example in (x, longer):
        (result,) = session.run(None, {"x": example.numpy()})
        np.testing.assert_allclose(result, model(example).numpy(), atol=1e-5)


with tempfile.TemporaryDirectory() as folder:
    path = Path(folder, "model.onnx")
    for compute in MODELS.values():
        model = Model(compute).eval()
        for dynamo, domain in ways:
            exported(model, dynamo, domain, path)
            check(model, path)
        exported_plainly(model, path)
        check(model, path)
    for name, compute in DYNAMIC.items():
        for dynamo, domain in ways:
            try:
                exported(Model(compute).eval(), dynamo, domain, path)
            except ValueError as error:
                said = str(error)
            else:
                said = "exported"
            assert said.startswith("sized::columns: ") and REFUSED[name, dynamo] in said, said
print("done")
