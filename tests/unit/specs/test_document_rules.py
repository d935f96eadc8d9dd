"""Rules of a document's values, apart from those of its operator's schema."""

from __future__ import annotations

import pytest

from onnxop_runtime.specs import document_rules, mapping_text
from onnxop_runtime.specs.problems import Problems

from .documents import document


@pytest.mark.parametrize(
    ("tables", "fact"),
    [
        ('[onnx]\nmapping = "op.Abs(x)"', "missing; add opset = 13"),
        ("[onnx]\nopset = 13", "missing; add mapping = "),
        ('[onnx]\ndomain = "acme"\ndynamo = false', "only a mapping can be limited to"),
    ],
)
def test_keys_of_onnx(tables: str, fact: str) -> None:
    problems = Problems()
    document_rules.check_onnx(document(tables), problems)
    assert [problem.message.startswith(fact) for problem in problems] == [True]


@pytest.mark.parametrize(
    ("kernel", "fact"),
    [
        ("", "has no kernel; "),
        ('elementwise = "x"\npython = "x"', "elementwise already gives a kernel; remove one"),
        ('python = "x"\ncuda = true', "PyTorch's operators compute a python kernel on each device"),
        ('elementwise = "x"\nfake = "x"', "fake belongs to a python kernel; remove it"),
    ],
)
def test_keys_of_a_kernel(kernel: str, fact: str) -> None:
    problems = Problems()
    document_rules.check_kernel(document(f"[kernel]\n{kernel}"), problems)
    assert [problem.message.startswith(fact) for problem in problems] == [True]


@pytest.mark.parametrize(
    ("mapping", "opset", "fact"),
    [
        ("op.Abs(x)", 13, ""),
        ("op.Abs(y)", 13, "y"),
        ("op.Abs(x)", 99, "the exporters write opsets 9 to "),
        ("op.Gelu(x)", 13, "op.Gelu"),
    ],
)
def test_the_text_of_a_mapping(mapping: str, opset: int, fact: str) -> None:
    problems = Problems()
    text = f'[onnx]\nopset = {opset}\nmapping = "{mapping}"'
    mapping_text.check(document(text), problems, ["x"], ["result"])
    facts = [problem.message for problem in problems]
    assert len(facts) == bool(fact)
    assert all(fact in each for each in facts)
