"""Every route to a name times every sink, in each key of a spec that takes code: all are refused.

A route makes a module, or an object of one, the value of an expression. A sink is what an attack
does with it.
"""

from __future__ import annotations

import itertools
import math
import sys

import pytest
import torch

from onnxop.check.load import parse
from onnxop.errors import InvalidSpecError
from onnxop.kernel import composed
from onnxop.schema.signature import parse as parse_schema
from onnxop.spec import derivatives
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.pyexpr import ExpressionProblems

ROUTES = {
    "itself": ("", "{}"),
    "variable": ("t = {}", "t"),
    "annotated variable": ("t: int = {}", "t"),
    "two variables": ("t, u = {}, 1", "t"),
    "walrus": ("", "(t := {})"),
    "chained assignment": ("s = t = {}", "t"),
    "star": ("t, *rest = [{}, 1, 2]", "t"),
    "tuple": ("", "({}, 1)[0]"),
    "list": ("", "[{}][0]"),
    "dictionary": ("", "{{'t': {}}}['t']"),
    "set": ("", "[*{{{}}}][0]"),
    "conditional": ("", "({} if True else 0)"),
    "or": ("", "({} or 0)"),
    "and": ("", "(1 and {})"),
    "comprehension": ("", "[t for t in [{}]][0]"),
    "generator": ("", "max(t for t in [{}])"),
    "for": ("for t in [{}]:\n    pass", "t"),
    "lambda": ("", "(lambda: {})()"),
    "lambda's variable": ("", "(lambda t: t)({})"),
    "lambda's default": ("", "(lambda t={}: t)()"),
    "function": ("def f():\n    return {}", "f()"),
    "function's parameter": ("def f(t):\n    return t", "f({})"),
    "function's default": ("def f(t={}):\n    return t", "f()"),
    "function's annotation": ("def f(t: {}):\n    return t", "f({})"),
    "keyword-only default": ("def f(*, t={}):\n    return t", "f()"),
    "closure": ("t = {}\ndef f():\n    return t", "f()"),
    "max of a key": ("", "(max([1], key=lambda i, t={}: 0) and {})"),
    "map": ("", "[*map(lambda t: t, [{}])][0]"),
    "sorted": ("", "sorted([{}], key=len)[0]"),
    "zip": ("", "[*zip([{}])][0][0]"),
    "enumerate": ("", "[*enumerate([{}])][0][1]"),
    "starred call": ("", "(lambda *t: t[0])(*[{}])"),
    "keywords": ("", "(lambda **t: t['t'])(**dict(t={}))"),
    "with": ("with torch.no_grad() as c, ({}) as t:\n    pass", "t"),
    "augmented": ("t = []\nt += [{}]", "t[0]"),
    "slice": ("", "slice({}).stop"),
    "decorator": ("@(lambda f: {})\ndef t():\n    return 1", "t"),
    "dead code": ("if 0:\n    t = {}", "t"),
    "dead expression": ("", "(0 and {})"),
    "f-string": ("", "(f'{{({})}}' and {})"),
    "list method": ("t = []\nt.append({})", "t.pop()"),
    "dict method": ("", "dict(t={}).get('t')"),
    "vmap": ("", "torch.func.vmap(lambda a, t={}: t)(x)"),
    "yield": ("def f():\n    yield {}\n    return 1", "[*f()][0]"),
}
"""The statements and the expression of a route; ``{}`` is the module."""

ROOTS = "torch math F torch.nn torch.nn.functional torch.ops torch.ops.aten torch.linalg".split()
"""What a route starts from: the modules that code can name."""

SINKS = [
    "os.system('touch RAN')",
    "serialization.os.remove('x')",
    "load('x')",
    "save(x, 'x')",
    "from_file('x', True, 1)",
    "ops.load_library('x')",
    "load_library('x')",
    "utils.cpp_extension.load('x')",
    "hub.load('x', 'y')",
    "set_default_dtype(x)",
    "set_num_threads(1)",
    "_C",
    "__dict__['os']",
    "__loader__",
    "functional.torch",
    "torch.os",
    "sys.modules",
    "multiprocessing.Process",
    "jit.load('x')",
    "classes.load_library('x')",
    "compile(x)",
    "package.PackageImporter('x')",
]
"""What is done with a module."""

