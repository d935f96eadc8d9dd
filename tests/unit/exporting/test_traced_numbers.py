"""Numbers that a model's code makes of tensors: sizes of the file stay dynamic."""

from __future__ import annotations

import builtins
import importlib.util
import math
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

import onnxop_runtime
from onnxop_runtime.torch_internals import TracerWarning

pytestmark = pytest.mark.filterwarnings("ignore")

COUNTED = """
import math

import torch


class Model(torch.nn.Module):
    def forward(self, x, lengths):
        assert isinstance(3, int) and not isinstance(3.0, int)
        most = int(lengths.max())
        rows, columns = map(int, x.shape)
        mask = torch.arange(most)[None] < lengths[:, None]
        half = int(columns / 2)
        return (
            mask,
            torch.zeros(most, int("2")),
            x[:, :half],
            x.new_ones(math.floor(rows / 2), math.ceil(rows / 2)),
            x.reshape(int(rows * columns)),
            x * int(self.scale) + round(columns / 4),
        )

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(3))
"""


@pytest.fixture
def module(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ModuleType]:
    """A module of this text, as a model's library has it."""
    path = tmp_path / "library_of_integers.py"
    path.write_text(request.param, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    imported = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = imported
    spec.loader.exec_module(imported)
    yield imported
    del sys.modules[path.stem]


def check(
    model: torch.nn.Module, path: Path, rows: int, columns: int, *lengths_to_run: int
) -> None:
    """Compare the file that was exported at one size with the model at another."""
    example = torch.rand(3, 6), torch.tensor([1, 5])
    axes = {"x": [0, 1], "lengths": [0]}
    onnxop_runtime.export(model, example, path, dynamo=False, dynamic_axes=axes)
    x, lengths = torch.rand(rows, columns), torch.tensor(lengths_to_run)
    expected = model(x, lengths)
    results = onnxop_runtime.session(path).run(None, {"x": x.numpy(), "lengths": lengths.numpy()})
    for result, tensor in zip(results, expected, strict=True):
        torch.testing.assert_close(torch.from_numpy(result), tensor)


@pytest.mark.parametrize("module", [COUNTED], indirect=True)
def test_they_stay_dynamic(module: ModuleType, tmp_path: Path) -> None:
    check(module.Model().eval(), tmp_path / "model.onnx", 5, 11, 2, 7, 3)
    assert "int" not in vars(module)
    assert builtins.int(2.5) == 2
    assert math.floor(torch.tensor(2.5)) == 2
    assert not {"__int__", "__floor__", "__round__"} & {*vars(torch.Tensor)}


@pytest.mark.parametrize(
    "module",
    [
        COUNTED.replace("most = int(lengths.max())", "most = {5: 5, 7: 7}[int(lengths.max())]"),
        COUNTED.replace("assert isinstance(3, int)", "assert type(3) is int"),
    ],
    indirect=True,
)
def test_a_model_that_needs_numbers_gets_them(module: ModuleType, tmp_path: Path) -> None:
    """As a key, or as it asks for their type: the file has the numbers of the trace."""
    check(module.Model().eval(), tmp_path / "model.onnx", 3, 6, 4, 5)
    assert "int" not in vars(module)


SCALED = """
import math

import torch


class Model(torch.nn.Module):
    def forward(self, x, lengths):
        assert isinstance(3.0, float) and not isinstance(3, float)
        rows, columns = x.shape
        most = max(2, min(int(lengths.max()), rows, 6))
        return (
            x.topk(min(4, columns), 1).values,
            x[: max(rows // 2, 1)],
            torch.arange(most),
            x / math.sqrt(columns) * math.log(rows, 512) + float(rows) * math.pi,
            x + min(2, 1) + max([1, 2]) + max(2.5, float("3")) + math.sqrt(self.scale),
            lengths * 2,
        )

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor(3))
"""


@pytest.mark.slow
@pytest.mark.parametrize("module", [SCALED], indirect=True)
@pytest.mark.parametrize("sizes", [(5, 11), (1, 2), (9, 3)])
def test_bounds_and_functions_of_math(
    module: ModuleType, tmp_path: Path, sizes: tuple[int, int]
) -> None:
    """On both sides of each bound."""
    check(module.Model().eval(), tmp_path / "model.onnx", *sizes, 2, 7, 3)
    assert not {"int", "float", "min", "max"} & {*vars(module)}
    assert vars(module)["math"] is math
    assert not {"__int__", "__float__", "__bool__"} & {*vars(torch.Tensor)}


@pytest.mark.parametrize(
    "module",
    [
        SCALED.replace("import math\n", "import math\n\n\ndef min(*n):\n    return n[0]\n"),
        SCALED.replace("x.topk(min(4, columns), 1)", "x.topk({6: 4}[min(6, int(columns))], 1)"),
    ],
    indirect=True,
)
def test_functions_of_numbers_that_a_module_needs(module: ModuleType, tmp_path: Path) -> None:
    """Its own function of such a name, and numbers as keys."""
    check(module.Model().eval(), tmp_path / "model.onnx", 3, 6, 1, 5)


BRANCHING = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.shape[0] > 2 else x
"""


@pytest.mark.parametrize("module", [BRANCHING], indirect=True)
def test_warnings_are_at_the_lines_of_the_model(module: ModuleType, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        onnxop_runtime.export(module.Model(), (torch.ones(3),), tmp_path / "m.onnx", dynamo=False)
    places = [(w.filename, w.lineno) for w in caught if issubclass(w.category, TracerWarning)]
    assert places == [(module.__file__, 7)]
