"""`onnxop inspect` and `onnxop new --from`: what is known of an op, and a spec for it."""

from __future__ import annotations

import json
import random
import subprocess
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.check.load import load, load_package, parse
from onnxop.errors import OnnxopError
from onnxop.find import gallery, onnxops, torchops
from onnxop.schema import signature
from onnxop.starter import guesses, sample_values, starter
from onnxop.trial import trial
from onnxop.trial.call import call_of_overload
from onnxop.trial.outcome import outcome
from onnxop_runtime import processes
from onnxop_runtime.installer import pip_install
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.tensors import Literal, RandomTensor, SampleValue
from tests.documents import ROOT
from tests.tiers import nightly
from tests.warm import Warm

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run(warm: Warm, tmp_path: Path) -> Run:
    """The command, in the test's folder; its errors are part of its output."""
    return partial(warm.run, "-m", "onnxop", cwd=tmp_path)


def answer(name: str, run: Run) -> dict[str, Any]:
    done = run("inspect", name, "--json")
    assert done.returncode == 0, done.stdout
    facts: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
    return facts


def test_inspect_an_operator(run: Run) -> None:
    facts = answer("torchvision::roi_align", run)
    assert "int sampling_ratio, bool aligned" in facts["torch"]["overloads"][""]
    outcomes = facts["tried"]["outcomes"]
    assert [*outcomes["TorchScript"]] == [str(opset) for opset in range(9, 24)]
    assert [*outcomes["dynamo"]] == [str(opset) for opset in range(18, 26)]
    assert outcomes["TorchScript"]["9"]["kind"] == "export"
    assert outcomes["TorchScript"]["16"] == outcomes["dynamo"]["20"]
    assert outcomes["dynamo"]["20"]["kind"] == "right"
    (op,) = facts["onnx"]
    assert (op["name"], op["versions"]) == ("RoiAlign", [10, 16, 22])
    kernels = {kernel["version"]: kernel["types"] for kernel in op["kernels"]}
    assert kernels[16]["T1"] == ["double", "float"]


@pytest.mark.nightly
def test_inspect_for_people(run: Run) -> None:
    told = run("inspect", "torch.erfinv").stdout
    assert "aten::erfinv\n  aten::erfinv(Tensor self) -> Tensor\n" in told
    assert "opset 9-23: refused: no rule for aten::erfinv\n" in told
    assert "opset 18-25: refused: no rule for prims::erf_inv\n" in told
    assert "onnxop new --from aten::erfinv writes it" in told
    assert "Warning" not in told


def test_a_function_is_the_operator_that_it_calls() -> None:
    for function, operator in (
        ("grid_sample", "grid_sampler"),
        ("fold", "col2im"),
        ("silu", "silu"),
        ("softmax", "softmax"),
        ("max_pool2d", "max_pool2d"),
        ("adaptive_max_pool2d", "adaptive_max_pool2d"),
        ("logsigmoid", "log_sigmoid"),
        ("huber_loss", "huber_loss"),
    ):
        assert torchops.name_of(f"torch.nn.functional.{function}") == f"aten::{operator}"


def test_inspect_an_onnx_op(run: Run) -> None:
    facts = answer("onnx:deformconv", run)
    assert facts["name"] == "onnx:DeformConv"
    assert facts["onnx"][0]["inputs"] == ["X", "W", "offset", "B?", "mask?"]
    assert "torchvision::deform_conv2d" in facts["matches"]["PyTorch operators with similar names"]


@pytest.mark.nightly
def test_inspect_a_namespace(run: Run) -> None:
    assert "torchvision::nms" in answer("torchvision::", run)["matches"]["PyTorch"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "'': is not a name; write one, such as aten::erfinv or onnx:Asinh, or part of one"),
        nightly(
            "::",
            "'::': is not a name; write one, such as aten::erfinv or onnx:Asinh, or part of one",
        ),
        nightly(
            "onnx:",
            "'onnx:': is not a name; write one, such as aten::erfinv or onnx:Asinh, or part of one",
        ),
        nightly(
            "onnx:Xyzzy", "ONNX has no such op; onnxop inspect PART lists the names that contain it"
        ),
        ("torchvision::roi_aling", "no such operator; did you mean torchvision::roi_align?"),
        nightly(
            "torch.nn.functional.interpolate",
            "is a function that calls several operators, aten::_upsample_bicubic2d_aa, ",
        ),
    ],
)
def test_inspect_what_is_no_operator(name: str, why: str, run: Run) -> None:
    done = run("inspect", name)
    assert done.returncode == 1
    assert done.stdout.startswith((f"{name}: ", f"{name!r}: "))
    assert why in done.stdout


