"""`onnxop scan`, on models with ops that do not export, or export wrong."""

from __future__ import annotations

import inspect
import json
import shlex
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop import cli
from onnxop.errors import OnnxopError
from onnxop.scan import (
    calls,
    notes,
    page,
    remedies,
    report,
    sizes,
    target,
    traces,
    tries,
    whole,
)
from onnxop.starter.own_functions import of_function
from onnxop.trial import compare, places, trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop_runtime import processes
from onnxop_runtime.verification import comparison, runners
from tests.conftest import Environment
from tests.documents import assert_shown, blocks
from tests.programs import program
from tests.warm import Warm

PAGE = "generator/FIND.md"
(MODEL,) = blocks(PAGE, "py")
COMMANDS = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_page(
    command: str, warm: Warm, environment: Environment, tmp_path: Path
) -> None:
    (tmp_path / "models.py").write_text(MODEL, encoding="utf-8")
    program, *arguments = shlex.split(command)
    assert program == "onnxop"
    told = warm.checked("-m", "onnxop", *arguments, cwd=tmp_path)
    if "scan" in arguments:
        (shown,) = blocks(PAGE, "text")
        assert_shown(shown, told)
        environment.run("-m", "pip", "uninstall", "--yes", "models_ops", cwd=tmp_path)


WITHOUT_EXPORT = program("scan/without_export")
WITHOUT_TRACE = program("scan/without_trace")


