"""What each exporter knows of ranks and sizes: the table in generator/README.md; and tables of
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import pytest
import torch

import onnxop_runtime
from tests.tiers import nightly

pytestmark = pytest.mark.filterwarnings("ignore")  # the exporters'

SPEC = """
[op]
schema = "sizes_lib::same(Tensor x) -> Tensor"

[onnx]
opset = 18
mapping = "MAPPING"
"""


@pytest.fixture(scope="module", autouse=True)
def library() -> Iterator[None]:
    library: Any = torch.library.Library("sizes_lib", "DEF")  # type: ignore[no-untyped-call]
    library.define("same(Tensor x) -> Tensor")
    library.impl("same", lambda x: x * 1.0, "CompositeExplicitAutograd")
    yield
    library._destroy()


def same(x: torch.Tensor) -> torch.Tensor:
    result: torch.Tensor = torch.ops.sizes_lib.same(x)
    return result


class OfInput(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return same(x)


class OfParameter(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(2, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return same(self.weight) + x


class OfConstant(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return same(torch.ones(2, 4)) + x


class OfResult(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return same(x.reshape(-1, 2, 2))


def error_of(model: torch.nn.Module, mapping: str, path: Path, *, dynamo: bool, domain: str) -> str:
    """Export a model whose first dimension is dynamic; return the message of the error, if there is
    one.
    """
    operators = onnxop_runtime.register(SPEC.replace("MAPPING", mapping))
    x = torch.randn(2, 4)
    dynamic: dict[str, Any] = {"dynamic_shapes": ({0: torch.export.Dim.DYNAMIC},)}
    if not dynamo:
        dynamic = {"input_names": ["x"], "dynamic_axes": {"x": {0: "n"}}}
    if isinstance(model, OfParameter | OfConstant):
        dynamic = {}  # they add the input to a tensor of two rows
    try:
        onnxop_runtime.export(model.eval(), (x,), path, dynamo=dynamo, domain=domain, **dynamic)
    except Exception as error:  # noqa: BLE001 - the exporters wrap it
        while error.__cause__ is not None:
            error = error.__cause__  # type: ignore[assignment]
        return str(error)
    finally:
        onnxop_runtime.unregister(operators)
    session = onnxruntime.InferenceSession(path.read_bytes())
    (result,) = session.run(None, {session.get_inputs()[0].name: x.numpy()})
    np.testing.assert_allclose(result, model(x).detach().numpy(), rtol=1e-6)
    return ""


@pytest.mark.parametrize("domain", ["", nightly("sizes_lib")])
@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
@pytest.mark.parametrize("kind", [OfInput, OfParameter, OfConstant, OfResult])
def test_a_static_size_is_known(
    kind: type[torch.nn.Module], dynamo: bool, domain: str, tmp_path: Path
) -> None:
    mapping = "op.Mul(x, 1.0 if rank(x) > 1 and x.shape[1] > 1 else 2.0)"
    assert error_of(kind(), mapping, tmp_path / "m.onnx", dynamo=dynamo, domain=domain) == ""


@pytest.mark.parametrize("domain", ["", nightly("sizes_lib")])
@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
@pytest.mark.parametrize("kind", [OfInput, OfResult])
def test_a_dynamic_size_is_named_in_the_error(
    kind: type[torch.nn.Module], dynamo: bool, domain: str, tmp_path: Path
) -> None:
    mapping = "op.Mul(x, float(x.shape[0]))"
    message = error_of(kind(), mapping, tmp_path / "m.onnx", dynamo=dynamo, domain=domain)
    assert "the size of dimension 0" in message


@pytest.mark.parametrize("domain", ["", nightly("sizes_lib")])
@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
@pytest.mark.parametrize(
    "mapping",
    [
        "op.MatMul(x, [[1.0 if i == k else 0.0 for k in range(4)] for i in range(4)])",
        "op.MatMul(x, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], list([0, 0, 0, 1])])",
        "op.Add(x, op.Squeeze(op.Cast([[[0, 0, 0, 0]]], to=1), [0]))",
    ],
)
def test_sizes_of_an_input_are_known(
    mapping: str, dynamo: bool, domain: str, tmp_path: Path
) -> None:
    assert error_of(OfInput(), mapping, tmp_path / "m.onnx", dynamo=dynamo, domain=domain) == ""