@pytest.mark.nightly
def test_a_module_that_lies_here_is_not_to_be_installed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "own_ops.py").touch()
    done = run("inspect", "acme::squash", "--requires", "own_ops")
    assert (
        f"--requires own_ops: no module own_ops is installed; run {pip_install()} own_ops, or set PYTHONPATH"
        in done.stdout
    )


@pytest.mark.nightly
def test_a_starter_of_what_is_random_claims_no_values(run: Run) -> None:
    told = run("new", "--from", "aten::randn_like").stdout
    assert told.startswith(
        "Wrote randn_like.toml: a starter, decomposed as the dynamo exporter does\n"
    )


@pytest.mark.nightly
def test_inspect_promises_no_starter_that_there_cannot_be(run: Run) -> None:
    told = run("inspect", "aten::relu_").stdout
    assert "Gallery\n  no spec can describe it: the operator name 'relu_' ends with" in told


def test_inspect_a_word(run: Run) -> None:
    assert "aten::special_bessel_j0" in answer("bessel", run)["matches"]["PyTorch"]
    done = run("inspect", "erfinw")
    assert done.returncode == 1
    assert done.stdout == (
        "erfinw: neither PyTorch nor ONNX has an op whose name contains it; did you mean erfinv?\n"
    )


def test_kernels_are_of_versions() -> None:
    """ONNX Runtime's kernel of RoiAlign 16 is none of RoiAlign 22, whatever its range says."""
    op = onnxops.find("Asinh")
    assert op is not None
    assert op.kernels == (
        onnxops.Kernel(9, {"": (), "T": ("float",)}),
        onnxops.Kernel(22, {"": (), "T": ("float",)}),
    )


@pytest.mark.parametrize(
    ("operator", "first"),
    [("asinh", "Asinh"), ("arcsinh", "Asinh"), ("special_erf", "Erf"), ("amax", "ReduceMax")]
    + [("deform_conv2d", "DeformConv"), ("nms", "NonMaxSuppression"), ("linalg_det", "Det")],
)
def test_like_names(operator: str, first: str) -> None:
    assert onnxops.like(operator)[0] == first


def test_gallery_has_its_specs() -> None:
    folders = [ROOT / "runtime/onnxop_runtime/gallery" / part for part in ("aten", "torchvision")]
    assert gallery.folders() == folders
    names = [file.name for folder in folders for file in folder.glob("*.toml")]
    assert len(gallery.specs()) == len(names) == len({*names})  # one folder may take them all
    assert gallery.specs()["aten::erfinv"].name == "erfinv.toml"
    known = {
        ("aten::median", ""): "median.toml",
        ("aten::median", "dim"): "median_dim.toml",
        ("aten::trapezoid", "dx"): "trapezoid.toml",  # decomposed, for all overloads
        ("aten::amax", "out"): None,
        ("aten::lu_unpack", "default"): None,
        ("aten::relu", ""): None,
        ("torchvision::roi_pool", ""): "roi_pool.toml",
    }
    files = {key: gallery.file_of(*key) for key in known}
    assert {key: file and file.name for key, file in files.items()} == known


def test_gallery_s_specs_stand_alone(tmp_path: Path) -> None:
    """An operator may be called what no package may be."""
    file = tmp_path / "dist.toml"
    file.write_text(gallery.text("aten::dist"), encoding="utf-8")
    assert load(file).package.name == "dist_op"


NEEDY = [op for op in gallery.specs() if len(gallery.with_needed(op)) > 1]
OTHERS = [op for op, file in gallery.specs().items() if "decomposed = true" in file.read_text()]


@pytest.mark.parametrize(
    "op",
    [
        pytest.param(op, marks=() if op in NEEDY[::7] else pytest.mark.everything)
        for op in (*NEEDY, *OTHERS)
        if not op.startswith("torchvision")
    ],
)
def test_what_is_decomposed_needs_no_more_than_it_says(op: str) -> None:
    """It is right registered alone, with the specs that it names."""
    needed = gallery.with_needed(op)
    rules = trial.Rules(specs=tuple(map(gallery.text, needed)))
    paths = [gallery.specs()[name] for name in needed]
    spec, *_ = load_package(paths, "my_ops", is_new=False).ops
    name = f"{spec.schema.namespace}::{spec.schema.name}"
    overload = getattr(torchops.packet(name), spec.schema.overload or "default")
    arguments = guesses.arguments(spec.schema, spec.samples[0])
    call = call_of_overload(overload, *guesses.split(overload, arguments))
    works = [partial(trial.try_export, call, exporter, 20, rules) for exporter in trial.EXPORTERS]
    for _, answer in processes.run_each(works):
        assert outcome(answer).is_right, outcome(answer)


