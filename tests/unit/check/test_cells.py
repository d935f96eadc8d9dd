"""The supported features of a spec: the table in generator/README.md, each line of which is tested
here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

from onnxop.check import load
from onnxop.check.mapping import opsets_of
from onnxop.code import cpp
from onnxop.errors import InvalidSpecError
from onnxop_runtime.specs.arguments import Argument
from tests.documents import read

_SPEC = """
[op]
schema = "{schema}"
requires = ["torchvision"]

[onnx]
opset = {opset}
mapping = '''
{mapping}
'''

[[samples]]
{sample}
"""


@dataclass(frozen=True)
class Cell:
    """A line of the table: a feature, and an example of an operator and its rule; or, if refused, a
    part of the message.
    """

    what: str
    schema: str
    mapping: str
    says: str
    sample: str = 'self = "float32[3, 4]"'
    opset: int = 18
    is_taken: bool = True
    kernel: str = "return 2 * x"  # of a new operator
    example: str = ""  # on the page; by default the mapping, or the schema

    @property
    def spec(self) -> str:
        own = not self.schema.startswith(("aten::", "torchvision::"))
        text = _SPEC.format(
            **{name: getattr(self, name) for name in ("schema", "opset", "mapping", "sample")}
        )
        if not self.schema.startswith("torchvision::"):
            text = text.replace('requires = ["torchvision"]\n', "")
        return text + (f"\n[kernel]\npython = '''\n{self.kernel}\n'''\n" if own else "")

    @property
    def line(self) -> str:
        verdict = "supported" if self.is_taken else "refused"
        example = self.mapping if self.is_taken else self.schema
        example = self.example or example
        return f"| {self.what} | {verdict} | `{example.splitlines()[0]}` |".replace("\\", "")


_X = 'x = "float32[3, 4]"'
CELLS = [
    Cell("`Tensor`", "aten::neg", "op.Neg(self)", "op.Neg(self)"),
    Cell(
        "`Tensor?`",
        "aten::linear",
        "op.Add(op.MatMul(input, op.Transpose(weight, perm=[1, 0])), bias if bias is not None else 0.0)",
        "bias if bias is not None",
        'input = "float32[3, 4]"\nweight = "float32[5, 4]"',
    ),
    Cell(
        "`Tensor[]`",
        "aten::cat",
        "op.Concat(*tensors, axis=dim)",
        "op.Concat(*tensors, axis=dim)",
        'tensors = ["float32[2, 3]", "float32[4, 3]"]',
    ),
    Cell(
        "`Tensor[]` of a new operator",
        "my_lib::f(Tensor[] xs, Tensor w) -> Tensor",
        "op.Sum(*[op.Mul(x, w) for x in xs])",
        "op.Sum(*",
        'xs = ["float32[2, 3]", "float32[3]"]\nw = "float32[3]"',
        kernel="return sum([x * w for x in xs])",
    ),
    Cell(
        "`len` of a list of tensors",
        "aten::hstack",
        "op.Concat(*tensors, axis=1) if len(tensors) > 1 else op.Identity(tensors[0])",
        "len(tensors)",
        'tensors = ["float32[2, 3]", "float32[2, 3]"]',
    ),
    Cell(
        "`Tensor?[]`",
        "aten::index.Tensor",
        "op.Concat(*[op.Gather(self, i) if i is not None else op.Abs(self) for i in indices], axis=0)",
        "if i is not None:",
        'self = "float32[3, 4]"\nindices = [[0, 2]]',
    ),
    Cell(
        "`int`, `SymInt`",
        "aten::select_copy.int",
        "op.Gather(self, index, axis=dim)",
        "axis=dim",
        'self = "float32[3, 4]"\ndim = 1\nindex = 2',
    ),
    Cell(
        "`float`",
        "aten::dropout",
        "op.Mul(input, p)",
        "op.constant(p",
        'input = "float32[3]"\np = 0.5\ntrain = false',
    ),
    Cell(
        "`bool`",
        "aten::logsumexp",
        "op.ReduceLogSumExp(self, dim, keepdims=1) if keepdim else op.ReduceLogSumExp(self, dim, keepdims=0)",
        "if keepdim:",
        'self = "float32[3, 4]"\ndim = [1]\nkeepdim = true',
    ),
    Cell(
        "`str`",
        "aten::gelu",
        "op.Gelu(self, approximate=approximate)",
        "approximate=approximate",
        opset=20,
    ),
    Cell(
        "`Scalar`",
        "aten::add.Scalar",
        "self + other * alpha",
        "is_number=True",
        'self = "float32[3]"\nother = 2.5',
    ),
    Cell(
        "`ScalarType`",
        "aten::cumsum",
        "op.Cast(op.CumSum(self, dim), to=dtype) if dtype is not None else op.CumSum(self, dim)",
        "to=dtype",
        'self = "float32[3]"\ndim = 0\ndtype = "float64"',
    ),
    Cell(
        "`Device`, `Layout`, `MemoryFormat`, which are ignored",
        "aten::zeros_like",
        "self * 0.0",
        "op.Mul(self",
    ),
    Cell(
        "lists",
        "aten::permute",
        "op.Transpose(self, perm=dims)",
        "perm=dims",
        'self = "float32[3, 4]"\ndims = [1, 0]',
    ),
    Cell(
        "optionals",
        "aten::logit",
        "op.Clip(self, eps if eps is not None else 0.0)",
        "eps if eps is not None else 0.0",
    ),
    Cell(
        "keyword-only",
        "aten::addmm",
        "op.Gemm(mat1, mat2, self)",
        "op.Gemm(mat1, mat2, self)",
        'self = "float32[2]"\nmat1 = "float32[3, 4]"\nmat2 = "float32[4, 2]"',
    ),
    Cell(
        "several results",
        "aten::topk",
        "op.TopK(self, [k], axis=dim)",
        "_outputs=2",
        'self = "float32[3, 4]"\nk = 2',
    ),
    Cell(
        "a list of results of known length",
        "aten::unbind.int",
        "[op.Gather(self, i, axis=dim) for i in range(self.shape[dim])]",
        "for i in range(op.size(self, dim)):",
    ),
    Cell(
        "a result that the mapping omits",
        "torchvision::roi_pool",
        "op.MaxRoiPool(input, rois, pooled_shape=[pooled_height, pooled_width]), None",
        ", None",
        'input = "float32[1, 4, 8, 8]"\nrois = [[0.0, 1.0, 1.0, 5.0, 5.0]]\nspatial_scale = 1.0\npooled_height = 2\npooled_width = 2',
    ),
    Cell(
        "`rank(x)`",
        "aten::t",
        "op.Transpose(self, perm=[1, 0]) if rank(self) == 2 else op.Identity(self)",
        "if op.rank(self) == 2:",
    ),
    Cell(
        "`rank(x)` of an item of a list",
        "aten::cat",
        "op.Concat(*tensors, axis=dim % rank(tensors[0]))",
        "item = tensors[0]",
        'tensors = ["float32[2, 3]", "float32[4, 3]"]',
    ),
    Cell(
        "`is_dynamic(x, 0)`",
        "aten::ravel",
        "op.Reshape(self, [-1] if is_dynamic(self, 0) or is_dynamic(self, 1) else [self.shape[0] * self.shape[1]])",
        "op.is_dynamic(self, 0)",
    ),
    Cell(
        "`is_floating_point(x)`",
        "aten::signbit",
        "op.Less(self, 0.0) if is_floating_point(self) else op.Less(self, 0)",
        "op.is_floating_point(self)",
    ),
    Cell(
        "`x.shape[0]`, if it is not dynamic",
        "aten::mean",
        "op.ReduceSum(self, [0, 1], keepdims=0) / float(self.shape[0] * self.shape[1])",
        "op.size(self, 0)",
    ),
    Cell(
        "`opset`",
        "aten::amax",
        "op.ReduceMax(self, dim, keepdims=0) if opset >= 18 else op.ReduceMax(self, axes=dim, keepdims=0)",
        "axes=dim",
        'self = "float32[3, 4]"\ndim = [1]',
        opset=9,
    ),
    Cell(
        "`if`",
        "aten::silu",
        "if rank(self) > 1:\n    return self * op.Sigmoid(self)\nreturn op.Identity(self)",
        "if op.rank(self) > 1:",
    ),
    Cell(
        "`for` over values known at export",
        "aten::matrix_power",
        "x = self\nfor i in range(n - 1):\n    x = op.MatMul(x, self)\nreturn x",
        "for i in range(n - 1):",
        'self = "float32[3, 3]"\nn = 3',
        example="for i in range(n - 1):",
    ),
    Cell(
        "a table of numbers: lists of lists, of one length",
        "my_lib::f(Tensor x) -> Tensor",
        "op.MatMul(x, [[0.25, 0.5], [0.5, 0.25]])",
        "op.MatMul(x",
        'x = "float32[3, 2]"',
        kernel="return x @ x.new_tensor([[0.25, 0.5], [0.5, 0.25]])",
    ),
    Cell(
        "`list`",
        "aten::expand_copy",
        "op.Expand(self, list(size))",
        "op.Expand(self",
        'self = "float32[3, 1]"\nsize = [3, 4]',
    ),
    Cell(
        "an overload, named by `op.name`",
        "aten::max.other",
        "op.Max(self, other)",
        "op.Max(self, other)",
        'self = "float32[3, 4]"\nother = "float32[3, 4]"',
        example='schema = "aten::max.other"',
    ),
    Cell(
        "an argument that a new operator writes to",
        "my_lib::f(Tensor x, Tensor(a!) sums) -> ()",
        "op.Add(x, sums)",
        "",
        f'{_X}\nsums = "float32[3, 4]"',
        kernel="return x + sums",
        example="my_lib::f(Tensor x, Tensor(a!) sums) -> ()",
    ),
    Cell(
        "functions in a composed kernel",
        "my_lib::f(Tensor x) -> Tensor",
        "op.Mul(x, 4.0)",
        "op.Mul(x",
        'x = "float32[3]"',
        kernel="def twice(y):\n    return y + y\nreturn twice(twice(x))",
        example="def twice(y):",
    ),
    Cell(
        "`op.If`, whose branches return values from inside or outside",
        "my_lib::f(Tensor x, Tensor c) -> Tensor",
        "op.If(c, then_branch=lambda: x, else_branch=lambda: op.Neg(x))",
        "return op.If(c, then_branch=then_branch, else_branch=else_branch)",
        _X + '\nc = { dtype = "bool", values = true }',
        kernel="return torch.where(c, x, -x)",
    ),
    Cell(
        "`op.Loop`, whose number of iterations depends on values",
        "my_lib::f(Tensor x, Tensor n) -> Tensor",
        "op.Loop(n, None, x, body=lambda i, keep, y: (keep, y * 2.0))",
        'return op.Loop(n, op.constant(True, like="BOOL"), x, body=body)',
        _X + '\nn = { dtype = "int64", values = 3 }',
        kernel="return x * 2.0**n",
    ),
    Cell(
        "scan outputs of `op.Loop`",
        "my_lib::f(Tensor x) -> Tensor",
        "_, rows = op.Loop(3, None, x, body=lambda i, keep, y: (keep, y * 2.0, y))\nreturn rows",
        "_value, rows = op.Loop(",
        _X,
        kernel="return torch.stack([x, x * 2.0, x * 4.0])",
    ),
    Cell(
        "functions as bodies of graphs",
        "my_lib::f(Tensor x) -> Tensor",
        "def step(i, keep, y):\n    z = y * y\n    return op.ReduceMax(z, keepdims=0) < 9.0, z\n"
        "return op.Loop(None, True, x, body=step)",
        "def step(i: Any, keep: Any, y: Any) -> Any:",
        _X,
    ),
    Cell(
        "`op.Scan` and `op.SequenceMap`",
        "my_lib::f(Tensor x) -> Tensor",
        "op.Scan(x, body=lambda row: row * 2.0, num_scan_inputs=1)",
        "a mapping cannot write the graph of op.Scan; write op.Loop",
        _X,
        is_taken=False,
        example="op.Scan(x, body=lambda row: row * 2.0, num_scan_inputs=1)",
    ),
    Cell(
        "`if` on values of tensors",
        "my_lib::f(Tensor x, Tensor c) -> Tensor",
        "op.Neg(x) if c else x",
        "a tensor is not a condition, as in sample 1; write op.Where(condition, x, y), op.If(",
        _X + '\nc = { dtype = "bool", values = true }',
        is_taken=False,
        example="op.Neg(x) if c else x",
    ),
    Cell(
        "`while`",
        "my_lib::f(Tensor x) -> Tensor",
        "while op.ReduceMax(x) < 9.0:\n    x = x * x\nreturn x",
        "this is not allowed here; write for i in range(n), or op.Loop",
        _X,
        is_taken=False,
        example="while op.ReduceMax(x) < 9.0:",
    ),
    Cell(
        "a result that aliases an argument",
        "my_lib::f(Tensor(a) x) -> Tensor(a)",
        "op.Neg(x)",
        "is written to or aliased",
        _X,
        is_taken=False,
    ),
    Cell(
        "`Generator`",
        "my_lib::f(Tensor x, Generator g) -> Tensor",
        "op.Neg(x)",
        "argument g is of type Generator",
        _X,
        is_taken=False,
    ),
    Cell(
        "`Dimname`",
        "my_lib::f(Tensor x, Dimname d) -> Tensor",
        "op.Neg(x)",
        "argument d is of type Dimname",
        _X,
        is_taken=False,
    ),
    Cell(
        "a result that is not a tensor",
        "my_lib::f(Tensor x) -> int[]",
        "op.Neg(x)",
        "ONNX has only tensors",
        _X,
        is_taken=False,
    ),
    Cell(
        "`Tensor?[]` of a new operator",
        "my_lib::f(Tensor?[] xs) -> Tensor",
        "op.Sum(*xs)",
        "which the TorchScript exporter does not trace; write Tensor[]",
        'xs = ["float32[3]"]',
        is_taken=False,
    ),
    Cell(
        "`ScalarType` of a new operator",
        "my_lib::f(Tensor x, ScalarType t) -> Tensor",
        "op.Cast(x, to=t)",
        "which no kernel can take",
        _X,
        is_taken=False,
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.what)
def test_cells(cell: Cell) -> None:
    if not cell.is_taken:
        with pytest.raises(InvalidSpecError, match=re.escape(cell.says)):
            load.parse(cell.spec)
        return
    spec = load.parse(cell.spec)
    opsets = opsets_of(spec)
    assert opsets.torchscript and opsets.dynamo


def test_the_page_has_them() -> None:
    page = read("generator/README.md")
    missing = [cell.line for cell in CELLS if cell.line not in page]
    assert not missing, "\n".join(missing)


ATTRIBUTES = {
    "Tensor": "an input",
    "Tensor?": "an input, which may be empty",
    "Tensor[]": "the last inputs",
    "int": "INT",
    "SymInt": "INT",
    "float": "FLOAT",
    "bool": "INT, 0 or 1",
    "str": "STRING",
    "Scalar": "INT or FLOAT, as the call has it",
    "int[]": "INTS",
    "SymInt[]": "INTS",
    "float[]": "FLOATS",
    "float?": "FLOAT, or none",
    "int[]?": "INTS, or none",
}
"""What a node of a domain has for an argument of each type."""


@pytest.mark.parametrize("type_", ATTRIBUTES)
def test_the_page_has_the_types(type_: str) -> None:
    argument = Argument("x", type_)
    compute = cpp._type(argument, tensor="TensorView", integer="int64_t")
    size = "Size" if argument.is_symbolic else "int64_t"
    infer = cpp._type(argument, tensor="TensorMeta", integer=size)
    python = argument.python_type.replace("|", "\\|")
    line = f"| `{type_}` | `{compute}` | `{infer}` | `{python}` | {ATTRIBUTES[type_]} |"
    assert line in read("generator/README.md")
