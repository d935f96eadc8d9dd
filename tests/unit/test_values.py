"""Samples → the values that the mapping gives otherwise than the kernel, found before anything is built."""

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
mapping = "{mapping}"
{rest}
[[samples]]
x = "float32[n=2, m=3]"
"""
MAPPING, GRADIENT = "the mapping gives other values than", "the gradient is not that of"
OWN = "my_lib::f(Tensor x) -> Tensor"
FAULTS = {
    "sign": (OWN, "op.Sub(x, 1.0)", '[kernel]\nelementwise = "x + 1"', MAPPING),
    "constant": (OWN, "op.Mul(x, 1.01)", '[kernel]\npython = "x * 1.0"', MAPPING),
    "axis": (OWN, "op.Softmax(x, axis=0)", '[kernel]\npython = "torch.softmax(x, 1)"', MAPPING),
    "an op that exists": ("aten::erf", "op.Tanh(self)", "", MAPPING),
    "gradient": (
        OWN,
        "op.Mul(x, x)",
        '[kernel]\nelementwise = "x * x"\n[autograd]\nx = "x * grad"',
        GRADIENT,
    ),
}


def text_of(schema: str, mapping: str, rest: str) -> str:
    text = SPEC.format(schema=schema, mapping=mapping, rest=rest)
    return text.replace("\nx =", "\nself =") if "::erf" in schema else text


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_one_is_told(
    fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its sample and the worst error, alone and in a folder; ``--no-run`` leaves values out."""
    *given, words = FAULTS[fault]
    spec = tmp_path / "op.toml"
    spec.write_text(text_of(*given), encoding="utf-8")
    (tmp_path / "fine.toml").write_text(
        text_of(OWN.replace("f(", "g("), "op.Neg(x)", '[kernel]\nelementwise = "-x"'), "utf-8"
    )
    for path in (spec, tmp_path):
        assert cli.main(["check", str(path)]) == 1
        told = capsys.readouterr().err
        assert told.count("in sample 1: the worst error is ") == told.count(words) == 1, told
        assert cli.main(["check", "--no-run", str(path)]) == 0
        capsys.readouterr()
