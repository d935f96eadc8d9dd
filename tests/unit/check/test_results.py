"""Samples → differences in form between the kernel's and the mapping's results, before any
build.
"""

from __future__ import annotations

import json
import signal
from functools import lru_cache
from pathlib import Path
from textwrap import dedent

import pytest

from onnxop.check import answers, torch_process
from onnxop.check.load import load, parse
from onnxop.check.torch_process import TorchProcess
from onnxop.errors import InvalidSpecError
from onnxop_runtime.processes import Limits, ProcessDied


def output(schema: str, mapping: str, kernel: str, *samples: str, opset: int = 13) -> list[str]:
    """Return the messages about the spec, without positions."""
    try:
        parse(spec_of(schema, mapping, kernel, *samples, opset=opset))
    except InvalidSpecError as error:
        return messages(error)
    return []


def messages(error: InvalidSpecError) -> list[str]:
    return [line.split("\n")[0].split(": ", 2)[2] for line in error.lines]


def spec_of(schema: str, mapping: str, kernel: str, *samples: str, opset: int = 13) -> str:
    tables = "\n".join(f"[[samples]]\n{sample}" for sample in samples)
    return f"""
[op]
schema = "{schema}"
[onnx]
opset = {opset}
mapping = '''{dedent(mapping)}'''
{"[kernel]" if kernel else ""}
{kernel}
{tables}
"""


OWN = "m::f(Tensor x, Tensor y, Scalar s=2, float[] w=[1.0], int n=1, Tensor? z=None) -> Tensor"
FLOATS = 'x = "float32[2, 3]"\ny = "float32[3]"'
INTEGERS = 'x = "int64[2, 3]"\ny = "int64[3]"'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mapping", "kernel", "sample"),
    [
        ("op.Add(x, y)", 'python = "x + y"', FLOATS),
        ("op.Mul(x, s)", 'python = "x * s"', INTEGERS),
        ("op.Mul(x, w[0])", 'python = "x * w[0]"', FLOATS + "\nw = [2]"),
        ("x * y if z is None else z", 'python = "x * y if z is None else z"', FLOATS),
        ("op.Greater(x, y)", 'elementwise = "x > y"', FLOATS),
        ("op.Cast(x, to=1) / op.Cast(y, to=1)", 'python = "x / y"', INTEGERS),
        ("op.Div(x, y)", "python = \"torch.div(x, y, rounding_mode='trunc')\"", INTEGERS),
        # Results that depend on values are unknown before a run.
        ("op.Tile(x, [1, 2])", 'python = "torch.cat([x] * int(y.max().item()), 1)"', FLOATS),
        ("op.Neg(x)", 'python = "-x if x.sum() > 0 else x"', FLOATS),
        # Kernels that cannot run here, and sizes, which the host decides.
        ("op.Neg(x)", 'python = "-F.dropout(x, 0.5, n > 1)"', FLOATS),
        ("op.Neg(x)", 'python = "-F.rrelu(x.abs())"', FLOATS),
        ("op.Neg(x)", 'python = "F.scaled_dot_product_attention(x, x, -x)"', FLOATS),
        ("op.Neg(x)", 'python = "-x.expand(torch.tensor(x.shape).cpu().tolist())"', FLOATS),
    ],
)
def test_what_agrees(mapping: str, kernel: str, sample: str) -> None:
    assert (
        output(
            OWN.replace(", float[] w=[1.0], int n=1, Tensor? z=None", "")
            if "elem" in kernel
            else OWN,
            mapping,
            kernel,
            sample,
        )
        == []
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mapping", "kernel", "sample", "fact"),
    [
        ("op.Div(x, y)", 'python = "x / y"', INTEGERS, "returns int64[2, 3] in sample 1, but [kernel]"),
        ("op.Mul(x, 2.0)", 'python = "x * 2.0"', INTEGERS, "write op.Cast(x, to=1) for an x that"),
        ("op.Mean(op.Cast(x, to=11))", 'python = "x * 1.0"', INTEGERS, "returns float64[2, 3]"),
        ("op.ReduceSum(x)", 'python = "x.sum()"', FLOATS, "returns float32[1, 1] in sample 1, but"),
        ("op.Shape(x)", 'python = "torch.tensor(x.shape)[:1]"', FLOATS, "int64[2] in sample 1, but"),
        ("op.Neg(x)", 'python = "x.view(7)"', FLOATS, "raises for sample 1: RuntimeError: shape '[7]'"),
        ("op.Neg(x)", 'python = "x.unbind(0)"', FLOATS, "returns 2 for sample 1, but the schema has one"),
        ("op.Neg(x)", 'python = "x.tolist"', FLOATS, "instead of a tensor for sample 1"),
        ("x + op.RandomNormalLike(x)", 'python = "-x"', FLOATS, "draws random numbers (op.RandomNormalLike)"),
        ("op.Neg(x)", "python = '''-x.to(\"cuda\")'''", FLOATS, "this returns a tensor on cuda for sample 1, but"),
        ("op.Neg(x)", 'python = "x * math.nan ** n + list(range(10**n))[-1]"', FLOATS + "\nn = 14", "Memory"),
    ],
)  # fmt: skip
def test_what_differs(mapping: str, kernel: str, sample: str, fact: str) -> None:
    (message,) = output(OWN, mapping, kernel, sample)
    assert fact in message


