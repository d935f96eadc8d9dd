"""Samples → values in which the mapping differs from the kernel, before any build."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop import cli

pytestmark = pytest.mark.slow  # the first imports PyTorch and ONNX Runtime

SPEC = """
[op]
schema = "{schema}"
[onnx]
opset = 18
mapping = '''{mapping}'''
{rest}
[[samples]]
x = "float32[n=2, m=3]"
"""
MAPPING, GRADIENT = (
    "the mapping's values differ from",
    "the gradient differs from autograd's through",
)
OWN = "my_lib::f(Tensor x) -> Tensor"
FAULTS = {
    "sign": (OWN, "op.Sub(x, 1.0)", '[kernel]\nelementwise = "x + 1"', MAPPING),
    "constant": (OWN, "op.Mul(x, 1.001)", '[kernel]\npython = "x * 1.0"', MAPPING),
    "axis": (OWN, "op.Softmax(x, axis=0)", '[kernel]\npython = "torch.softmax(x, 1)"', MAPPING),
    "a function of C alone": (OWN, "op.Neg(x)", '[kernel]\nelementwise = "round(x)"', MAPPING),
    "the second result": (
        "my_lib::f(Tensor x) -> (Tensor a, Tensor b)",
        "op.Neg(x), op.Abs(x)",
        '[kernel]\npython = "-x, 2 * x.abs()"',
        MAPPING,
    ),
    "an op that exists": ("aten::erf", "op.Tanh(self)", "", MAPPING),
    "gradient": (
        OWN,
        "op.Mul(x, x)",
        '[kernel]\nelementwise = "x * x"\n[autograd]\nx = "x * grad"',
        GRADIENT,
    ),
    "the gradient of two results": (
        "my_lib::f(Tensor x) -> (Tensor a, Tensor b)",
        "op.Neg(x), op.Mul(x, x)",
        '[kernel]\npython = "-x, x * x"\n[autograd]\nx = "x * grads[1] - grads[0]"',
        GRADIENT,
    ),
}
OTHERS = {
    "a later opset alone": (
        OWN,
        "op.Neg(x) if opset >= 21 else op.Identity(x)",
        '[kernel]\npython = "x * 1.0"',
        f"{MAPPING} [kernel]'s in sample 1 at opset 21: the worst error is",
    ),
    "a change through a view": (
        OWN,
        "op.Neg(x)",
        '[kernel]\npython = "-x.view(-1).mul_(2).view(x.shape)"',
        "this modifies an input in sample 1",
    ),
    "a formula that raises": (
        OWN,
        "op.Mul(x, x)",
        '[kernel]\nelementwise = "x * x"\n[autograd]\nx = "grad @ grad"',
        "autograd.x: the gradient differs from autograd's through [kernel] in sample 1: the worst error is inf (Runt",
    ),
    "random numbers": (
        OWN,
        "op.Neg(x)",
        '[kernel]\npython = "torch.empty_like(x).uniform_()"',
        "this draws random numbers (two calls of sample 1 differ)",
    ),
    "a specialised size": (
        OWN,
        "op.Mul(x, 2.0)",
        '[kernel]\npython = "x * x.shape[0]"',
        f"{MAPPING} [kernel]'s in sample 1 with every named size one larger: the worst error is",
    ),
    "a specialised size, computed from a named one": (
        "my_lib::f(Tensor x, Tensor? y) -> Tensor",
        "op.Neg(x) if y is None else op.Mul(y, 4.0)",
        """[kernel]\npython = '-x if y is None else y * y.shape[0]'\n[[samples]]\nx = 'float32[n=2]'\ny = 'float32[2*n]'""",
        f"{MAPPING} [kernel]'s in sample 1 with every named size one larger: the worst error is",
    ),
    "an argument that no sample leaves out": (
        "my_lib::f(Tensor x, Tensor? y) -> Tensor",
        "x if y is None else op.Add(x, y)",
        """[kernel]\npython = '-x if y is None else x + y'\n[[samples]]\nx = 'float32[2]'\ny = 'float32[2]'""",
        f"{MAPPING} [kernel]'s in sample 1 with y None: the worst error is",
    ),
    "a truth value that no sample gives": (
        "my_lib::f(Tensor x, bool flip=False) -> Tensor",
        "op.Abs(x)",
        '[kernel]\npython = "-x if flip else x.abs()"',
        f"{MAPPING} [kernel]'s in sample 1 with flip = true: the worst error is",
    ),
    "a float that no sample gives": (
        "my_lib::f(Tensor x, float by=1.0) -> Tensor",
        "op.Mul(x, by)",
        """[kernel]\npython = 'x * by'\n[autograd]\nx = 'grad'""",
        "the gradient differs from autograd's through [kernel] in sample 1 with by = 1.75: the worst error is",
    ),
    "a size of the wrong rank": (
        "aten::topk",
        "values, indices = op.TopK(self, k, axis=-1)\nreturn values, op.Cast(indices, to=7)",
        "[[samples]]\nself = 'float32[4]'\nk = 2",
        "ONNX refuses op.TopK",
    ),
    "an error that is none": (
        OWN,
        "op.Neg(x)",
        "[kernel]\npython = '-x'\n[[errors]]\nx = 'float32[3]'\nraises = 'RuntimeError'\nmatch = 'x'",
        "errors[0]: this raises nothing",
    ),
}


def text_of(schema: str, mapping: str, rest: str) -> str:
    text = SPEC.format(schema=schema, mapping=mapping, rest=rest)
    if "[[samples]]" in rest:
        return text.removesuffix('[[samples]]\nx = "float32[n=2, m=3]"\n')
    return text.replace("\nx =", "\nself =") if "::erf" in schema else text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_one_is_told(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check the message, with sample and worst error, alone and in a folder; ``--no-run`` skips
    values.
    """
    *parts, message = FAULTS[fault]
    spec = tmp_path / "op.toml"
    spec.write_text(text_of(*parts), encoding="utf-8")
    (tmp_path / "fine.toml").write_text(
        text_of(OWN.replace("f(", "g("), "op.Neg(x)", '[kernel]\nelementwise = "-x"'), "utf-8"
    )
    for path in (spec, tmp_path):
        assert cli.main(["check", str(path)]) == 1
        output = capsys.readouterr().err
        assert output.count("in sample 1: the worst error is ") == output.count(message) == 1, (
            output
        )
        assert cli.main(["check", "--no-run", str(path)]) == 0
        capsys.readouterr()


