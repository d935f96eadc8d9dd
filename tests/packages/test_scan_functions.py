"""Models of control flow, of TorchScript, and with functions of their own."""

from __future__ import annotations

import inspect
import tomllib
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.errors import OnnxopError
from onnxop.scan.calls import traces
from onnxop.starter.own_functions import of_function
from onnxop.trial.call import Call
from onnxop_runtime import processes
from tests.packages.scanning import scanned
from tests.programs import program
from tests.warm import Warm

WITHOUT_TRACE = program("scan/without_trace")


@pytest.mark.nightly
def test_a_model_of_control_flow(warm: Warm, tmp_path: Path) -> None:
    """Both branches are looked at, whichever is taken."""
    status, output = scanned(WITHOUT_TRACE, warm, tmp_path, "--exporter", "dynamo")
    assert status == 1
    (erfinv,) = output["findings"]
    assert erfinv["op"] == "aten::erfinv"


STATE = program("scan/state")


@pytest.mark.nightly
def test_a_model_that_writes_to_its_buffers(warm: Warm, tmp_path: Path) -> None:
    """Each call, and each export, begins with them as they were: nothing is random. A trace leaves
    its own values in them, from which a fresh model's call differs.
    """
    status, output = scanned(STATE, warm, tmp_path)
    assert (status, output["findings"]) == (0, [])
    dynamo, torchscript = output["whole"]
    assert dynamo["kind"] == "right"
    assert (torchscript["kind"], torchscript["fault"]) == ("values", "buffers")
    assert output["written_buffers"] == ["seen"]
    told = " ".join(output["next"])
    assert "dynamo=True" in told
    assert "The file keeps nothing of what forward writes to the buffer seen" in told


WITHIN = program("scan/within")


