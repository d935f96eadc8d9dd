"""The argument of dynamic dimensions that `onnxop scan` writes: code, nested like the arguments."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path
from typing import Any

import onnxruntime  # type: ignore[import-untyped]
import pytest
import torch

from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.pages.dynamic_argument import dynamic_argument
from onnxop_runtime import processes
from onnxop_runtime.torch_internals import pytree


class Attended(torch.nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return (x @ weight).softmax(-1)


class OfAny(torch.nn.Module):
    def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
        return tensors[0] + 1


DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)
PAIR = torch.rand(2, 3), torch.rand(3, 4)


class OfBatch(torch.nn.Module):
    """Takes a dict, a list of pairs, and a number, which the TorchScript exporter makes an input."""

    def forward(
        self,
        batch: dict[str, torch.Tensor],
        layers: list[tuple[torch.Tensor, torch.Tensor]],
        scale: float = 0.5,
        bias: torch.Tensor | None = None,
    ) -> torch.Tensor:
        ((first, second),) = layers
        y = batch["x"] @ first + second.sum() * scale
        return y if bias is None else y + bias


BATCH = ({"x": PAIR[0]}, [(PAIR[1], torch.rand(2))])
OTHER_PAIR = torch.rand(5, 3), torch.rand(3, 7)
OTHER_BATCH = ({"x": OTHER_PAIR[0]}, [(OTHER_PAIR[1], torch.rand(4))])
TIED = {0: {0}, 1: {1}, 2: {0}}
BIAS, OTHER_BIAS = {"bias": torch.rand(4)}, {"bias": torch.rand(7)}
NESTED = '{"batch": {"x": {0: AUTO}}, "layers": [({1: AUTO}, {0: AUTO})]}'


@pytest.mark.parametrize("export", [DYNAMO, TORCHSCRIPT], ids=str)
@pytest.mark.parametrize(
    ("model", "args", "kwargs", "others", "axes"),
    [
        (Attended(), PAIR, {}, OTHER_PAIR, {0: {0}, 1: {1}}),
        (Attended(), PAIR[:1], {"weight": PAIR[1]}, OTHER_PAIR, {0: {0}, 1: {1}}),
        (OfAny(), PAIR, {}, OTHER_PAIR, {0: {0}, 1: {1}}),
        (OfBatch(), BATCH, {}, OTHER_BATCH, TIED),
        (OfBatch(), BATCH, BIAS, (*OTHER_BATCH, OTHER_BIAS["bias"]), {**TIED, 3: {0}}),
    ],
    ids=["plain", "keyword", "any", "nested", "nested and keyword"],
)
def test_the_argument_of_dynamic_dimensions_is_code(
    export: Export, model: Any, args: Any, kwargs: Any, others: Any, axes: Any, tmp_path: Path
) -> None:
    """An export with it takes other sizes."""
    told = dynamic_argument(Target("net", model, args, kwargs), axes, export)
    code = told.removeprefix("and add ").partition(", where ")[0]
    options = eval(f"dict({code})", {"AUTO": torch.export.Dim.AUTO})
    path = tmp_path / "net.onnx"
    with processes.quiet():
        is_dynamo = export.exporter == "dynamo"
        torch.onnx.export(model, args, path, kwargs=kwargs, dynamo=is_dynamo, **options)
    session = onnxruntime.InferenceSession(path)
    tensors = [t for t in pytree.tree_leaves(others) if isinstance(t, torch.Tensor)]
    names = [one.name for one in session.get_inputs() if one.name != "scale"]
    feeds = {name: tensor.numpy() for name, tensor in zip(names, tensors, strict=False)}
    if len(names) < len(session.get_inputs()):
        feeds["scale"] = torch.tensor(0.5, dtype=torch.float64).numpy()
    (result,) = session.run(None, feeds)
    of_others = {"bias": others[2]} if "bias" in kwargs else {}
    expected = model(*others[:2], **of_others)
    torch.testing.assert_close(torch.tensor(result), expected)


def test_the_nesting_of_dynamic_dimensions() -> None:
    """Of a module that takes the tensors alone there is none; for packages' exports, numbers are no
    inputs; a container without code is told in words.
    """
    net = Target("net", OfBatch(), BATCH)
    assert NESTED in dynamic_argument(net, TIED, DYNAMO)
    of_tensors = dynamic_argument(net, TIED, DYNAMO, "tensors")
    assert "dynamic_shapes=({0: AUTO}, {1: AUTO}, {0: AUTO})," in of_tensors
    named = 'input_names=["batch_x", "layers_0_0", "layers_0_1"{}], dynamic_axes={{"batch_x": [0]'
    assert named.format(', "scale"') in dynamic_argument(net, TIED, TORCHSCRIPT)
    assert named.format("") in dynamic_argument(net, TIED, TORCHSCRIPT, is_stock=False)
    ordered = Target("net", OfBatch(), (OrderedDict(x=PAIR[0]), BATCH[1]))
    words = "with dimension 0 of batch['x'] in dynamic_shapes"
    assert dynamic_argument(ordered, {0: {0}}, DYNAMO) == words