def scanned(model: str, warm: Warm, folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    (folder / "net.py").write_text(model, encoding="utf-8")
    command = ["-W", "ignore", "-m", "onnxop", "scan", "net:build", "--json", *options]
    done = warm.run(*command, cwd=folder)
    output: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{\n") :])
    return done.returncode, output


COMPUTED = program("scan/computed")


def test_specs_for_what_torch_export_does_not_trace(warm: Warm, tmp_path: Path) -> None:
    """A kernel that PyTorch's operators compose is traced instead; a spec comes with those it needs."""
    _, output = scanned(COMPUTED, warm, tmp_path, "--exporter", "dynamo", "--write", "specs")
    (note,) = output["notes"]
    assert note.startswith("torch.export cannot trace the model: ")
    remedies = {finding["op"]: finding["remedies"][0]["kind"] for finding in output["findings"]}
    assert remedies == {"aten::linalg_lstsq": "gallery", "aten::linalg_svdvals": "gallery"}
    names = {file.name for file in (tmp_path / "specs").iterdir()}
    assert names == {"linalg_lstsq.toml", "linalg_svdvals.toml", "linalg_svd_factors.toml"}


def test_a_model_that_torch_export_refuses(warm: Warm, tmp_path: Path) -> None:
    status, output = scanned(WITHOUT_EXPORT, warm, tmp_path)
    assert status == 1  # with a spec, the file has one side of the condition
    kept, note, left = output["notes"]
    assert "these values reach another side of the condition at net.py:8" in left
    assert kept.startswith("net.py:8: torch.jit.trace turns values into constants here. ")
    assert note.startswith("torch.export cannot trace the model: ")
    assert note.endswith(
        " It stops at net.py:8: if float(x.sum()) > 0:  # which torch.export refuses. Change this line; "
        "no spec helps. Scan tried the calls that torch.jit.trace records instead."
    )
    assert [outcome["kind"] for outcome in output["whole"]] == ["export"] * 2
    (erfinv,) = output["findings"]
    assert erfinv["op"] == "aten::erfinv"
    assert erfinv["count"] == 2
    assert [place["line"] for place in erfinv["places"]] == [11]
    assert {outcome["exporter"] for outcome in erfinv["outcomes"]} == {"dynamo", "TorchScript"}
    assert [remedy["kind"] for remedy in erfinv["remedies"]] == ["gallery"]


EQUALS = program("scan/equals")


def test_an_order_of_equal_values(warm: Warm, tmp_path: Path) -> None:
    """Which of them come first is for each runtime to say."""
    status, output = scanned(EQUALS, warm, tmp_path)
    assert (status, output["findings"]) == (0, [])
    assert [outcome["kind"] for outcome in output["whole"]] == ["order"] * 2
    assert "of 300 elements differ" in output["whole"][0]["why"]


def test_values_that_hang_on_the_order_of_equal_ones(warm: Warm, tmp_path: Path) -> None:
    model = EQUALS.replace("x.topk(300).indices", "torch.arange(4e3)[x.topk(300).indices]")
    _, output = scanned(model, warm, tmp_path, "--exporter", "TorchScript")
    (note,) = output["notes"]
    assert "aten::topk (net.py:7: return torch.arange(4e3)[x.topk(300).indices])" in note


@pytest.mark.parametrize("error", [0.0, 5e-6, 5e-5, 5e-4, 5e-3])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_right_is_what_verify_calls_right(error: float, dtype: torch.dtype) -> None:
    expected = torch.tensor([255.0, 1.0, 0.001, float("inf"), float("nan")], dtype=dtype)
    actual = expected * (1 + error)
    _, failures = comparison.compare([runners.as_array(expected)], [runners.as_array(actual)])
    assert bool(compare.difference([actual], [expected])) is bool(failures)
    assert bool(failures) is (error > comparison.TOLERANCES[str(dtype).removeprefix("torch.")][0])


def test_no_number_is_near_an_infinity() -> None:
    infinity = torch.tensor([float("inf")])
    assert compare.difference([torch.tensor([5.0])], [infinity])
    assert compare.difference([infinity], [torch.tensor([5.0])])
    large = torch.tensor([2**60])
    assert compare.difference([large + 1], [large])
    pairs = torch.view_as_complex(torch.rand(3, 2)).conj()
    assert not compare.difference([torch.view_as_real(pairs.resolve_conj())], [pairs])


def test_attention_is_traced_as_the_exporter_traces_it() -> None:
    """Its fast path, without gradients, has an operator of its own."""
    attention = torch.nn.MultiheadAttention(4, 2).eval()
    with processes.quiet():
        traced = traces.traced(Call(attention, (torch.rand(3, 1, 4),) * 3))
    assert "aten::_native_multi_head_attention" not in [call.op for call in traced]


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> Any:
        return x.exp() * 2, x.relu()


def test_operators_within_an_autograd_function() -> None:
    """The TorchScript exporter exports them, so a trace records them."""

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            twice, positive = Twice.apply(x)
            return twice - positive

    with processes.quiet():
        traced = traces.traced(Call(Net().eval(), (torch.rand(3),)))
    assert [call.op for call in traced] == ["aten::exp", "aten::mul", "aten::relu", "aten::sub"]


def test_results_that_nothing_uses() -> None:
    """A spec may leave them out."""

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
            return x.max(0)[0], x.sort(0)[1], *x.min(0)

    model = Call(Net().eval(), (torch.rand(3, 4),))
    for record in (calls.exported, traces.traced):
        with processes.quiet():
            by_op = {call.op: call for call in record(model)}
        counts = {op: len(call.call().returned()) for op, call in by_op.items()}
        assert counts == {"aten::max": 1, "aten::sort": 1, "aten::min": 2}


COMPLEX = program("scan/complex")


def test_complex_numbers_within_a_model(warm: Warm, tmp_path: Path) -> None:
    """The dynamo exporter writes them as pairs. What the call of an alias lacks is its operator's."""
    status, output = scanned(COMPLEX, warm, tmp_path, "--write", "specs", "--build")
    assert status == 0
    erfinv, *others = sorted(output["findings"], key=lambda finding: "erfinv" not in finding["op"])
    assert [remedy["text"] for remedy in erfinv["remedies"]] == [
        "the gallery's spec: onnxop new --from aten::erfinv"
    ]
    assert len(others) > 2
    for finding in others:
        assert [outcome["exporter"] for outcome in finding["outcomes"]] == ["TorchScript"]
        assert [remedy["text"] for remedy in finding["remedies"]] == ["the dynamo exporter"]
    assert [*output["written"]] == ["specs/erfinv.toml"]
    dynamo, torchscript = output["package"]["whole"]
    assert (dynamo["kind"], torchscript["kind"]) == ("right", "export")
    assert dynamo["why"].startswith("complex tensors are pairs of real numbers")


def test_complex_numbers_of_which_there_is_no_spec(warm: Warm, tmp_path: Path) -> None:
    model = COMPLEX.replace("pairs.conj()", "torch.linalg.eigvals(x.mT @ x)")
    _, output = scanned(model, warm, tmp_path, "--exporter", "dynamo")
    (remedies,) = [f["remedies"] for f in output["findings"] if f["op"] == "aten::linalg_eigvals"]
    (text,) = [one["text"] for one in remedies]
    assert text.startswith("ONNX Runtime does not support complex tensors; compute with real")


REASONS = program("scan/reasons")
PACKED = program("scan/packed")


@pytest.mark.everything
def test_why_there_is_no_spec(warm: Warm, tmp_path: Path) -> None:
    """It is the exporter's own reason, or the specs'; not that of another exporter, or of a trace."""
    _, output = scanned(REASONS, warm, tmp_path, "--exporter", "dynamo", "--static")
    remedies = {finding["op"]: finding["remedies"][-1]["text"] for finding in output["findings"]}
    assert remedies["aten::istft"].startswith(
        "specs do not support complex tensors, and the dynamo exporter, which writes"
    )
    why = "no spec can describe it: op.schema: argument hx is of type Tensor[], which can only be"
    assert why in remedies["aten::lstm"]


@pytest.mark.everything
def test_what_no_spec_helps_with(warm: Warm, tmp_path: Path) -> None:
    """Of a call alone there might be one; the model is not taken for another reason."""
    _, output = scanned(PACKED, warm, tmp_path, "--exporter", "dynamo", "--static")
    remedies = {finding["op"]: finding["remedies"][-1]["text"] for finding in output["findings"]}
    assert "aten::_pack_padded_sequence" in remedies
    assert {*remedies.values()} == {
        "first change the model so that the exporter can trace it; see the note below"
    }


def test_a_long_line_is_told_once() -> None:
    line = places.Place("net.py", 3, "return x" + " + x" * 70)
    told: set[places.Place] = set()
    first, *_ = page._places([line], told)
    again, *_ = page._places([line], told)
    assert line.code in first
    assert len(again) < 110
    assert again.endswith("... (as above)")


UNLIKE_ALONE = program("scan/unlike_alone")


def test_a_model_that_is_right_where_a_call_alone_is_not(warm: Warm, tmp_path: Path) -> None:
    status, output = scanned(UNLIKE_ALONE, warm, tmp_path, "--exporter", "TorchScript", "--build")
    assert (status, output["findings"], output["written"]) == (0, [], {})
    assert output["notes"] == []
    assert output["whole"][0]["why"] == trial.EMPTY


EMPTY = program("scan/empty")


def test_a_call_of_nothing_is_no_finding(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(EMPTY, warm, tmp_path, "--exporter", "dynamo")
    assert output["findings"] == []


SIZES = program("scan/sizes")


def test_a_call_that_is_right_alone_and_not_in_the_model(warm: Warm, tmp_path: Path) -> None:
    """The gallery's specs are tried on the model. What makes it right at one size alone is no remedy."""
    options = ["--exporter", "TorchScript"]
    status, output = scanned(SIZES, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert (status, output["notes"], finding["op"]) == (0, [], "aten::col2im")
    assert [place["line"] for place in finding["places"]] == [10]
    assert finding["outcomes"][0]["why"].startswith(
        "exported with dynamic dimensions: refused: TypeError"
    )
    assert [remedy["text"] for remedy in finding["remedies"]] == [
        "the gallery's spec: onnxop new --from aten::col2im",
    ]
    mended = SIZES.replace("(h, w)", "(int(h), int(w))")
    status, output = scanned(mended, warm, tmp_path, *options)
    assert (status, [one["kind"] for one in output["whole"]]) == (1, ["first"])
    assert (
        "such as int(x.shape[0]). If the model never gets other sizes, let the "
        "function return dynamic_shapes with bounds, or scan with --static." in output["notes"][1]
    )
    assert "do not help" not in output["notes"][1]  # specs of which the refusal names none
    assert scanned(mended, warm, tmp_path, *options, "--static")[0] == 0


DYNAMIC = program("scan/dynamic")


def test_a_call_that_is_right_at_one_size_alone(warm: Warm, tmp_path: Path) -> None:
    """It is tried at both that the model takes, and so is the remedy."""
    options = ["--exporter", "TorchScript", "--write", "specs", "--build", "--name", "unfolding"]
    status, output = scanned(DYNAMIC, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert (finding["op"], finding["call"]) == ("aten::unfold", "float32[6, 5], 1, 3, 1")
    assert finding["outcomes"][0]["why"].startswith("exported with dynamic dimensions: refused: ")
    assert [remedy["kind"] for remedy in finding["remedies"]] == ["gallery"]
    assert output["whole"][0]["kind"] == "first"
    assert (status, output["package"]["whole"][0]["kind"]) == (0, "right")
    assert output["inputs"] == (
        "Tried with float32[6, 5]. Tried with dynamic dimensions: float32[6, 8]. Static: dimension 0 of input\n"
        "0."
    )


def test_inputs_of_other_sizes_and_values() -> None:
    """Every dimension that PyTorch takes larger, no two of one size where they need not be."""

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(3, 2)

        def forward(self, x: Any, lengths: Any, *, y: Any) -> Any:
            return self.linear(x)[lengths] + y, x.reshape(-1, 4)

    x, y = torch.randn(1, 4, 4, 3), torch.rand(2, 4, 4, 2)
    net = target.Target("net", Net().eval(), (x, torch.tensor([0, 0])), {"y": y})
    changed = sizes.varied(net)
    (larger, lengths, other), *_, fewest = changed.sizes
    assert [tuple(tensor.shape) for tensor in fewest] == [(1, 2, 2, 3), (2,), (2, 2, 2, 2)]
    assert (larger.shape, lengths.shape, other.shape) == ((2, 5, 8, 3), (3,), (3, 5, 8, 2))
    assert {at: [*dims] for at, dims in changed.axes.items()} == {
        0: [0, 1, 2],
        1: [0],
        2: [0, 1, 2],
    }
    (turned, same, _), *_ = changed.values
    assert turned.equal(-x.flip(1))
    assert same.equal(torch.tensor([0, 0]))
    auto = torch.export.Dim.AUTO
    named = replace(net, dynamic_shapes=({1: auto}, None, {1: auto}))
    larger, lengths, other = sizes.varied(named).sizes[0]
    assert (larger.shape, other.shape) == ((1, 5, 4, 3), (2, 5, 4, 2))
    with pytest.raises(
        OnnxopError, match="net: torch.export rejects its dynamic_shapes: UserError: "
    ):
        sizes.varied(replace(net, dynamic_shapes=[{0: "n"}]))


def test_dimensions_that_are_computed_of_others() -> None:
    """The second size keeps what dynamic_shapes say: the relation, and the bounds."""

    class Both(torch.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return torch.cat([x, x])[1:] + y

    class Fours(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.view(-1, 4, 3).sum(1)

    n, few = torch.export.Dim("n", min=2, max=64), torch.export.Dim("few", min=2, max=3)

    def second(model: torch.nn.Module, *shapes: Any, like: Any) -> list[list[int]]:
        args = tuple(torch.rand(shape) for shape in shapes)
        net = target.Target("net", model, args, dynamic_shapes=like)
        return [[*tensor.shape] for tensors in sizes.varied(net).sizes for tensor in tensors]

    assert second(Both(), [3, 4], [5, 4], like=({0: n}, {0: 2 * n - 1})) == [
        [4, 4],
        [7, 4],
        [2, 4],
        [3, 4],
    ]
    assert second(Fours(), [8, 3], like=({0: 4 * n},)) == [[12, 3]]
    assert second(torch.nn.ReLU(), [3, 4], like=({0: few},)) == [[2, 4]]


LOOPS = program("scan/loops")


def varied(name: str) -> target.Target:
    space: dict[str, Any] = {}
    exec(LOOPS, space)  # noqa: S102 - of this file
    return sizes.varied(target.Target(name, *space[name]()))


def test_dimensions_of_several_inputs_grow_together() -> None:
    """And integers have other values."""
    e, mask = varied("loop").sizes[0]
    assert (e.shape, mask.shape) == ((3, 5, 6), (3, 5))
    assert [int(k) for _, k in varied("baked").values] == [2, -3, 3]


@pytest.mark.parametrize(
    ("name", "exporter", "why"),
    [
        (
            "loop",
            "dynamo",
            "exported from float32[3, 5, 6], float32[3, 5] with dynamic dimensions, run with ",
        ),
        (
            "loop",
            "TorchScript",
            "exported from float32[3, 5, 6], float32[3, 5] with dynamic dimensions, run with ",
        ),
        ("baked", "TorchScript", " in input 0, from 2 to 2 in input 1: wrong results: "),
        ("wide", "dynamo", "; torch.export guards on dimension 1 of input 0 <= 12"),
    ],
)
@pytest.mark.everything
def test_what_an_exporter_keeps_of_the_first_inputs(name: str, exporter: str, why: str) -> None:
    """Sizes that Python loops over or compares, and integers that it reads."""
    trial.warm_up_exporters()
    export = report.Export(exporter, 20)
    outcome = whole.try_exports(varied(name), [export], lambda _: None)[export]
    assert outcome.kind == "first"
    assert why in outcome.why


def test_what_is_random_hides_nothing() -> None:
    class Draws(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x + 1, torch.multinomial(torch.tensor([0.7, 0.3]), 1), x.sum(0)

    x = torch.rand(3)
    call = Call(Draws(), (x,))
    expected = [x + 1, torch.tensor([0]), x.sum(0)]
    assert compare.drawn(call, [x + 1, torch.tensor([1]), x.sum(0)], expected) == {1}
    assert compare.drawn(call, [x + 2, torch.tensor([1]), x.sum(0)], expected) == {1}
    assert compare.drawn(call, [x + 2, torch.tensor([0]), x.sum(0)], expected) == set()
    assert compare.drawn(call, [x + 1, torch.tensor([1.0]), x.sum(0)], expected) == set()


def test_the_program_is_no_users_code() -> None:
    assert places.is_users(__file__)
    assert not places.is_users(sys.argv[0])


def test_equal_values_of_a_small_dtype() -> None:
    """Of bfloat16 there are not as many different ones: the call is not tried over and over."""
    for count, is_known in ((100, True), (4000, False)):
        call = Call(torch.nn.Identity(), (torch.ones(count, dtype=torch.bfloat16),))
        assert (compare.without_equals(call) is not call) == is_known


def test_a_model_of_control_flow(warm: Warm, tmp_path: Path) -> None:
    """Both branches are looked at, whichever is taken."""
    status, output = scanned(WITHOUT_TRACE, warm, tmp_path, "--exporter", "dynamo")
    assert status == 1
    (erfinv,) = output["findings"]
    assert erfinv["op"] == "aten::erfinv"


STATE = program("scan/state")


def test_a_model_that_writes_to_its_buffers(warm: Warm, tmp_path: Path) -> None:
    """Each call, and each export, begins with them as they were: nothing is random."""
    status, output = scanned(STATE, warm, tmp_path)
    assert (status, output["findings"]) == (0, [])
    assert [outcome["kind"] for outcome in output["whole"]] == ["right"] * 2


WITHIN = program("scan/within")


def test_calls_within_a_loop_and_a_vmap(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(WITHIN, warm, tmp_path)
    assert {finding["op"] for finding in output["findings"]} == {"aten::erfinv", "aten::lgamma"}
    assert output["whole"][1]["kind"] == "export"
    assert any(
        note.startswith("torch.jit.trace cannot trace the model") for note in output["notes"]
    )


SCRIPTED = program("scan/scripted")


def test_scripted_code_within_a_trace(warm: Warm, tmp_path: Path) -> None:
    """Calls in it are seen; of loops and conditions, those that torch.export sees are tried instead."""
    options = ["--exporter", "TorchScript"]
    _, output = scanned(SCRIPTED, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert (finding["op"], finding["count"]) == ("aten::erfinv", 1)
    assert [place["code"] for place in finding["places"]] == ["return squashed(x)"]
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
        traced = traces.traced(Call(loaded, (torch.ones(2),)))
    assert [call.op for call in traced] == ["aten::mul", "aten::sub"]


def _twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


MASKS = program("scan/masks")


@pytest.mark.everything
def test_a_detector_with_a_scripted_loop(warm: Warm, tmp_path: Path) -> None:
    """Right but for the rounding of 50 layers; at other sizes a trace of torchvision's resizes is not."""
    assert scanned(MASKS, warm, tmp_path, "--exporter", "TorchScript", "--static")[0] == 0


OWN = program("scan/own")


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
    assert [remedy["text"] for remedy in output["findings"][0]["remedies"]] == [
        "your spec for acme::squash; --build compiles its kernel and tries it"
    ]


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


def test_rounding_of_a_deep_model_is_right() -> None:
    """Errors of float32 that PyTorch has itself, beside float64; what is wrong stays so."""

    class Sums(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return (x + 1e4) - 1e4

    call = Call(Sums(), (torch.rand(50),))
    (expected,) = call.results()
    exact = call.args[0]
    assert compare.difference([exact], [expected])
    assert compare.is_rounding(call, [exact], [expected])
    assert not compare.is_rounding(call, [exact + 2e-3], [expected])
    wrong = Call(torch.nn.Sigmoid(), (torch.rand(50),))
    (right,) = wrong.results()
    assert not compare.is_rounding(wrong, [right + 3e-4], [right])


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
    assert "specs/squash.h: no kernel is written yet; replace not_implemented(kName)" in (
        warm.run(*command, cwd=tmp_path).stdout
    )
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


def test_a_model_that_returns_a_number(warm: Warm, tmp_path: Path) -> None:
    model = OWN.replace("squash(x), 2", "x.relu(), 2")
    _, output = scanned(model, warm, tmp_path)
    assert output["notes"] == []
    for outcome in output["whole"]:
        assert outcome["why"].startswith("the model returns 2, of type int; return tensors only")


NAMES = program("scan/names")


def test_specs_of_names_that_no_package_has(warm: Warm, tmp_path: Path) -> None:
    """There is no package trace. In bfloat16, there is no starter."""
    options = ["--exporter", "TorchScript", "--write", "specs"]
    _, output = scanned(NAMES, warm, tmp_path, *options)
    remedies = {finding["op"]: finding["remedies"][-1]["text"] for finding in output["findings"]}
    assert remedies == {
        "aten::trace": "the gallery's spec: onnxop new --from aten::trace",
        "aten::mul": "it computes in bfloat16, for which ONNX Runtime has fewer kernels than for "
        "float32; scan model.float(), with float32 inputs",
    }
    package = tomllib.loads((tmp_path / "specs" / "trace.toml").read_text("utf-8"))["package"]
    assert package == {"name": "net_ops"}


TRAINING = program("scan/training")


def test_a_model_in_training_mode(warm: Warm, tmp_path: Path) -> None:
    _, output = scanned(TRAINING, warm, tmp_path, "--exporter", "dynamo")
    assert output["whole"][0]["kind"] == "values"
    assert any(note.startswith("The model is in training mode") for note in output["notes"])


def test_a_model_in_training_mode_that_is_random() -> None:
    for kind, is_told in (("random", True), ("right", False)):
        export = report.Export("dynamo", 20)
        scanned = report.Report("net", {export: Outcome(kind)})
        kinds = target.Target("net", torch.nn.Dropout(), ()).kinds_in_training
        assert bool(notes.of_training(scanned, kinds)) is is_told


def test_a_model_that_is_not_run() -> None:
    """Of which there is no line to change."""
    for error, end in (
        (
            ValueError("Unsupported input type"),
            "Change the model or its inputs; no spec helps.",
        ),
        (
            ValueError(f'File "{__file__}", line 1, in forward'),
            "Change this line; no spec helps.",
        ),
    ):
        scanned = report.Report("net", {report.Export("dynamo", 20): Outcome("export")})
        if place := notes.stops_at(error):
            scanned.stops["dynamo"] = place
        assert end in notes.of_untaken(scanned, "dynamo", error)


def test_how_scan_knows_the_spec_of_a_call() -> None:
    """An operator may be another name of one that the gallery has."""
    x = torch.rand(2) + 3
    search = remedies.RemedySearch(report.Report("net"), {}, lambda _: None)
    special = torch.ops.aten
    for overload, args, known in (
        (special.special_zeta.other_scalar, (x, 2.0), "special_zeta"),
        (special.special_multigammaln.default, (x, 2), "mvlgamma"),
    ):
        call = calls.Recorded(overload, args, {}, frozenset())
        assert remedies._spec_key(search, report.Finding(call)) == f"aten::{known}"


def test_a_call_with_a_number_that_equals_nothing() -> None:
    """NaN is not a size that differs."""
    x = torch.rand(3)
    for number in (float("nan"), float("inf")):
        args = (x > 0.5, number, x)
        call = calls.Recorded(torch.ops.aten.where.ScalarSelf, args, {}, frozenset())
        assert torch.allclose(call.call().returned()[0], torch.where(*args), equal_nan=True)


def test_every_call_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many in one model, which is divided until the failing ones are known."""

    def outcomes(works: Sequence[Any]) -> Iterator[tuple[int, Outcome]]:
        for place, work in enumerate(works):
            (group,) = work.args
            kinds = ["values" if one.call.args[0].numel() in (3, 17) else "right" for one in group]
            yield place, Outcome("values" if "values" in kinds else "right")

    monkeypatch.setattr(trial, "run_works", outcomes)
    export = report.Export("dynamo", 20)
    jobs = [
        tries.Try(
            calls.Recorded(torch.ops.aten.relu.default, (torch.ones(n),), {}, frozenset()), export
        )
        for n in range(40)
    ]
    kinds = {
        one.call.args[0].numel(): out.kind for one, out in tries.try_each(jobs, lambda _: None, "")
    }
    assert [*sorted(kinds)] == [*range(40)]
    assert [n for n, kind in kinds.items() if kind != "right"] == [3, 17]


WRONG_SPEC = """
[op]
schema = "aten::erfinv"

[onnx]
opset = 13
mapping = "op.Erf(self)"

[[samples]]
self = [0.5]
"""


def test_a_spec_that_gives_wrong_values_is_no_way_out(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "erfinv.toml").write_text(WRONG_SPEC, encoding="utf-8")
    model = WITHIN.replace("torch.vmap(torch.erfinv)(x / 3)", "x.erfinv()").replace(
        "while_loop(", "x #"
    )
    options = ["--exporter", "TorchScript", "--write", "specs"]
    _, output = scanned(model, warm, tmp_path, *options)
    (finding,) = output["findings"]
    assert [remedy["text"] for remedy in finding["remedies"]] == [
        "your spec for aten::erfinv does not help: wrong results: output 0: 12 of 12 elements differ by "
        + "more than 1e-05 + 0.0001 * |expected|"
    ]


def test_a_place_is_the_users_line() -> None:
    """And tells the library's that it led to."""
    import torchvision  # type: ignore[import-untyped]

    frames = [(__file__, 1), (torchvision.__file__, 2), (torch.__file__, 3)]
    place = places.of_frames(frames)
    assert place is not None
    assert (place.file, place.line, place.through) == (__file__, 1, "torchvision/__init__.py:2")


PROGRAM = program("scan/program")


def test_an_exported_program(warm: Warm, tmp_path: Path) -> None:
    """Of its own either exporter says the same: it has no modes, in which it would be exported."""
    (tmp_path / "save.py").write_text(PROGRAM, encoding="utf-8")
    warm.run("save.py", cwd=tmp_path)
    command = ["-W", "ignore", "-m", "onnxop", "scan", "net.pt2"]
    assert warm.run(*command, cwd=tmp_path).stdout == (
        "net.pt2: loading it can run any code as you; give --trust if you trust its author\n"
    )
    told = warm.run(*command, "--trust", cwd=tmp_path).stdout
    assert "  TorchScript, opset 20: refused: no rule for aten::erfinv\n" in told
    table, _, following = told.partition("\nNext: ")
    assert table.splitlines()[-1].split("  ")[-1] == "refused: no rule for aten::erfinv"
    assert following.splitlines()[1] == "  onnxop scan net.pt2 --trust --write specs --build"


OF_ITS_OWN = f"""
import own
{PROGRAM.replace("torch.erfinv", "own.squash")}
"""


def test_a_program_with_an_operator_of_its_own(warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "save.py").write_text(OF_ITS_OWN, encoding="utf-8")
    warm.checked("-W", "ignore", "save.py", cwd=tmp_path)
    command = ["-W", "ignore", "-m", "onnxop", "scan", "net.pt2", "--trust", "--exporter", "dynamo"]
    told = warm.run(*command, cwd=tmp_path).stdout
    assert "name the module that registers its operators with --requires MODULE" in told
    told = warm.run(*command, "--requires", "own", cwd=tmp_path).stdout
    assert "remedy: complete a starter: onnxop new --from acme::squash --requires own\n" in told


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_a_file_that_is_no_program(content: bytes | None, tmp_path: Path) -> None:
    file = tmp_path / "net.pt2"
    if content is None:
        torch.save({"weight": torch.ones(1)}, file)
    else:
        file.write_bytes(content)
    with pytest.raises(OnnxopError, match=r"net.pt2: torch.export.load raises .*; save it again"):
        target.load(str(file), is_trusted=True)


@pytest.mark.parametrize("args", [((torch.ones(2, 3),),), (5, {}), None], ids=str)
def test_a_program_with_odd_inputs(args: Any, tmp_path: Path) -> None:
    program = torch.export.export(torch.nn.ReLU(), (torch.ones(2, 3),))
    program._example_inputs = args
    torch.export.save(program, tmp_path / "net.pt2")
    with pytest.raises(OnnxopError, match=r"net.pt2: has no example inputs \(args, kwargs\)"):
        target.load(str(tmp_path / "net.pt2"), is_trusted=True)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--name", "a b"], "--name 'a b': is not an identifier"),
        (["--write", __file__], "is a file; give a folder"),
        (
            ["--opset", "5"],
            "left out for the TorchScript exporter, which supports 9 to 23.\nNo export is left to try; write another",
        ),
    ],
)
def test_what_no_scan_can_end_with(
    options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is refused before anything is imported."""
    assert cli.main(["scan", "nothing_here:build", *options]) == 1
    told = capsys.readouterr().err
    assert why in told
    assert "nothing_here" not in told


RAISES = program("scan/raises")

NOTHING = program("scan/nothing")


@pytest.mark.parametrize(
    ("code", "name", "why"),
    [
        ("def build(): return 1", "net:build", "net:build: returns <class 'int'>; return (model"),
        ("def build(): raise KeyError(1)", "net:build", "build() raises KeyError: 1, at "),
        ("import nothing_here", "net:build", "importing net raises ModuleNotFoundError"),
        ("", "net:build", "net has no function build"),
        ("def built(): pass", "net:build", "net has no function build; did you mean built?"),
        (RAISES, "net:build", "net:build: the model itself raises ValueError: one two, at "),
        (NOTHING, "net:build", "net:build: the model returns nothing; return tensors from"),
        ("", "nett:build", "no module nett can be imported from"),
        ("", "net", "is not a function; write package.module:function"),
        ("", "net.pt2", "net.pt2: no such file"),
        ("", "nosuch.py:build", "nosuch.py: no such file"),
    ],
)
def test_what_is_no_model(code: str, name: str, why: str, warm: Warm, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(code, encoding="utf-8")
    done = warm.run("-m", "onnxop", "scan", name, cwd=tmp_path)
    assert done.returncode == 1
    assert why in done.stdout
    assert len(lines(done.stdout)) == 1
