"""[kernel] python → a function's body: its names resolved, its layout as ruff would have it."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from onnxop.code.torch_functions import imports, indented
from onnxop.kernel import composed
from onnxop.kernel.composed import KernelFunction
from onnxop.schema.signature import parse
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.pyexpr import ExpressionProblems


def schema_of(text: str) -> OpSchema:
    schema = parse(text, Problems())
    assert schema is not None
    return schema


SCHEMA = schema_of(
    "m::scale(Tensor a, Tensor? b=None, int n=2, float part=1.0, bool cos=False) -> Tensor"
)


def function(text: str, *, is_fake: bool = False) -> KernelFunction:
    """Return the parsed function of the text, which must compile in its module."""
    parsed = composed.parse_function(text, SCHEMA, ("torchvision.ops",), is_fake=is_fake)
    compile(module_of(parsed), "_kernel.py", "exec")
    return parsed


def module_of(parsed: KernelFunction) -> str:
    lines = [
        *imports(parsed.modules, {("torch", "Tensor"), *parsed.names}),
        *("", "", f"def scale({', '.join(a.name for a in SCHEMA.arguments)}) -> Tensor:"),
        indented(parsed.body),
    ]
    return "\n".join(["from __future__ import annotations", "", *lines, ""])


def messages(text: str) -> list[str]:
    """Return the messages about the text, each with the part of the text that it marks."""
    with pytest.raises(ExpressionProblems) as error:
        function(text)
    return [
        f"{text[problem.offset : problem.offset + problem.length]}: {problem.message}"
        for problem in error.value.problems
    ]


@pytest.mark.parametrize(
    ("text", "modules", "names"),
    [
        ("a * n", [], []),
        ("torch.exp(a)", ["torch"], []),
        ("a * math.pi", ["math"], []),
        ("F.relu(a)", ["torch.nn.functional as F"], []),
        ("torch.nn.functional.relu(a)", ["torch"], []),
        ("exp(a)", [], ["torch.exp"]),
        ("relu6(a)", [], ["torch.nn.functional.relu6"]),
        ("torchvision.ops.nms(a, a, 0.5)", ["torchvision"], []),
        ("a * cos", [], []),  # the argument, not torch.cos
        ("sum(abs(c) for c in a)", [], []),  # Python's own
        ("torch.stack([sin for sin in a])", ["torch"], []),
        ("torch.stack([sin(c) for c in a])", ["torch"], ["torch.sin"]),
        ("c = lambda sin, n=exp(a): sin * n\nreturn c(a)", [], ["torch.exp"]),
        ("sin = a\nreturn sin", [], []),
        ("for c, d in zip(a, a):\n    a = c + d\nreturn a", [], []),
        ("with torch.no_grad() as c:\n    return a", ["torch"], []),
        ("if n:\n    raise IndexError(n)\nreturn a", [], []),
        ("assert isinstance(a, Tensor)\nreturn a", [], ["torch.Tensor"]),
        ("for c in (1, 2):\n    if c > 1:\n        a = a + d\n    d = a\nreturn a", [], []),
    ],
)
def test_a_kernel_s_names_are_those_of_modules(
    text: str, modules: list[str], names: list[str]
) -> None:
    parsed = function(text)
    assert parsed.modules == tuple(modules)
    assert [".".join(pair) for pair in parsed.names] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 * aa", "aa: aa is neither an argument nor a function of torch; did you mean a?"),
        ("relu7(a)", "relu7: relu7 is neither an argument nor a function of torch; did you mean"),
        ("torch.sn(a)", "torch.sn: torch has no sn that a spec may use; did you mean sin?"),
        ("math.sqr(n) * a", "math.sqr: math has no sqr that a spec may use; did you mean sqrt?"),
        ("F.relu7(a)", "F.relu7: F has no relu7 that a spec may use; did you mean relu?"),
        ("[c for c in a][0] * c", "c: c is neither an argument"),
        ("[d for c in a for d in c][0] + c", "c: c is neither an argument"),
        ("torch.stack([c for c in c])", "c: c is neither an argument"),
        ("c = lambda x: a\nreturn c(x)", "x: x is neither an argument"),
        ("open(a)", "open: open is not allowed in a kernel"),
        ("eval('a')", "eval: eval is not allowed in a kernel"),
        ("__import__('os') + a", "__import__: __import__ is not allowed in a kernel"),
        ("new_dynamic_size() * a", "new_dynamic_size: new_dynamic_size may be called in fake only"),
        ("a.__dict__", "a.__dict__: __dict__ is private"),
        ("a += 1\nreturn a", "a += 1: this changes a, the caller's tensor"),
        ("a[0][1].mul_(2)\nreturn a", "a[0][1].mul_: this changes a"),
        ("a[0] = 1\nreturn a", "a[0]: this changes a, the caller's tensor"),
        ("F.relu(a, inplace=True)", "inplace=True: inplace writes to a tensor"),
        ("torch.add(a, 1, out=a)", "out=a: out writes to a tensor"),
        ("a.data.add(1)", "a.data: data accesses the memory or graph of a tensor"),
        ("a.numpy()", "a.numpy: numpy accesses the memory or graph of a tensor"),
        (
            "a.requires_grad = True\nreturn a",
            "a.requires_grad: this sets the attribute requires_grad",
        ),
        ("torch.relu_(a)", "torch.relu_: torch has no relu_ that a kernel may call; write relu"),
        ("torch.os.system('x')", "torch.os: torch has no os"),
        ("torch.sys.exit()", "torch.sys: torch has no sys"),
        ("torch.utils.data.x(a)", "torch.utils: torch has no utils"),
        ("torch: int = 2\nreturn torch * a", "torch: torch is a module; choose another name"),
        ("torch.Tensor.neg_(a)", "torch.Tensor.neg_: torch.Tensor has no neg_ that a kernel"),
        ("a.requires_grad_()", "a.requires_grad_: this changes a"),
        ("f = a.zero_\nreturn f()", "a.zero_: this changes a"),
        ("relu(a, inplace=1)", "inplace=1: inplace writes to a tensor"),
        ("torch.special.torch.os.x(a)", "torch.special.torch: torch.special has no torch"),
        ("torch.nn.Linear(3, 3)(a)", "torch.nn.Linear: torch.nn has no Linear"),
        ("torch.load('x')", "torch.load: load accesses"),
        ("torch.from_file('x')", "torch.from_file: from_file accesses"),
        ("torch.ops.load_library('x')", "torch.ops.load_library: torch.ops.load_library is no"),
        ("torch.onnx.export(a)", "torch.onnx.export: torch.onnx has no export"),
        ("torchvision.os.system('x')", "torchvision.os: torchvision has no os"),
        ("math.__loader__", "math.__loader__: __loader__ is private"),
        ("return a.relu_()", "a.relu_: this changes a, the caller's tensor"),
    ],
)
def test_bad_names(text: str, expected: str) -> None:
    assert any(message.startswith(expected) for message in messages(text)), messages(text)


def test_what_is_changed_may_be_a_new_tensor() -> None:
    function("a = a.clone()\na += 1\na[0] = 2\nn += 1\nreturn a.relu_()")


@pytest.mark.parametrize(
    "text",
    [
        "torch.func.vmap(lambda c: c * 2)(a)",
        "torch.ops.aten.upsample_bicubic2d(a, a.tolist(), False, 1.0, 1.0)",
        "torch.linalg.norm(a) * torch.fft.fft(a).real * torch.sparse.mm(a, a)",
        "a * torch.finfo(a.dtype).eps * torch.tensor(a.shape).prod()",
        "a if torch.compiler.is_compiling() else torch.signal.windows.hann(3)",
        "b = a.view(-1)\nb = b.clone()\nb += 1\nreturn b",
        "a.new_zeros(3).index_add_(0, a, a)",
        "F.relu(a * 2, inplace=False)",
        "F.elu(a, 0.1, False)",
        "torch.zeros(3, dtype=torch.complex64, device=a.device)",
        "torch.autograd.grad(a.sum(), a)[0] + a.sum().item()",
    ],
)
def test_functions_of_modules_and_new_tensors(text: str) -> None:
    function(text)


HALF = "def half(x: Tensor, by=n) -> Tensor:\n    y = x / 2\n    return y * by\n\n"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{HALF}c = half(a)\nc += 1\nreturn c", ["Tensor"]),
        (f"{HALF}return half(half(a), by=exp(a))", ["Tensor", "exp"]),
        (
            "def f(x):\n    return g(x) + c\ndef g(x):\n    return relu(x)\nc = 1\nreturn f(a)",
            ["relu"],
        ),
        ("def f(x):\n    x = x.clone()\n    x += 1\n    return x\nc = f(a)\nc += 1\nreturn c", []),
        ("def f(*xs, **words):\n    return len(xs) * a\nreturn f(a, n=n)", []),
    ],
)
def test_functions_of_its_own(text: str, names: list[str]) -> None:
    assert [name for _, name in function(text).names] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x):\n    a.zero_()\n    return x\nreturn f(a)", "a.zero_: this changes a"),
        ("def f(x):\n    return y\nreturn f(a)", "y: y is neither an argument nor"),
        (
            "def f(x):\n    import os\n    return x\nreturn a",
            "import os: not allowed here; remove it: torch",
        ),
        ("def f(x):\n    return x", "def f(x):: nothing is returned"),
        ("async def f(x):\n    return x\nreturn a", "async def f(x):: not allowed here"),
    ],
)
def test_bad_functions_of_its_own(text: str, expected: str) -> None:
    assert any(message.startswith(expected) for message in messages(text)), messages(text)


def test_the_operator_itself() -> None:
    schema = schema_of("m::sigmoid(Tensor a) -> Tensor")
    with pytest.raises(ExpressionProblems, match="write torch.sigmoid"):
        composed.parse_function("sigmoid(a)", schema)
    assert composed.parse_function("torch.sigmoid(a)", schema).names == ()


def test_held_argument() -> None:
    schema = schema_of("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor")
    with pytest.raises(ExpressionProblems, match="dtype is always None"):
        composed.parse_function("self.sum(dtype=dtype)", schema)


def test_without_a_schema_every_name_is_allowed() -> None:
    assert composed.parse_function("anything(at) - all", None).body == "return anything(at) - all"


def test_sizes_that_depend_on_data() -> None:
    assert function("a.new_empty(new_dynamic_size(min=1))", is_fake=True).makes_sizes
    assert not function("a.new_empty(2)", is_fake=True).makes_sizes


@pytest.mark.parametrize(
    "text",
    [
        "return a",
        "if n:\n    return a\nreturn a * n",
        "if n:\n    return a\nelse:\n    return a * n",
        "if n:\n    return a\nelif part:\n    raise ValueError(n)\nelse:\n    return a * n",
        "with torch.no_grad():\n    return a",
        "if n:\n    return a\nraise ValueError",
    ],
)
def test_every_way_returns(text: str) -> None:
    assert function(text).body == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("c = a", "c = a: nothing is returned; end with return 2 * a"),
        ("a\na", "a: nothing is returned"),
        ("raise ValueError", "raise ValueError: nothing is returned"),
        ("if n:\n    c = a\nelse:\n    c = a * n", "if n:: nothing is returned"),
        ("break\nreturn a", "b: not valid Python: 'break' outside loop"),
        ("c = lambda d, d: a\nreturn a", "d: not valid Python: duplicate argument"),
        ("c = '''\n'''\nreturn a", "''': a string over several lines"),
        ("c = f'''{a\n}'''\nreturn a", "f'''{a: a string over several lines"),
        ("    c = a\n  return c", "c: not valid Python: unindent"),
    ],
)
def test_bad_statements(text: str, expected: str) -> None:
    assert any(message.startswith(expected) for message in messages(text)), messages(text)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("a  *  n", "return a  *  n"),
        ("return a  *  n", "return a  *  n"),
        ("\n\n  a *\\\n  n\n", "return a *\\\nn"),
        ("a[..., 0] << 1", "return a[..., 0] << 1"),
        ("a.view(*a.shape)", "return a.view(*a.shape)"),
        ("a.view(**{'dtype':  n})", "return a.view(**{'dtype':  n})"),
        ("torch.stack([c for  c in a if n])", "return torch.stack([c for  c in a if n])"),
        ("a.norm(p=f'{n}\\\\{part!r:>{n}}\"')", "return a.norm(p=f'{n}\\\\{part!r:>{n}}\"')"),
        ("# twice\na * 2  # or so\n# end\n", "# twice\nreturn a * 2  # or so\n# end"),
        ("f = (\n    a\n    # b\n)\nreturn f", "f = (\n    a\n    # b\n)\nreturn f"),
        ("(\n    a  # b\n    + n\n)", "return (\n    a  # b\n    + n\n)"),
        ("\n  c = a\n\n  # d\n # e\n  return c\n", "c = a\n\n# d\n# e\nreturn c"),
        ("\tif n:\n\t\treturn a\n\treturn a * n", "if n:\n    return a\nreturn a * n"),
        ("c = a\r\nreturn c\r\n", "c = a\nreturn c"),
        ("c = a  \n   \nreturn c", "c = a\n\nreturn c"),
        ("'''Twice.'''\nreturn 2 * a", "'''Twice.'''\nreturn 2 * a"),
        ("c = a; return c", "c = a; return c"),
    ],
)
def test_layout(text: str, body: str) -> None:
    assert function(text).body == body


def test_a_local_that_is_added_hides_no_argument() -> None:
    long = " + ".join(["a.clamp(min=1.2345, max=2.3456)"] * 5)
    assert "part = " not in function(f"{long} + part").body


# A longer line stays as it is: a package excludes these files.
LONG = "torch.where(a > 0, a.clamp(min=1.2345, max=2.3456), a.clamp(min=3.4567, max=4.5678) * n)"
CLEAN = [
    LONG,
    "torch.stack([c * n for c in a])",
    'a.norm(p=f"{n}\\\\{part!r}")',
    "# How it is done.\na * n",
    f"c = a\nif n > 2:\n    # Small.\n    return exp(c)\n\n{textwrap.fill('return F.relu6(c)')}",
    f"{HALF}c = half(a)\nreturn c",
    "    c = {}\n\n    for d in a:\n        c[n] = d\n    return torch.stack(list(c.values()))",
]


def test_ruff_leaves_it(tmp_path: Path) -> None:
    for position, text in enumerate(CLEAN):
        (tmp_path / f"kernel_{position}.py").write_text(module_of(function(text)))
    for command in (["format", "--diff"], ["check"]):
        result = subprocess.run(
            [sys.executable, "-m", "ruff", *command]
            + ["--isolated", "--config=line-length=100", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stdout