OBJECTS = [
    "x.numpy()",
    "x.storage()",
    "x.untyped_storage()",
    "x.apply_(abs)",
    "x.map_(x, max)",
    "x.set_(x)",
    "x.data_ptr()",
    "x.data",
    "x.grad_fn",
    "x.register_hook(abs)",
    "x.share_memory_()",
    "x.__class__",
    "x.shape[0].node",
    "x.dtype.__module__",
    "torch.exp.__globals__",
    "torch.exp.__self__",
    "torch.Tensor.__init__",
    "torch.Tensor.apply_(x, abs)",
    "Tensor.set_",
    "(lambda: 1).__globals__",
    "[].__class__",
    "'{{0.__class__}}'.format(x)",
    "torch.float32.__reduce__()",
    "int.from_bytes(b'x')",
    "str.format('x')",
    "ValueError('x').__traceback__",
    "torch.no_grad().__enter__.__globals__",
    "torch.ops.aten.from_file('x', True, 1)",
    "torch.ops.aten.set_",
    "torch.ops.aten.add.default.py_kernels",
    "torch.ops.debugprims.load_tensor('x', [1], [1])",
    "torch.ops.prims.add",
    "torch.finfo(x.dtype).__class__",
    "torch.set_default_dtype",
    "torch.manual_seed(1)",
    "torch.use_deterministic_algorithms(True)",
    "torch.set_printoptions",
    "torch.Generator().manual_seed(1)",
    "torch.load",
    "torch.save",
    "torch.from_numpy",
    "torch.frombuffer",
    "torch.compile",
    "torch.jit.script",
    "torch.utils",
    "torch.library.custom_op",
    "open('x', 'w')",
    "eval('1')",
    "exec('1')",
    "getattr(torch, 'os')",
    "vars(torch)",
    "globals()",
    "locals()",
    "type(x)",
    "print(x)",
    "input()",
    "breakpoint()",
    "__import__('os')",
    "__builtins__",
    "__debug__",
    "memoryview(x)",
    "super()",
    "setattr(x, 'a', 1)",
    "object",
    "id(x)",
]
"""What is done with a value, and with the names that are there."""

SCHEMA = parse_schema("m::f(Tensor x) -> Tensor", Problems())


def is_refused(code: str, *, is_fake: bool = False) -> bool:
    """Return whether a kernel's code is refused, with a place for each problem."""
    try:
        composed.parse_function(code, SCHEMA, is_fake=is_fake)
    except ExpressionProblems as error:
        return all(code[p.offset : p.offset + p.length].strip() for p in error.problems)
    return False


def along(route: str, value: str, *, end: str = "") -> str:
    """Return the code of a route to the value."""
    before, expression = (part.format(*[value] * 2) for part in ROUTES[route])
    return f"{before}\ny = {expression}{end}\nreturn -x\n".lstrip("\n")


@pytest.mark.parametrize("route", ROUTES)
def test_routes_are_code(route: str) -> None:
    """Check that a route is refused for its value only."""
    composed.parse_function(along(route, "x"), SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize("route", ROUTES)
def test_no_route_to_a_module(route: str) -> None:
    for root, sink in itertools.product(ROOTS, SINKS):
        code = along(route, root, end=f".{sink}")
        assert is_refused(code, is_fake=root == "torch"), code


@pytest.mark.slow
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("root", ROOTS)
def test_no_module_is_a_value(route: str, root: str) -> None:
    """Check that a route alone is refused, whatever is done with its value."""
    assert is_refused(along(route, root))


@pytest.mark.slow
@pytest.mark.parametrize("sink", OBJECTS)
def test_no_sink_of_values(sink: str) -> None:
    for route in ROUTES:
        code = along(route, sink)
        assert is_refused(code), code


@pytest.mark.parametrize("sink", [*OBJECTS, *(f"torch.{sink}" for sink in SINKS)])
def test_no_sink_in_a_formula(sink: str) -> None:
    for formula in (sink, f"grad * {sink}", f"where(x > 0, {sink}, grad)", f"[{sink}][0] + grad"):
        with pytest.raises(ExpressionProblems):
            derivatives.parse_formula(formula, SCHEMA)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*sys.stdlib_module_names, "numpy", "onnx"} - {"math"}))
def test_no_module_by_name(name: str) -> None:
    assert is_refused(f"y = {name}\nreturn -x") or callable(getattr(torch, name))
    assert is_refused(f"y = torch.{name}.x\nreturn -x")


@pytest.mark.parametrize("module", [torch, torch.nn, torch.nn.functional, torch.linalg, math])
def test_no_module_is_an_attribute(module: object) -> None:
    path = getattr(module, "__name__", "")
    modules = [n for n in dir(module) if type(getattr(module, n)).__name__ == "module"]
    assert [name for name in modules if not is_refused(f"y = {path}.{name}\nreturn -x")] == []


@pytest.mark.parametrize(
    "kernel",
    [
        "python = CODE",
        "python = '-x'\nfake = CODE",
        "source = 'kernel.h'\npython = CODE",
        "python = '-x'\n[autograd]\nx = 'grad * torch.os.x'",
    ],
)
def test_each_key_of_code(kernel: str) -> None:
    code = '"""\nt = torch\nt.os.system("touch RAN")\nreturn -x\n"""'
    head = '[op]\nschema = "m::f(Tensor x) -> Tensor"\n[onnx]\nopset = 13\nmapping = "op.Neg(x)"\n'
    with pytest.raises(InvalidSpecError, match="torch alone is not a value|torch has no os"):
        parse(f"{head}[kernel]\n{kernel.replace('CODE', code)}\n")
