"""`onnxop ship --parser tensorrt`: what the parser of TensorRT for RTX refuses, node by node."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import onnx
import onnx.parser
import pytest

from onnxop import cli

IS_INSTALLED = find_spec("tensorrt_rtx") is not None
needs_parser = pytest.mark.skipif(
    not IS_INSTALLED, reason="needs the parser of TensorRT: pip install tensorrt-rtx"
)


SHIP = ["ship", "--parser", "tensorrt", "m.onnx", "deploy"]


def save(folder: Path, graph: str, *functions: str, domains: str = "") -> None:
    """Write a model in ONNX's textual syntax at opset 17."""
    header = f'<ir_version: 8, opset_import: ["": 17{domains}]> g '
    model = onnx.parser.parse_model("\n".join([header + graph, *functions]))
    onnx.save(model, folder / "m.onnx")


def ship(folder: Path, graph: str, *functions: str, domains: str = "") -> int:
    """Write a model and ship it. Return the exit status."""
    save(folder, graph, *functions, domains=domains)
    return cli.main(SHIP)


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.skipif(IS_INSTALLED, reason="the parser is installed")
def test_without_the_parser(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ship(tmp_path, "(float[2] x) => (float[2] y) { y = Abs(x) }") == 1
    assert "is not installed; run" in capsys.readouterr().err
    assert not (tmp_path / "deploy").exists()


@needs_parser
def test_a_model_that_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = "(float[N, 3] x) => (float[N, 3] y) { z = Relu(x) y = my_lib.f(z) }"
    function = '<domain: "my_lib", opset_import: ["": 17]> f (a) => (b) { b = Neg(a) }'
    assert ship(tmp_path, graph, function, domains=', "my_lib": 1') == 0
    assert "m.onnx is accepted by the parser of TensorRT for RTX" in capsys.readouterr().out
    readme = (tmp_path / "deploy" / "README.md").read_text("utf-8")
    assert "- The parser of TensorRT for RTX" in readme


DET = "the parser has no Det; write"
RULE = "a rule with other ops for the operator that becomes it"
BRANCHES = """(bool c, float[2, 3, 3] x) => (float[2] y) {
    z = Relu(x)
    y = If <then_branch = t () => (float[2] a) { a = Det(z) }, else_branch = e () => (float[2] b) { b = Det(x) }> (c)
}"""
RESIZE = "(float[1, 1, 2, 2] x, float[4] s) => (float[a, b, c, d] y) { y = Resize(x, , s) }"
SHAPE_TENSOR = "Network input s is a shape tensor and must have type Int32 or Int64. Type is Float"
REFUSED = {
    "op": (
        "(float[2, 3, 3] x) => (float[2] y) { z = Relu(x) y = Det(z) }",
        f"  Det (opset 17), node y: {DET} {RULE}\n",
    ),
    "nodes": (
        "(float[2, 3, 3] x) => (float[2] y, float[2] z) { y = Det(x) z = Det(x) }",
        f"  Det (opset 17), nodes y and z: {DET} {RULE}\n",
    ),
    "later op": (
        "(float[2] x) => (float[2] y) { y = Bernoulli(x) }",
        f"the parser has no Bernoulli; write {RULE}, or export below opset 15\n",
    ),
    "subgraph": (BRANCHES, f"  Det (opset 17), node y: {DET} {RULE}\n"),
    "sizes": (
        "(float[2, 3] x) => (float[a, b] y) <int64[2] s = {4, 5}> { y = Reshape(x, s) }",
        "  Reshape (opset 17), node y: reshape changes volume. Reshaping [2,3] to [4,5]; write",
    ),
    "sizes in a float": (RESIZE, f"  Resize (opset 17), node y: {SHAPE_TENSOR}; write {RULE}\n"),
    "dtype": (
        "(complex64[2] x, float[2] z) => (complex64[2] y) { y = Identity(x) }",
        "  the inputs: TensorRT lacks the dtype of one of them, x of complex64 and z of float; cast",
    ),
}


@needs_parser
@pytest.mark.parametrize(("graph", "message"), REFUSED.values(), ids=REFUSED)
def test_refused(
    graph: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ship(tmp_path, graph) == 1
    err = capsys.readouterr().err
    assert "m.onnx: the parser of TensorRT for RTX" in err
    assert message in err
    assert not (tmp_path / "deploy").exists()


@needs_parser
def test_nodes_of_other_domains(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Name the function body with the node, the plugins that nodes without a body ask for, and both
    domains.
    """
    graph = """(float[2, 3, 3] x) => (float[2] y, float[2] z, float[2] w) {
        y = a.outer(x)
        z = TRT.Some_TRT <plugin_version = "2", plugin_namespace = "mine"> (x)
        w = b.bare (x)
    }"""
    functions = (
        '<domain: "a", opset_import: ["": 16, "a": 1]> outer (s) => (t) { r = Abs(s) t = a.inner(r) }',
        '<domain: "a", opset_import: ["": 16]> inner (s) => (t) { t = Det(s) }',
    )
    assert ship(tmp_path, graph, *functions, domains=', "a": 1, "b": 3, "TRT": 1') == 1
    err = capsys.readouterr().err
    assert f"  Det (opset 16) in the function body of a::inner, node y: {DET} this mapping" in err
    no_body = "it has no function body, and the parser has no plugin"
    assert (
        f'TRT::Some_TRT (opset 1), node z: {no_body} Some_TRT, version 2, of the namespace "mine" or "TRT"'
        in err
    )
    assert (
        f'b::bare (opset 3), node w: {no_body} bare, version 1, of the namespace "" or "b"' in err
    )


@needs_parser
@pytest.mark.parametrize(
    "node", ["y = a.f(x, , x)", "y = a.f(x, x, )", "y = a.f(x, x)", "y, = a.f(x, x, x)"]
)
def test_a_function_that_is_not_used_whole(
    node: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    function = (
        '<domain: "a", opset_import: ["": 17]> f (p, q, r) => (s, t) { s = Add(p, r) t = Neg(p) }'
    )
    graph = f"(float[2] x) => (float[2] y) {{ {node} }}"
    assert ship(tmp_path, graph, function, domains=', "a": 1') == 1
    fact = "it leaves out an input or a result of its function, which the parser does not support"
    assert f"  a::f (opset 1), node y: {fact}; export its operator" in capsys.readouterr().err


@needs_parser
@pytest.mark.parametrize("body", ["Neg", "Abs"])
def test_the_parser_reads_no_domains(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Refuse nodes that TensorRT would compute as others: as ONNX's op, or by another domain's
    function.
    """
    graph = "(float[2] x) => (float[2] y) { p = a.Relu(x) q = a.f(p) y = b.f(q) }"
    functions = (
        f'<domain: "a", opset_import: ["": 17]> Relu (s) => (t) {{ t = {body}(s) }}',
        '<domain: "a", opset_import: ["": 17]> f (s) => (t) { t = Neg(s) }',
        '<domain: "b", opset_import: ["": 17]> f (s) => (t) { t = Sin(s) }',
    )
    assert ship(tmp_path, graph, *functions, domains=', "a": 1, "b": 1') == 1
    err = capsys.readouterr().err
    start = "the parser does not read domains, and"
    assert f"  a::Relu, node p: {start} takes it for ONNX's Relu; give" in err
    assert f"  a::f, node q: {start} b has a function of this name; give" in err
    assert f"  b::f, node y: {start} a has a function of this name; give" in err


@needs_parser
def test_a_model_that_ends_the_parser(tmp_path: Path) -> None:
    function = '<domain: "a", opset_import: ["": 17, "a": 1]> f (s) => (t) { t = a.f(s) }'
    save(tmp_path, "(float[2] x) => (float[2] y) { y = a.f(x) }", function, domains=', "a": 1')
    command = [sys.executable, "-m", "onnxop", *SHIP]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    fact = "m.onnx: the parser of TensorRT for RTX crashes: the process ended with SIGSEGV"
    assert result.stderr.startswith(fact)
    assert "Traceback" not in result.stderr