@pytest.mark.parametrize("fault", OTHERS)
def test_what_a_run_finds_beside(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    *parts, message = OTHERS[fault]
    spec = tmp_path / "op.toml"
    spec.write_text(text_of(*parts), encoding="utf-8")
    assert cli.main(["check", str(spec)]) == 1
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("expression", "is_told"),
    [("x > 0 ? sqrt(x) : 0", True), ("x > 0 ? sqrt(x > 0 ? x : 1) : 0", False)],
)
def test_a_gradient_that_is_nan(
    expression: str, is_told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Warn of it: 0 times the infinite slope of the side that is not taken."""
    mapping = "op.Sqrt(op.Relu(x))"
    text = text_of(OWN, mapping, f'[kernel]\nelementwise = "{expression}"')
    (tmp_path / "f.toml").write_text(text, encoding="utf-8")
    assert cli.main(["check", str(tmp_path / "f.toml")]) == 0
    printed = capsys.readouterr().out
    assert "my_lib::f is fine" in printed
    fact = "kernel.elementwise: the gradient of x is NaN in sample 1, where all values are finite: "
    assert (fact in printed) == is_told


@pytest.mark.parametrize("match", ["", "match = 'must be positive'\n"], ids=["none", "match"])
def test_an_error_case_without_match(
    match: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tell the text that a case raises, since any other error of the type would pass."""
    kernel = "if n < 1:\n    raise ValueError('n must be positive')\nreturn -x"
    text = text_of("my_lib::f(Tensor x, int n=1) -> Tensor", "op.Neg(x)", "")
    case = f'[[errors]]\nx = "float32[2, 3]"\nn = 0\nraises = "ValueError"\n{match}'
    text += f'[kernel]\npython = """\n{kernel}\n"""\n{case}'
    (tmp_path / "f.toml").write_text(text, encoding="utf-8")
    assert cli.main(["check", "--no-run", str(tmp_path / "f.toml")]) == 0
    advice = "errors[0]: without match, any ValueError passes; write a part of its text as match: "
    assert (f"{advice}n must be positive\n" in capsys.readouterr().out) == (not match)
