"""A file that somebody else's code exports, compared with PyTorch."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from torch import Tensor

from onnxop_runtime.exporting.call.watched import ExportCall
from onnxop_runtime.verification import exported
from onnxop_runtime.verification.exported import NotCompared, call_of
from onnxop_runtime.verification.model_call import ModelCall

FILE = """
<ir_version: 8, opset_import: ["": 18]>
graph (float[n, 2] x) => (float[n, 2] y) { y = OP (x) }
"""


class Net(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.relu()


def call(model: torch.nn.Module, **options: Any) -> ModelCall:
    return call_of(ExportCall(True, model.eval(), (torch.randn(3, 2),), None, options))


def file(op: str) -> bytes:
    content: bytes = onnx.parser.parse_model(FILE.replace("OP", op)).SerializeToString()
    return content


def test_a_right_file_is_right_at_other_sizes() -> None:
    verdict, comparisons = exported.verify(call(Net()), file("Relu"))
    assert str(verdict) == "right: PyTorch's values, worst absolute error 0.0e+00, also at x[4, 2]"
    assert [comparison.sizes for comparison in comparisons] == ["", "x[4, 2]"]


def test_a_wrong_file() -> None:
    verdict, _ = exported.verify(call(Net()), file("Neg"))
    assert str(verdict).startswith("WRONG: ")


@pytest.mark.slow
def test_a_file_that_only_the_optimizations_make_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime's fusions of quantised products, for example, take scales of the wrong axis."""
    right, load = file("Relu"), exported.load

    def loaded(content: object, *, is_optimized: bool = True) -> Any:
        return load(file("Neg") if is_optimized else content)

    monkeypatch.setattr(exported, "load", loaded)
    note = "right without ONNX Runtime's optimizations (ORT_DISABLE_ALL)"
    verdict, comparisons = exported.verify(call(Net()), right)
    assert str(verdict).startswith("WRONG: ")
    assert str(verdict).endswith(f"; {note}")
    assert str(exported.verdict_of(right, comparisons)) == str(verdict)
    monkeypatch.undo()
    assert note not in str(exported.verify(call(Net()), file("Neg"))[0])


class Detector(torch.nn.Module):
    """Returns the rows above a score that none reaches."""

    def forward(self, x: Tensor) -> Tensor:
        return x[x[:, 0] > 1e9]


def test_a_right_file_whose_results_are_empty() -> None:
    nothing = """
<ir_version: 8, opset_import: ["": 18]>
graph (float[n, 2] x) => (float[k, 2] y) {
    least = Constant <value = float {1e9}> ()
    axes = Constant <value_ints = [1]> ()
    score = ReduceMax <keepdims = 0> (x, axes)
    kept = Greater (score, least)
    y = Compress <axis = 0> (x, kept)
}
"""
    content = onnx.parser.parse_model(nothing).SerializeToString()
    verdict, _ = exported.verify(call(Detector()), content)
    assert str(verdict).startswith("right, but no value was compared: all results are empty")


OTHERS = """
<ir_version: 8, opset_import: ["": 18]>
graph (float[400, 2] x) => (float[300, 2] y) { NODES }
"""


class Best(torch.nn.Module):
    """Returns the rows of the best scores, of which many are 0."""

    def forward(self, x: Tensor) -> Tensor:
        scores = (x.sum(1) - 1.9).relu()
        return x[scores.topk(300).indices] + 1e3 - 1e3


BEST = """
axes = Constant <value = int64[1] {1}> ()
sums = ReduceSum <keepdims = 0> (x, axes)
least = Constant <value = float {1.9}> ()
k = Constant <value = int64[1] {300}> ()
less = Sub (sums, least)
scores = Relu (less)
values, indices = TopK (scores, k)
y = Gather (x, indices)
"""