@pytest.mark.nightly
def test_new_from_writes_what_a_spec_needs(run: Run, tmp_path: Path) -> None:
    done = run("new", "--from", "aten::linalg_cond")
    names = ["linalg_cond.toml", "linalg_svd_factors.toml"]
    assert sorted(file.name for file in tmp_path.iterdir()) == names
    assert f"onnxop new {' '.join(names)} --name my_ops --build" in done.stdout
    alone = run("new", "linalg_cond.toml")
    assert "has no spec of aten::_linalg_svd; add the one that onnxop new" in alone.stdout


@pytest.mark.nightly
def test_new_from_leaves_out_no_argument(run: Run, tmp_path: Path) -> None:
    """ONNX's Add has no alpha."""
    done = run("new", "--from", "aten::add.Scalar")
    assert "as the dynamo exporter does, tried" in done.stdout
    assert "decomposed = true" in (tmp_path / "add.toml").read_text(encoding="utf-8")


@pytest.mark.nightly
def test_new_from_tells_of_samples_that_pytorch_refuses(run: Run, tmp_path: Path) -> None:
    done = run("new", "--from", "aten::quantized_max_pool2d")
    assert "whose samples PyTorch refuses: write one that it accepts" in done.stdout


def test_new_from_writes_the_gallery_s_spec(run: Run, tmp_path: Path) -> None:
    done = run("new", "--from", "aten::erfinv")
    assert done.stdout.startswith("Wrote erfinv.toml: the gallery's spec\n")
    written = (tmp_path / "erfinv.toml").read_bytes()
    assert written == gallery.specs()["aten::erfinv"].read_bytes()
    again = run("new", "--from", "aten::erfinv")
    assert again.returncode == 1
    assert "erfinv.toml: exists; choose another folder, or use --force" in again.stdout
    (tmp_path / "erfinv.toml").write_bytes(written + b"# Mine.\n")
    forced = run("new", "--from", "aten::erfinv", "--force")
    assert "Kept the former file as erfinv.toml.orig" in forced.stdout


@pytest.mark.nightly
def test_new_from_writes_starters_that_pass_the_checks(run: Run, tmp_path: Path) -> None:
    names = ["aten::lerp", "aten::_softmax", "torchvision::box_iou_rotated", "aten::tril"]
    done = run("new", *(argument for name in names for argument in ("--from", name)), "out")
    assert done.returncode == 0, done.stdout
    specs = {file.stem: load(file) for file in sorted((tmp_path / "out").glob("*.toml"))}
    assert specs["softmax"].schema.full_name == "aten::_softmax"
    assert specs.keys() == {"lerp", "softmax", "box_iou_rotated", "tril"}
    assert specs["tril"].mapping.is_decomposed
    assert specs["lerp"].mapping.is_decomposed
    assert "Other calls are untried: add" in (tmp_path / "out" / "lerp.toml").read_text()
    assert "Then write compute() in the header" in done.stdout
    text = (tmp_path / "out" / "box_iou_rotated.toml").read_text(encoding="utf-8")
    assert "# Check: " in text
    assert tomllib.loads(text)["op"]["requires"] == ["torchvision"]


def test_new_from_an_onnx_op() -> None:
    """The gallery's spec of an operator that maps to it."""
    assert starter.write_spec("onnx:DeformConv").op == "torchvision::deform_conv2d"


def test_new_from_writes_that_of_the_plainest_overload() -> None:
    assert starter.write_spec("aten::scatter").text == gallery.text("aten::scatter.src")
    assert gallery.text("aten::max.dim") != starter.write_spec("aten::max").text


@pytest.mark.parametrize("name", guesses._by_operator())
def test_samples_that_types_do_not_tell(name: str) -> None:
    problems = Problems()
    schema = signature.parse(name, problems)
    assert schema is not None
    assert guesses.first(
        schema, getattr(torchops.packet(name.partition(".")[0]), schema.overload or "default")
    ).runs


