"""The runtime's comparison of results: the only definition of right."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

import onnxop_runtime
from onnxop_runtime.verification.comparison import compare
from onnxop_runtime.verification.runners import count_nodes, loaded

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("expected", "actual", "is_right"),
    [
        ([1.0, NAN, INF], [1.0, NAN, INF], True),
        ([1.0], [1.00005], True),
        ([1.0], [1.001], False),
        ([NAN], [1.0], False),
        ([1.0], [NAN], False),
        ([INF], [1e30], False),
        ([INF], [-INF], False),
        ([], [], True),
    ],
)
def test_values(expected: list[float], actual: list[float], is_right: bool) -> None:
    arrays = [np.array(values, np.float32) for values in (expected, actual)]
    assert (not compare(arrays[:1], arrays[1:])[1]) is is_right


def test_dtypes_and_shapes() -> None:
    ones = np.ones((2, 3), np.float32)
    assert compare([ones], [ones.astype(np.float64)])[1] == [
        "output 0 is float64[2, 3], not float32[2, 3]"
    ]
    assert compare([ones], [ones[0]])[1] == ["output 0 is float32[3], not float32[2, 3]"]
    assert compare([ones], [])[1] == ["0 outputs instead of 1"]


def test_files_that_are_no_model(tmp_path: Path) -> None:
    """A named pipe would be waited for, and ONNX Runtime does not open a name that is not UTF-8."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe is not an ONNX file, because it is no file"):
        loaded(tmp_path / "pipe")
    odd = tmp_path / os.fsdecode(b"\xff.onnx")
    odd.write_bytes(b"")
    with pytest.raises(ValueError, match="is not UTF-8, and ONNX Runtime opens no such file"):
        loaded(odd)


FUNCTION = '<domain: "f", opset_import: ["" : 18, "f" : 1]>'


def functions(*definitions: str) -> onnx.ModelProto:
    head = '<ir_version: 8, opset_import: ["" : 18, "f" : 1]>'
    graph = "g (float[2] x) => (float[2] y) { y = f.A (x) }"
    text = "\n".join([head, graph, *(f"{FUNCTION} {definition}" for definition in definitions)])
    return onnx.parser.parse_model(text)


def test_nodes_within_functions() -> None:
    model = functions("A (x) => (y) { z = f.B (x) y = f.B (z) }", "B (x) => (y) { y = Neg (x) }")
    counts, bare = count_nodes(model)
    assert (dict(counts), bare) == ({("f", "A"): 1, ("f", "B"): 2, ("", "Neg"): 2}, [])
    with pytest.raises(ValueError, match="the function f::A calls itself"):
        count_nodes(functions("A (x) => (y) { y = f.B (x) }", "B (x) => (y) { y = f.A (x) }"))


class Sampled(torch.nn.Module):
    def forward(self, x: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.grid_sample(x, grid, align_corners=False)


def test_a_limit_of_the_reference_is_told_as_one(tmp_path: Path) -> None:
    """onnx.reference has GridSample before opset 20 in part only."""
    head = '<ir_version: 8, opset_import: ["" : 16]>'
    graph = "g (float[1, 1, 3, 4] x, float[1, 2, 2, 2] grid) => (float[1, 1, 2, 2] y)"
    model = onnx.parser.parse_model(
        f'{head} {graph} {{ y = GridSample <mode = "bilinear"> (x, grid) }}'
    )
    onnx.save(model, tmp_path / "model.onnx")
    arguments = (torch.rand(1, 1, 3, 4), torch.rand(1, 2, 2, 2))
    result = onnxop_runtime.verify(Sampled(), arguments, f=tmp_path / "model.onnx")
    assert result.missing["onnx.reference"].startswith("a limit of onnx.reference: RuntimeError: ")


def test_arguments_without_effect_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    with pytest.raises(ValueError, match="two files, the model and f='other.onnx'"):
        onnxop_runtime.verify(file, torch.ones(2), f="other.onnx")
    with pytest.raises(ValueError, match="got dynamo and opset, which only an export takes"):
        onnxop_runtime.verify(file, torch.ones(2), dynamo=False, opset=18)
    with pytest.raises(ValueError, match="got opset_version, which only an export takes"):
        onnxop_runtime.verify(Sampled(), (), f=file, opset_version=18)


class Large(torch.nn.Module):
    """Loses digits of its argument."""

    def __init__(self, number: float) -> None:
        super().__init__()
        self.number = number

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.number - self.number


def added(path: Path, dtype: str, number: float) -> Path:
    """Write a file that adds a number to its input."""
    head = '<ir_version: 8, opset_import: ["": 18]>'
    constant = f"c = Constant <value = float {{{number}}}> () n = CastLike (c, x)"
    text = f"{head} g ({dtype}[50] x) => ({dtype}[50] y) {{ {constant} y = Add (x, n) }}"
    onnx.save(onnx.parser.parse_model(text), path)
    return path


@pytest.mark.parametrize(
    ("dtype", "name", "large", "error"),
    [(torch.float32, "float", 1e4, 2e-3), (torch.float16, "float16", 40.0, 0.2)],
)
def test_rounding_is_right(
    tmp_path: Path, dtype: torch.dtype, name: str, large: float, error: float
) -> None:
    """PyTorch's own error is as large; without it, or with a tolerance of the caller's,
    nothing is.
    """
    torch.manual_seed(0)
    model, x = Large(large), torch.rand(50).to(dtype)
    exact = added(tmp_path / "exact.onnx", name, 0.0)
    verification = onnxop_runtime.verify(model, x, f=exact)
    assert verification.remarks["ONNX Runtime"] == "right except for rounding"
    assert "e-04 (right except for rounding)" in str(verification) or name == "float16"
    wrong = added(tmp_path / "wrong.onnx", name, error)
    with pytest.raises(AssertionError, match="50 of 50 elements differ by more than"):
        onnxop_runtime.verify(model, x, f=wrong)
    with pytest.raises(AssertionError, match=r"elements differ by more than 1e-05 \+ 0.0001"):
        onnxop_runtime.verify(model, x, f=exact, atol=1e-5, rtol=1e-4)
    with pytest.raises(AssertionError, match="50 of 50 elements differ by more than"):
        onnxop_runtime.verify(Large(0.0), x, f=wrong)


@pytest.mark.parametrize(
    ("others", "type_name"),
    [(torch.ones(2), "they are of type Tensor"), ([[torch.ones(2)]], "one is of type list")],
)
def test_more_arguments_of_another_type_are_refused(others: Any, type_name: str) -> None:
    with pytest.raises(TypeError, match=type_name):
        onnxop_runtime.verify(torch.nn.ReLU(), (torch.ones(3),), others=others)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "message"),
    [
        (torch.ones(4, 2), r'dimension 0 of input is 3 .* 4 in a call; .*\{"input": \[0\]\}'),
        (torch.ones(3), "input has 2 dimensions in the file, but 1 in a call"),
    ],
)
def test_sizes_that_the_file_has_not_are_refused(other: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        onnxop_runtime.verify(
            torch.nn.ReLU().eval(), (torch.ones(3, 2),), others=[(other,)], opset_version=18
        )