@pytest.mark.parametrize(
    ("nodes", "text"),
    [
        (BEST, "right except for the order of equal values: output 0: "),
        (
            f"{BEST.replace('y =', 'z =')} t = Constant <value = float {{0.002}}> () y = Add (z, t)",
            "WRONG: ",
        ),
        (BEST.replace("Relu (less)", "Neg (less)"), "WRONG: "),
    ],
    ids=["right", "two_thousandths", "least"],
)
def test_what_pytorch_leaves_open(nodes: str, text: str) -> None:
    """A file may have the order of equal values, and rounding, of ONNX Runtime; not other
    values.
    """
    model = onnx.parser.parse_model(OTHERS.replace("NODES", nodes))
    torch.manual_seed(0)
    example = ExportCall(True, Best().eval(), (torch.rand(400, 2),), None, {})
    verdict, comparisons = exported.verify(call_of(example), model.SerializeToString())
    assert str(verdict).startswith(text)
    copied = pickle.loads(pickle.dumps(comparisons))
    assert str(exported.verdict_of(model.SerializeToString(), copied)) == str(verdict)


class Pairs(torch.nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.conj()


@pytest.mark.filterwarnings("ignore")
def test_complex_numbers_are_pairs() -> None:
    example = ExportCall(True, Pairs().eval(), (torch.rand(3, dtype=torch.complex64),), None, {})
    stock: Any = torch.onnx.export
    program = stock(example.model, example.args, dynamo=True, verbose=False)
    content = program.model_proto.SerializeToString()
    assert str(exported.verify(call_of(example), content)[0]).startswith("right: ")


def test_a_file_that_runtimes_refuse() -> None:
    verdict = exported.verdict_of(b"nothing", [])
    assert str(verdict).startswith("WRONG: ONNX Runtime does not load it: ")


class Counting(torch.nn.Module):
    """Returns other values at each call."""

    def __init__(self) -> None:
        super().__init__()
        self._count = 0

    def forward(self, x: Tensor) -> Tensor:
        self._count += 1
        return x + self._count


def test_values_that_differ_from_call_to_call() -> None:
    with pytest.raises(NotCompared, match="PyTorch's own values differ from call to call"):
        exported.verify(call(Counting()), file("Neg"))


def test_inputs_of_another_model() -> None:
    two = FILE.replace("(float[n, 2] x)", "(float[n, 2] x, float[2] z)").replace("OP", "Relu")
    with pytest.raises(NotCompared, match="the file has the inputs"):
        exported.verify(call(Net()), onnx.parser.parse_model(two).SerializeToString())


class UsesOne(torch.nn.Module):
    def forward(self, unused: Tensor, x: Tensor) -> Tensor:
        return x.relu()


def test_a_file_without_an_unused_input() -> None:
    args = (torch.randn(5), torch.randn(3, 2))
    one = call_of(ExportCall(True, UsesOne().eval(), args, None, {}))
    verdict, comparisons = exported.verify(one, file("Relu"))
    assert str(verdict).endswith("worst absolute error 0.0e+00, also at x[4, 2]")
    assert [comparison.names for comparison in comparisons] == [["unused", "x"]] * 2


@pytest.mark.filterwarnings("ignore")
def test_a_file_without_an_unused_input_and_names(tmp_path: Path) -> None:
    """The TorchScript exporter names inputs by their places."""
    model, args = UsesOne().eval(), (torch.randn(5), torch.randn(3, 2))
    path = tmp_path / "m.onnx"
    torch.onnx.export(model, args, path, dynamo=False, verbose=False)
    one = call_of(ExportCall(False, model, args, None, {}))
    verdict, comparisons = exported.verify(one, path.read_bytes())
    assert str(verdict) == "right: PyTorch's values, worst absolute error 0.0e+00"
    assert [comparison.names for comparison in comparisons] == [["unused", "onnx::Relu_1"]]


def test_a_comparison_leaves_the_model_as_it_was() -> None:
    model = torch.nn.BatchNorm1d(2).train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    call_of(ExportCall(True, model, (torch.randn(3, 2),), None, {})).results()
    assert model.training
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_bytes_of() -> None:
    assert exported.bytes_of(io.BytesIO(b"model")) == b"model"
    assert exported.bytes_of("m.onnx") == "m.onnx"