@pytest.mark.everything
def test_starters_of_any_operator() -> None:
    """Drawn operators get a spec that passes the checks, or one sentence says why they cannot."""
    every = [op for op in torchops.every() if op.startswith("aten::") and not op.endswith("_")]
    for name in random.Random(0).sample(every, 60):
        try:
            written = starter.starter(name)
        except OnnxopError as error:
            assert str(error).startswith(f"{name}: "), error
            assert len(str(error).splitlines()) == 1, error
            assert len(str(error)) < 400, error
        else:
            parse(written.text)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("aten::erfinvx", "PyTorch has no such operator; did you mean aten::erfinv?"),
        ("aten::nms", "PyTorch has no such operator; did you mean torchvision::nms?"),
        (
            "onnx:Loop",
            'write a spec for an operator of your own, with a schema such as "my_lib::my_op(Tensor x) ',
        ),
        ("aten::normal_", "ends with an underscore, PyTorch's mark of an in-place operator"),
        ("", "'': is not the name of an operator; write one, such as aten::erfinv; onnxop"),
        ("onnx:", "'onnx:': is not the name of an operator; write one"),
        ("relu", "onnxop inspect relu lists the names that contain it"),
        (
            "torch.nn.functional.normalize",
            "is a function that calls several operators; scan a model",
        ),
        ("torch.relu_", "aten::relu_: no spec can describe it: the operator name 'relu_' ends"),
        ("foo::bar", "no known module registers operators of foo::"),
        (
            "prims::ne",
            "are internal to PyTorch and have no specs; name the operator of aten:: that",
        ),
        (
            "aten::_foreach_sign",
            "decomposed = true does not help: DispatchError: No ONNX function found",
        ),
        ("aten::nosuch", "aten::nosuch: PyTorch has no such operator"),
        ("bessel", "similar names are aten::special_bessel_j0, "),
    ],
)
def test_new_from_refuses(name: str, why: str, run: Run, tmp_path: Path) -> None:
    done = run("new", "--from", name)
    assert done.returncode == 1
    assert why in done.stdout
    assert len(done.stdout.splitlines()) == 1
    assert not [*tmp_path.iterdir()]


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "the following arguments are required: SPEC, or --from NAME"),
        (
            ["--from", "aten::erfinv", "--build"],
            "make a package from it by onnxop new SPEC --build",
        ),
        (["--from", "a::b", "x", "y"], "--from takes one folder to write to"),
        (["--from", "a::b", "x.toml"], "--from takes one folder to write to"),
    ],
)
def test_new_from_is_used_wrongly(arguments: list[str], why: str, run: Run) -> None:
    done = run("new", *arguments)
    assert done.returncode == 2
    assert why in done.stdout


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (RandomTensor("float32", (2, 3), (2, 3)), '"float32[2, 3]"'),
        (
            RandomTensor("int64", (2,), (2,), 0, 3),
            '{ dtype = "int64", shape = [2], low = 0, high = 3 }',
        ),
        (Literal("[1.0, 1e-05]", "float32", (2,)), "[1.0, 1e-05]"),
        (Literal("3", "int64", ()), '{ dtype = "int64", values = 3 }'),
        (Literal("torch.float16"), '"float16"'),
        (Literal("[True, False]"), "[true, false]"),
        (Literal("'a\"b'"), '"a\\"b"'),
    ],
)
def test_values_in_toml(value: Any, written: str) -> None:
    assert sample_values.toml(value) == written
    tomllib.loads(f"x = {written}")


def test_floats_that_may_be_indices_are_as_the_model_has_them() -> None:
    boxes = torch.rand(40, 5)
    boxes[:, 0] = 0
    for value in (torch.tensor([[1.5, 0.1]]), torch.rand(8, 8), boxes, torch.rand(3, 3).half()):
        sample = sample_values.recorded(value)
        assert isinstance(sample, Literal)
        assert torch.equal(sample_values.value_of(sample), value)
    assert sample_values.recorded(torch.tensor([0.1])) == Literal("[0.1]", "float32", (1,))
    assert isinstance(sample_values.recorded(boxes[:, 1:]), RandomTensor)


def test_a_starter_is_right_for_each_sample() -> None:
    """What the dynamo exporter writes is wrong of the second, and so is nothing to take over."""
    image = RandomTensor("float32", (1, 3, 5, 7), (1, 3, 5, 7), 0.0, 1.0)
    first: dict[str, SampleValue] = {"input": image, "output_size": Literal("[9, 4]")}
    second = {**first, "align_corners": Literal("True")}
    first["align_corners"] = Literal("False")
    name = "aten::_upsample_bicubic2d_aa"
    written = starter.starter(name, "vec", samples=[first, second])
    assert written.origin == "node"
    assert "dynamo exporter, opset 20: sample 2: wrong results." in written.text
    assert len(tomllib.loads(written.text)["samples"]) == 2