@pytest.mark.nightly
def test_calls_within_a_loop_and_a_vmap(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(WITHIN, warm, tmp_path)
    assert {finding["op"] for finding in output["findings"]} == {"aten::erfinv", "aten::lgamma"}
    assert output["whole"][1]["kind"] == "export"
    assert any(
        note.startswith("torch.jit.trace cannot trace the model") for note in output["notes"]
    )


SCRIPTED = program("scan/scripted")


@pytest.mark.nightly
def test_scripted_code_within_a_trace(warm: Warm, tmp_path: Path) -> None:
    """Calls in it are seen; of loops and conditions, those that torch.export sees are tried instead."""
    options = ["--exporter", "TorchScript"]
    _, output = scanned(SCRIPTED, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert (finding["op"], finding["count"]) == ("aten::erfinv", 1)
    assert [place["code"] for place in finding["places"]] == ["return torch.erfinv(x / 2)"]
    _, output = scanned(
        SCRIPTED.replace("return squashed(x)", "return rounds(x, 2)"), warm, tmp_path, *options
    )
    assert output["notes"][0].startswith("Scan cannot read the graph of torch.jit.trace: ")
    assert "it contains scripted code, prim::Loop" in output["notes"][0]


def test_a_model_that_torch_jit_load_gives(tmp_path: Path) -> None:
    """Its functions are no longer known by name."""

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return _twice(x) - 1

    jit: Any = torch.jit
    with processes.quiet():
        jit.save(jit.script(Net()), tmp_path / "net.pt")
        loaded = jit.load(tmp_path / "net.pt")
        traced = traces.calls_in_trace(Call(loaded, (torch.ones(2),)))
    assert [call.op for call in traced] == ["aten::mul", "aten::sub"]


def _twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


MASKS = program("scan/masks")


@pytest.mark.everything
def test_a_detector_with_a_scripted_loop(warm: Warm, tmp_path: Path) -> None:
    """Right but for the rounding of 50 layers; at other sizes a trace of torchvision's resizes is not."""
    assert scanned(MASKS, warm, tmp_path, "--exporter", "TorchScript", "--static")[0] == 0


OWN = program("scan/own")


@pytest.mark.nightly
def test_an_operator_of_the_models_own_module(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(OWN, warm, tmp_path, "--exporter", "dynamo", "--write", "specs")
    (finding,) = output["findings"]
    assert [remedy["text"] for remedy in finding["remedies"]] == [
        "complete a starter: onnxop new --from acme::squash --requires net"
    ]
    spec = (tmp_path / "specs" / "squash.toml").read_text(encoding="utf-8")
    assert 'requires = ["net"]' in spec
    assert 'source = "squash.h"' in spec  # as the dynamo exporter does not write it either
    _, output = scanned(OWN, warm, tmp_path, "--exporter", "dynamo", "--write", "specs")
    (remedy,) = output["findings"][0]["remedies"]
    assert remedy["text"] == (
        "your spec for acme::squash; its kernel specs/squash.h is a skeleton: write its compute(), "
        "and scan again with --build"
    )


MAKE = program("scan/make")


OWN_FUNCTIONS = program("scan/own_functions")


def test_functions_of_the_models_own(warm: Warm, tmp_path: Path) -> None:
    status, output = scanned(OWN_FUNCTIONS, warm, tmp_path, "--write", "specs")
    assert status == 1
    (function,) = output["functions"]
    assert function["name"] == "net.Scale.apply"
    call = "(float32[2, 3], 2.0, [2, 3]) -> [float32[2, 3], float32[2]]"
    assert function["call"] == f"net.Scale.apply{call}"
    assert [place["line"] for place in function["places"]] == [14, 15]
    assert 'replaced({"net.Scale.apply": my_ops.scale})' in function["remedy"]
    spec = (tmp_path / "specs" / "scale.toml").read_text(encoding="utf-8")
    schema = "my_lib::scale(Tensor x, float by, int[] sizes) -> (Tensor, Tensor)"
    assert tomllib.loads(spec)["op"]["schema"] == schema
    assert (tmp_path / "specs" / "scale.h").exists()


COMPOSED = program("scan/composed")


@pytest.mark.nightly
def test_specs_of_functions_by_their_names(warm: Warm, tmp_path: Path) -> None:
    """Of a model's call; with PyTorch's operators, where these compose it."""
    (tmp_path / "net.py").write_text(COMPOSED, encoding="utf-8")
    new = ["-W", "ignore", "-m", "onnxop", "new", "specs"]
    names = ["--from", "net:Halves", "--from", "net:Scale"]
    warm.checked(*new, *names, "--model", "net.py:build", cwd=tmp_path)
    specs = {file.stem: file.read_text("utf-8") for file in (tmp_path / "specs").iterdir()}
    halves, scale = (tomllib.loads(specs[name]) for name in ("halves", "scale"))
    assert halves["op"]["schema"] == "my_lib::halves(Tensor x, float by=2.0) -> (Tensor, Tensor)"
    body = "x = torch.cat([x, -x])\nreturn (x * by, x.relu())\n"
    assert (halves["kernel"], halves["onnx"]) == ({"python": body}, {"decomposed": True})
    assert scale["op"]["schema"] == "my_lib::scale(Tensor x, float by) -> Tensor"
    assert scale["kernel"] == {"source": "scale.h"}
    told = warm.run(*new, "--from", "net:Nothing", cwd=tmp_path).stdout
    assert (
        "net:Nothing: net:build does not call this function with tensors; its own functions" in told
    )
    told = warm.run(*new, "--from", "json:loads", cwd=tmp_path).stdout
    assert "json:loads: name a model that calls it, with --model MODULE:FUNCTION: json:b" in told


@pytest.mark.everything
def test_a_spec_of_a_function_is_built_in_its_place(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(COMPOSED, encoding="utf-8")
    new = "-W ignore -m onnxop new specs --from net:Scale --from net:Halves".split()
    warm.checked(*new, "--model", "net.py:build", cwd=tmp_path)
    spec = tmp_path / "specs" / "scale.toml"
    text = spec.read_text("utf-8").replace('source = "scale.h"', 'elementwise = "x * by"')
    spec.write_text(text, encoding="utf-8")
    options = ["--exporter", "TorchScript", "--exporter", "dynamo", "--write", "specs", "--build"]
    status, output = scanned(COMPOSED, warm, tmp_path, *options, "--name", "net_scale_ops")
    ops = {"net.Halves.apply": "halves", "net.Scale.apply": "scale"}
    assert output["package"]["replaced"] == ops
    assert "onnxop new --from net:Halves --model net:build" in output["functions"][0]["remedy"]
    kinds = [outcome["kind"] for outcome in output["package"]["whole"]]
    assert (status, kinds) == (0, ["right", "right"])


class Compiled:
    """What a function of pybind11's tells of itself."""

    __signature__ = property(lambda self: inspect.signature(max))

    def __init__(self, line: str) -> None:
        self.__doc__ = f"{line}\n\nIts text."

    def __call__(self) -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("line", "kwargs", "arguments"),
    [
        (
            "f(a: Tensor, by: float | int = 2.0, s: list[int] = [1, 2]) -> Tensor",
            {},
            "Tensor a, float by=2.0, int[] s=[1, 2]",
        ),
        (
            "f(a: Tensor, n: int = 2, b: Tensor | None = None) -> Tensor",
            {"n": 1.5},
            "Tensor a, float n=2, Tensor? b=None",
        ),
        ("f(a: Tensor, at: Mode = <Mode.x: 0>) -> Tensor", {"at": True}, "Tensor x0, bool at"),
        ("f(*args, **kwargs)", {"by": "x"}, "Tensor x0, str by"),
        ("No line of pybind11's", {}, "Tensor x0"),
    ],
)
def test_the_arguments_of_a_compiled_function(
    line: str, kwargs: dict[str, Any], arguments: str
) -> None:
    text = of_function("m.f", Compiled(line), (torch.ones(2),), kwargs, torch.ones(2)).text
    assert f'schema = "my_lib::f({arguments}) -> Tensor"' in text


def test_a_function_whose_arguments_no_schema_has() -> None:
    with pytest.raises(OnnxopError, match=r"f: x1 is \{\}, for which schemas have no type"):
        of_function("f", max, (torch.ones(1), {}), {}, torch.ones(1))
    with pytest.raises(OnnxopError, match="f: returns a value other than a tensor"):
        of_function("f", max, (torch.ones(1),), {}, 1)


@pytest.mark.everything
def test_a_kernel_that_is_written_beside_its_spec(warm: Warm, tmp_path: Path) -> None:
    """Scan writes its skeleton, and builds what the user makes of it."""
    options = ("--exporter", "dynamo", "--write", "specs", "--name", "their_ops")
    _, output = scanned(OWN, warm, tmp_path, *options)
    header = tmp_path / "specs" / "squash.h"
    assert [*output["written"]] == ["specs/squash.toml", "specs/squash.h"]
    text = header.read_text(encoding="utf-8")
    assert 'kName = "their_ops::squash"' in text
    command = ["-W", "ignore", "-m", "onnxop", "scan", "net:build", *options[:-2], "--build"]
    told = warm.run(*command, cwd=tmp_path).stdout
    _, why_none, following = told.partition("specs/squash.h: no kernel is written yet; replace")
    assert why_none
    assert "Next:" in following
    assert not (tmp_path / "specs" / "their_ops").exists()
    for number in (1, 2):
        kernel = text.replace("not_implemented(kName);", f"// {number}")
        header.write_text(kernel, encoding="utf-8")
        kept = warm.checked("-W", "ignore", "-c", MAKE, cwd=tmp_path, PYTHONPATH=str(tmp_path))
        built = tmp_path / "specs" / "their_ops" / "ops" / "squash.h"
        assert built.read_text(encoding="utf-8") == kernel
        assert ("ops/squash.h.orig" in kept) == (number == 2)
    header.write_text(text.replace("their_ops::", "squash::"), encoding="utf-8")
    why = "kName in squash.h names another operator, squash::squash; write their_ops::squash"
    checked = warm.run("-m", "onnxop", "check", "specs", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert why in checked.stdout


@pytest.mark.nightly
def test_a_model_that_returns_a_number(warm: Warm, tmp_path: Path) -> None:
    model = OWN.replace("squash(x), 2", "x.relu(), 2")
    _, output = scanned(model, warm, tmp_path)
    assert output["notes"] == []
    for outcome in output["whole"]:
        assert outcome["why"].startswith("the model returns 2, of type int; return tensors only")


NAMES = program("scan/names")


@pytest.mark.nightly
def test_specs_of_names_that_no_package_has(warm: Warm, tmp_path: Path) -> None:
    """There is no package trace. In bfloat16, there is no starter."""
    options = ["--exporter", "TorchScript", "--write", "specs"]
    _, output = scanned(NAMES, warm, tmp_path, *options)
    remedies = {finding["op"]: finding["remedies"][-1]["text"] for finding in output["findings"]}
    assert remedies == {
        "aten::trace": "the gallery's spec: onnxop new --from aten::trace",
        "aten::mul": "it computes in bfloat16, for which ONNX Runtime has fewer kernels than for "
        "float32; scan model.float(), with float32 inputs, and leave out conversions to bfloat16 in "
        "forward",
    }
    package = tomllib.loads((tmp_path / "specs" / "trace.toml").read_text("utf-8"))["package"]
    assert package == {"name": "net_ops"}
