"""Operators that replace a model's own functions during export."""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import pytest
import torch

import onnxop_runtime
from onnxop import cli
from onnxop_runtime.operator import originals
from tests.programs import folder, program
from tests.warm import Warm

SOURCE = program("replaced/source")
ITSELF = program("replaced/itself")


@pytest.fixture
def model() -> Iterator[Any]:
    """Make a module of a model's functions, and another that imports one of them under another
    name.
    """
    module, other = types.ModuleType("a_model"), types.ModuleType("a_user")
    sys.modules["a_model"] = module
    exec(SOURCE, module.__dict__)  # noqa: S102 - our own
    other.scale = module.Scaled.apply  # type: ignore[attr-defined]
    sys.modules["a_user"] = other
    yield module
    del sys.modules["a_model"], sys.modules["a_user"]


def halved(x: torch.Tensor, *, times: int = 1) -> torch.Tensor:
    return x.mul(0.5**times)


@pytest.mark.filterwarnings("ignore")  # warnings of the exporters, and about numbers in a trace
@pytest.mark.parametrize("dynamo", [False, True])
def test_a_model_of_functions(model: Any, tmp_path: Path, dynamo: bool) -> None:
    net, x = model.Net().eval(), torch.rand(2, 3)
    expected = net(x).numpy()
    before = model.halved, model.Layer.own, model.Layer.shifted
    replacements: dict[Any, Any] = {
        model.Scaled.apply: lambda x, scale: x * scale,
        "a_model.Pair.apply": lambda x, by: (x + by, x - by),
        "a_model.Layer.shifted": lambda layer, x: x + layer.by,
        model.halved: halved,
    }
    with onnxop_runtime.replaced(replacements):
        onnxop_runtime.export(net, (x,), tmp_path / "net.onnx", dynamo=dynamo)
    session = onnxruntime.InferenceSession(tmp_path / "net.onnx")
    (name,) = (port.name for port in session.get_inputs())
    np.testing.assert_allclose(session.run(None, {name: x.numpy()})[0], expected, rtol=1e-6)
    assert before == (model.halved, model.Layer.own, model.Layer.shifted)
    assert "apply" not in {*vars(model.Scaled), *vars(model.Pair)}
    np.testing.assert_array_equal(net(x).numpy(), expected)


def test_by_every_name(model: Any) -> None:
    user: Any = sys.modules["a_user"]
    x = torch.ones(2)
    with onnxop_runtime.replaced({"a_model.Scaled.apply": lambda x, scale: x - scale}):
        assert user.scale(x, 2.0).tolist() == model.Scaled.apply(x, 2.0).tolist() == [-1.0, -1.0]
        assert model.Further.apply(x, 2.0).tolist() == [2.0, 2.0]  # another function
    assert user.scale(x, 2.0).tolist() == model.Scaled.apply(x, 2.0).tolist() == [2.0, 2.0]


def test_of_a_module_that_another_one_alone_holds(model: Any) -> None:
    """Replace a function of a module that is not in sys.modules, like
    `torch.utils.cpp_extension.load` returns.
    """
    model.ext = types.ModuleType("an_ext")
    model.ext.tripled = tripled = eval("lambda x: x * 3")
    for function in ("a_model.ext.tripled", tripled):
        with onnxop_runtime.replaced({function: halved}):
            assert model.ext.tripled(torch.ones(1)).tolist() == [0.5]
        assert model.ext.tripled is tripled


def test_methods_are_given_their_module(model: Any) -> None:
    class Own(model.Layer):  # type: ignore[misc]
        pass

    model.Own = Own
    replacements: dict[Any, Any] = {
        "a_model.Own.shifted": lambda *args: len(args),
        "torch.Tensor.relu": lambda *args: len(args),
    }
    x = torch.ones(2)
    with onnxop_runtime.replaced(replacements):
        counts: list[Any] = [Own().shifted(x), model.Layer().shifted(x), x.relu()]
        assert counts == [2, 2, 1]
    assert Own().shifted(x).tolist() == [4.0, 4.0]
    assert x.relu().tolist() == [1.0, 1.0]


def test_what_is_imported_meanwhile(model: Any) -> None:
    user: Any = sys.modules["a_user"]
    with onnxop_runtime.replaced({"a_model.halved": halved}):
        user.late = model.halved
        user.late(torch.ones(1))
    assert user.late is model.halved


def test_undone_after_an_error(model: Any) -> None:
    with pytest.raises(KeyError), onnxop_runtime.replaced({model.halved: halved}):
        raise KeyError
    assert model.halved is not halved
    assert model.Layer.own is model.halved


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("a_model.Scaled.apply", "nothing called a_model.Scaled.apply in this block; name"),
        ("a_model.Nope.apply", "a_model.Nope.apply: a_model has no Nope"),
        ("a_model.Scaled.nope", "a_model.Scaled.nope: Scaled has no nope"),
        ("no_such.f", "no_such.f: there is no module 'no_such'"),
        ("f", "f: there is no module 'f'"),
        ("..", r"\.\.: write the dotted name of a function"),
        ("builtins.len", "builtins.len: write the dotted name of a function"),
        (lambda x: x, "<lambda> is not in an imported module; give its dotted name"),
    ],
)
def test_what_cannot_be(model: Any, target: Any, message: str) -> None:
    with (
        pytest.raises(ValueError, match=r"\A.*" + message),
        onnxop_runtime.replaced({target: halved}),
    ):
        pass


