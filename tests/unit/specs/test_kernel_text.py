"""The keys of ``[kernel]`` beside its code."""

from __future__ import annotations

import pytest

from onnxop_runtime.specs import kernel_text
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems

from .documents import document

ARGUMENTS = (Argument("x", "Tensor"), Argument("sizes", "Tensor"), Argument("n", "int"))


def facts(kernel: str, writes: tuple[str, ...] = ()) -> list[str]:
    """Return the messages for a kernel of ``f(Tensor x, Tensor sizes, int n)``."""
    problems = Problems()
    schema = OpSchema("my_lib", "f", "", ARGUMENTS, writes=writes)
    kernel_text.check(document(f"[kernel]\n{kernel}"), problems, schema)
    return [problem.message for problem in problems]


def test_a_valid_table() -> None:
    table = 'source = "f.h"\ncuda = "f.cuh"\nbackward = ["x"]\non_host = ["sizes"]'
    assert facts(table) == []


@pytest.mark.parametrize(
    ("kernel", "fact"),
    [
        ('source = "../f.h"', "'../f.h' is not the name of a C++ header"),
        ('source = "f.cpp"', "'f.cpp' is not the name of a C++ header"),
        ('source = "f.h"\ncuda = "f.cu"', "'f.cu' is not the name of a file for CUDA"),
        ('source = "f.h"\nbackward = ["n"]', "a kernel cannot compute a gradient of 'n'"),
        ('source = "f.h"\nbackward = ["x", "x"]', "x is given twice; remove one"),
        ('source = "f.h"\non_host = ["n"]', "'n' is not a tensor of the operator"),
    ],
)
def test_names_that_are_not_valid(kernel: str, fact: str) -> None:
    [message] = facts(kernel)
    assert message.startswith(fact)


def test_a_kernel_that_writes_has_no_gradients_and_no_cuda() -> None:
    table = 'source = "f.h"\ncuda = true\nbackward = ["x"]'
    gradients, cuda = facts(table, writes=("x",))
    assert "a kernel in C++ that writes to x computes no gradients" in gradients
    assert "a kernel in C++ that writes to x is for CPUs only" in cuda


def test_other_kernels_have_no_such_names() -> None:
    assert facts('elementwise = "2 * x"') == []
