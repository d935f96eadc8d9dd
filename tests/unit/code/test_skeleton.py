"""The skeleton of a kernel, derived from the samples and the mapping."""

from __future__ import annotations

import pytest

from onnxop.check.load import parse
from onnxop.code.cpp import cpp_op
from onnxop.code.skeleton import Skeleton

SPEC = """
[op]
schema = "m::f({arguments}) -> {results}"
[onnx]
{onnx}
[kernel]
source = "kernel.h"
"""


def infer(
    arguments: str, *samples: str, results: str = "Tensor", onnx: str = 'domain = "m"'
) -> list[str]:
    """Return the lines of infer()'s body without comments."""
    code = skeleton(arguments, *samples, results=results, onnx=onnx)
    return [line for line in (*code.checks, *code.infer_body) if not line.startswith("//")]


def skeleton(
    arguments: str, *samples: str, results: str = "Tensor", onnx: str = 'domain = "m"'
) -> Skeleton:
    text = SPEC.format(arguments=arguments, results=results, onnx=onnx)
    text += "".join(f"[[samples]]\n{sample}\n" for sample in samples)
    lines = cpp_op(parse(text)).skeleton
    assert lines is not None
    return lines


def test_what_a_sample_leaves_out_says_nothing_of_its_dtype() -> None:
    arguments = "Tensor x, Tensor? before, Tensor? weight=None"
    lines = infer(
        arguments,
        'x = "float32[2]"',
        'x = "float32[2]"\nbefore = "float32[2]"\nweight = "float32[2]"',
        'x = "float64[2]"',
    )
    assert "if (before) check_same_dtype(kName, x, *before);" in lines
    assert "if (weight) check_same_dtype(kName, x, *weight);" in lines
    assert not any("check_dtype(" in line for line in lines)


def test_a_dtype_of_its_own() -> None:
    code = skeleton(
        "Tensor x, Tensor index",
        'x = "float32[2]"\nindex = [1, 0]',
        'x = "float64[2]"\nindex = [1, 0]',
    )
    assert "check_dtype(kName, index, Dtype::int64);" in code.checks
    assert "const int64_t* index_data = index.data_as<int64_t>();" in code.elements


def test_ranks_are_those_that_somebody_wrote() -> None:
    assert not any("rank" in line for line in infer("Tensor x"))
    assert "check_rank(kName, x, 2);" in infer("Tensor x", 'x = "float32[2, 3]"')
    two = infer("Tensor x", 'x = "float32[2, 3]"', 'x = "float32[2]"')
    assert not any("rank" in line for line in two)
    comments = skeleton("Tensor x", 'x = "float32[2, 3]"').checks
    assert any("Every sample has these ranks" in line for line in comments)


def test_dtypes_of_results_as_the_mapping_tells() -> None:
    lines = infer(
        "Tensor x, Tensor index",
        'x = "float32[n=2]"\nindex = { dtype = "int32", values = [0, 1] }',
        results="(Tensor values, Tensor places, Tensor above)",
        onnx='opset = 13\nmapping = "return op.Neg(x), op.Abs(index), op.Greater(x, 0.0)"',
    )
    assert lines[-5:] == [
        "return {",
        "    OutputSpec{x.dtype, {x.sizes.begin(), x.sizes.end()}},",
        "    OutputSpec{Dtype::int32, {x.sizes.begin(), x.sizes.end()}},",
        "    OutputSpec{Dtype::boolean, {x.sizes.begin(), x.sizes.end()}},",
        "};",
    ]


def test_a_first_tensor_that_is_optional() -> None:
    assert (
        infer("Tensor? mask, Tensor x")[-1] == "return {x.dtype, {x.sizes.begin(), x.sizes.end()}};"
    )
    lines = infer("Tensor? mask, int n=1", 'mask = "float32[2]"')
    assert lines[0] == 'if (!mask) fail(kName, ": mask must be given");'
    assert lines[-1] == "return {mask->dtype, {mask->sizes.begin(), mask->sizes.end()}};"


def test_a_list_of_tensors() -> None:
    sample = 'xs = ["float32[2, 3]", "float32[4]"]'
    assert infer("Tensor[] xs", sample) == [
        'if (xs.empty()) fail(kName, ": xs has no tensor");',
        "check_supported<Supported>(kName, xs[0]);",
        "for (const TensorMeta& item : xs) check_same_dtype(kName, xs[0], item);",
        "return {xs[0].dtype, {xs[0].sizes.begin(), xs[0].sizes.end()}};",
    ]
    code = skeleton("Tensor[] xs", sample)
    assert (code.first_tensor, code.first_dtype) == ("xs[0]", "xs[0].dtype")
    assert (
        "for (const TensorView& item : xs) { const T* item_data = item.data_as<T>(); }"
        in code.elements
    )


def test_a_list_behind_another_tensor() -> None:
    sample = 'x = "float32[2]"\nys = [[1, 0], [2]]'
    code = skeleton("Tensor x, Tensor[] ys", sample)
    assert (
        "for (const TensorMeta& item : ys) check_dtype(kName, item, Dtype::int64);" in code.checks
    )
    assert (
        "for (const TensorView& item : ys) { const int64_t* item_data = item.data_as<int64_t>(); }"
        in code.elements
    )
    mixed = skeleton("Tensor x, Tensor[] ys", 'x = "float32[2]"\nys = [[1, 0], [2.0]]')
    assert not any("ys" in line for line in mixed.checks)


@pytest.mark.parametrize(
    ("dtypes", "supported"),
    [
        (["float32", "float64"], "Types<float, double>"),
        (["float32", "bfloat16"], "FloatTypes"),
        (["int32", "uint8"], "IntegerTypes"),
        (["float32", "int64"], "NumberTypes"),
        (["int64", "bool"], "AllTypes"),
    ],
)
def test_the_kernel_supports_the_dtypes_of_the_samples(dtypes: list[str], supported: str) -> None:
    code = skeleton("Tensor x", *(f'x = "{dtype}[2]"' for dtype in dtypes))
    assert code.supported == supported