def test_classes(model: Any) -> None:
    x = torch.rand(2, 3)
    with onnxop_runtime.replaced({model.Scaled: lambda x, scale: x - scale}):
        assert torch.equal(model.Scaled.apply(x, 2.0), x - 2.0)
    with onnxop_runtime.replaced({"a_model.Shift": lambda x, by=1.0: x - by}):
        assert torch.equal(model.Shift()(x), x - 1.0)
        assert torch.equal(model.Shift()(x, by=2.0), x - 2.0)
    assert torch.equal(model.Shift()(x), x + 3.0)


@pytest.mark.parametrize(
    ("target", "text", "call", "expected"),
    [
        ("a_model.Scaled", "torch.add(x, scale)", lambda m, x: m.Scaled.apply(x, 2.0), 3.0),
        ("a_model.Split", "torch.add(x, parts[0])", lambda m, x: m.Split.apply(x, [4, 5]), 5.0),
        ("a_model.halved", "torch.mul(x, 10 * times)", lambda m, x: m.halved(x), 10.0),
        ("a_model.halved", "torch.neg", lambda m, x: m.halved(x), -1.0),
        ("a_model.Shift", "torch.sub(x, other=by)", lambda m, x: m.Shift()(x), -2.0),
        ("a_model.Shift", "torch.sub(x, 2 * self.training)", lambda m, x: m.Shift()(x), -1.0),
        ("a_model.Layer.shifted", "torch.sub(x, self.by)", lambda m, x: m.Layer().shifted(x), -2.0),
    ],
)
def test_calls_as_text(model: Any, target: str, text: str, call: Any, expected: float) -> None:
    with onnxop_runtime.replaced({target: text}):
        assert call(model, torch.tensor(1.0)).item() == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("torch.neg(y)", "uses y, but the parameters of a_model.halved are x and times"),
        ("torch.neg(tines)", "did you mean times"),
        ("torch.neg(x", "is not Python"),
        ("x + 1", "is neither a dotted name nor a call of one; write"),
        ("torch.no_such(x)", "torch.no_such: torch has no no_such"),
        ("no_such.f(x)", "no_such.f: there is no module 'no_such'"),
    ],
)
def test_what_is_no_call(model: Any, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        onnxop_runtime.replaced({"a_model.halved": text}).__enter__()


def test_the_originals_again(model: Any) -> None:
    x = torch.rand(2, 3)
    with onnxop_runtime.replaced({model.halved: "torch.neg", model.Shift: "torch.neg(x)"}):
        with originals.restored():
            assert torch.equal(model.halved(x), x / 2)
            assert torch.equal(model.Shift()(x), x + 3.0)
        assert torch.equal(model.halved(x), -x)
        assert torch.equal(model.Shift()(x), -x)


def test_a_replacement_calls_the_original(model: Any) -> None:
    x = torch.rand(2, 3)

    def doubled(x: torch.Tensor, *, times: int) -> torch.Tensor:
        half: torch.Tensor = model.halved(x, times=times)
        return 2 * half

    with onnxop_runtime.replaced({"a_model.halved": doubled}):
        with pytest.raises(TypeError, match="missing 1 required keyword-only argument"):
            model.halved(x)
        assert torch.equal(model.halved(x, times=2), x / 2)
        assert torch.equal(model.Layer.own(x, times=3), x / 4)


@pytest.mark.nightly
@pytest.mark.slow
def test_a_package_calls_the_original(many_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check that references and composed kernels call the functions that their operators
    replace.
    """
    package = tmp_path / "own_gelu"
    assert cli.main(["new", str(folder("replaced") / "own_gelu.toml"), str(package)]) == 0
    path = str(package / "src")
    output = warm.checked("-W", "ignore", "-c", ITSELF, cwd=tmp_path, PYTHONPATH=path)
    assert output.endswith("done\n")


def test_only_functions_are_replaced(model: Any) -> None:
    with pytest.raises(TypeError, match="the replacement is not a function, but 3"):
        onnxop_runtime.replaced({model.halved: 3}).__enter__()  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="a_model.__name__ is 'a_model', not a function"):
        onnxop_runtime.replaced({"a_model.__name__": halved}).__enter__()
    with pytest.raises(TypeError, match=r"neither a torch\.nn\.Module nor .* as .*Context\.method"):
        onnxop_runtime.replaced({"a_model.Context": halved}).__enter__()
    with pytest.raises(TypeError, match="is not a function"):
        onnxop_runtime.replaced({model: halved}).__enter__()
    with pytest.raises(TypeError, match="takes a dictionary, not None"):
        onnxop_runtime.replaced(None).__enter__()  # type: ignore[arg-type]