def test_an_operator_that_exists() -> None:
    topk = "values, indices = op.TopK(self, [k], axis=dim)\nreturn values, op.Cast(indices, to=6)"
    sample = 'self = "float32[2, 3]"\nk = 2'
    (message,) = output("aten::topk", topk, "", sample, sample.replace("k = 2", "k = 3"))
    assert "returns int32[2, 2] as indices in sample 1, but PyTorch returns int64[2, 2]" in message
    (message,) = output("aten::flip", "op.Neg(self)", "", 'self = "float32[2]"\ndims = [4]')
    assert message.startswith(
        "PyTorch's own operator raises for sample 1: IndexError: Dimension out"
    )


@pytest.mark.nightly
@pytest.mark.slow
def test_what_never_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "_SECONDS", 1)
    kernel = "python = '''\nif n > 1:\n    while True:\n        x = -x\nreturn -x\n'''"
    (message,) = output(OWN, "op.Neg(x)", kernel, FLOATS, FLOATS + "\nn = 2")
    assert message == "this takes more than 1 s for sample 2; make it end"
    assert output(OWN, "op.Neg(x)", kernel, FLOATS) == []  # the next question is answered


@pytest.mark.slow
def test_what_was_not_compared_is_no_success(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_process, "_LIMITS", Limits(seconds=1e-3))
    monkeypatch.setattr(answers, "_process", lru_cache(maxsize=1)(TorchProcess))
    spec = tmp_path / "op.toml"
    spec.write_text(spec_of(OWN, "op.Neg(x)", "python = '-x'", FLOATS), encoding="utf-8")
    load(spec)  # compares nothing, as an update
    with pytest.raises(InvalidSpecError) as raised:
        load(spec, is_run=True)
    (message,) = messages(raised.value)
    assert message.startswith(
        "nothing was compared, as PyTorch's process did not answer: no result within 0 s"
    )


def question(size: int, *modules: str) -> str:
    """Return the question for ``aten::neg`` of ``size`` integers, once the modules are imported."""
    call = {"self": {"dtype": "int64", "shape": [size]}}
    asked = {"code": "", "operator": "aten.neg.default", "calls": [call], "modules": modules}
    return json.dumps({**asked, "fake": "", "models": [], "errors": []})


@pytest.mark.nightly
@pytest.mark.slow
def test_a_process_that_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ends.py").write_text("import os\nos._exit(1)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    ends, well = question(2, "ends"), question(2)
    process = TorchProcess(5, 10)
    for asked in (ends, well):
        process.ask(asked)
    expected: object = ({"rights": []}, {"results": [["int64", [2], "cpu"]]})
    assert process.answer(well) == expected
    with pytest.raises(ProcessDied, match="the process ended with status 1"):
        process.answer(ends)
    process._end()


@pytest.mark.slow
def test_an_answer_after_a_signal_is_its_own_question_s() -> None:
    class Stopped(BaseException):
        """As that of a scan which is stopped."""

    def stop(*_: object) -> None:
        raise Stopped

    two, three = question(2), question(3)
    process = TorchProcess(5, 10)
    process.ask(two)
    former = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01)  # the process imports PyTorch for longer
        with pytest.raises(Stopped):
            process.answer(two)
    finally:
        signal.signal(signal.SIGALRM, former)
    expected = [{"results": [["int64", [size], "cpu"]]} for size in (3, 2)]
    found: list[object] = [process.answer(asked)[1] for asked in (three, two)]
    assert found == expected
    process._end()
