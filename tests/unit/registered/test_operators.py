"""Operators of specs without a package: what `register` makes of a document."""

from __future__ import annotations

import pytest

from onnxop_runtime.operator.model import Operator, Origin
from onnxop_runtime.registered import operators
from onnxop_runtime.specs import reading

MEDIAN = """
[op]
schema = "aten::median.dim"
name = "median_dim"
doc = \"\"\"The median.

More about it.\"\"\"

[onnx]
opset = 18
mapping = "return self, self"
"""
KERNEL = """
[op]
schema = "aten::asinh"

[onnx]
opset = 9
mapping = "op.Asinh(self)"

[kernel]
python = "torch.asinh(self)"
"""


def made_of(text: str, *, takes_kernel: bool = False, is_lazy: bool = False) -> Operator:
    read = reading.read_text(text, "f.toml")
    operator = operators.made_of(
        read, Origin.REGISTERED, takes_kernel=takes_kernel, is_lazy=is_lazy
    )
    assert operator is not None, [problem.message for problem in read.problems]
    return operator


def problem_of(text: str) -> str:
    """Return the path and the message of a spec's only problem; it makes no operator."""
    read = reading.read_text(text, "f.toml")
    assert operators.made_of(read, Origin.REGISTERED) is None
    [problem] = read.problems
    return f"{'.'.join(map(str, problem.path))}: {problem.message}"


def test_a_spec_becomes_an_operator() -> None:
    operator = made_of(MEDIAN)
    assert (str(operator), operator.public_name) == ("aten::median.dim", "median_dim")
    assert (operator.opset, operator.op_type, operator.doc) == (18, "median_dim", "The median.")
    assert [argument.name for argument in operator.arguments] == ["self", "dim", "keepdim"]
    assert operator.results == ["values", "indices"]
    assert operator.origin is Origin.REGISTERED


def test_a_lazy_mapping_is_compiled_at_its_first_use() -> None:
    text = MEDIAN.replace("return self, self", "return (")
    operator = made_of(text, is_lazy=True)
    with pytest.raises(ValueError, match="not valid Python"):
        operator.rule(None, None, 0, False)  # type: ignore[misc]
    assert problem_of(text).startswith("onnx.mapping: ")


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("aten::median.dim", "aten::medain", "op.schema: PyTorch has no operator aten::medain"),
        ('"median_dim"', '"torch"', "op.name: the name 'torch' "),
        ("opset = 18", "opset = 99", "onnx.opset: "),
        ("return self, self", "return self", "onnx.mapping: "),
        ("return self, self", "return self, other", "onnx.mapping: "),
    ],
)
def test_problems(before: str, after: str, problem: str) -> None:
    assert problem_of(MEDIAN.replace(before, after)).startswith(problem)


def test_a_kernel_needs_trust() -> None:
    assert problem_of(KERNEL) == (
        "kernel: a spec with a kernel needs a package; run onnxop new f.toml"
    )
    operator = made_of(KERNEL, takes_kernel=True)
    assert operator.kernel is not None
    assert operator.name.endswith("::asinh.default") and operator.namespace != "aten"
