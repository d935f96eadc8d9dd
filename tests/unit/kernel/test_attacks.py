"""Attacks on the code of specs, written by someone who has read the fence: each is refused before
it runs, and each would do nothing if it ran, as the process that runs it has no right to.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.kernel import composed
from onnxop.schema.signature import parse as parse_schema
from onnxop_runtime import processes
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.pyexpr import ExpressionProblems

SCHEMA = parse_schema("m::f(Tensor x, int n=1, str mode='a') -> Tensor", Problems())
REQUIRES = ("torchvision",)

ATTACKS = {
    "alias": "t = torch\nt.os.system('touch RAN')",
    "tuple": "(torch, 1)[0].os.system('touch RAN')",
    "lambda's variable": "(lambda t: t.os.system('touch RAN'))(torch)",
    "comprehension": "[t.os.system('touch RAN') for t in [torch]]",
    "dictionary": "{'t': torch}['t'].os.system('touch RAN')",
    "default of a key": "max([1], key=lambda i, t=torch: t.os.system('touch RAN'))",
    "conditional": "(torch if True else 0).os.system('touch RAN')",
    "module in a module": "torch.nn.functional.torch.os.system('touch RAN')",
    "library": "o = torch.ops\no.load_library('x.so')",
    "fullwidth letters": "ｔorch.ｏs.system('touch RAN')",
    "ligature": "x.ﬁle",
    "walrus in a call": "torch.add(x, (t := torch) and 1)\nt.os.system('touch RAN')",
    "with": "with torch.no_grad(), torch as t:\n    t.os.system('touch RAN')",
    "unpacked": "for t, in [(torch,)]:\n    t.os.system('touch RAN')",
    "swapped names": "def torch():\n    return 1\ntorch.os.system('touch RAN')",
    "parameter hides": "f = lambda exp=torch: exp.os.system('touch RAN')\nf()",
    "argument's name": "n = torch\nn.os.system('touch RAN')",
    "not under -O": "if not __debug__:\n    torch.os.system('touch RAN')",
    "debug in a lambda": "f = lambda open: 1\nif not __debug__:\n    open('RAN', 'w')",
    "dead to the compiler": "while 0:\n    torch.os.system('touch RAN')",
    "assertion": "assert torch.os.system('touch RAN')",
    "decorator": "@torch.os.system\ndef f():\n    pass",
    "annotation": "def f(y: torch.os.system('touch RAN')):\n    return y",
    "result's annotation": "def f(y) -> torch.os.system('touch RAN'):\n    return y",
    "star argument": "(lambda *t: t[0].os.system('touch RAN'))(*[torch])",
    "keyword argument": "(lambda **t: t['t'].os.system('touch RAN'))(t=torch)",
    "yielded": "def f():\n    yield torch\n[t.os.system('touch RAN') for t in f()]",
    "sort key": "sorted([torch], key=lambda t: t.os.system('touch RAN'))",
    "mapped": "[*map(lambda t: t.os.system('touch RAN'), [torch])]",
    "globals of a function": "torch.vmap.__globals__['os'].system('touch RAN')",
    "globals of a lambda": "(lambda: 0).__globals__['torch'].os.system('touch RAN')",
    "class of a tensor": "x.__class__.__mro__[-1].__subclasses__()",
    "class of a tuple": "().__class__.__base__.__subclasses__()",
    "format": "'{0.__class__.__init__.__globals__}'.format(x)",
    "format_map": "'{x.__class__}'.format_map({'x': x})",
    "symbolic size": "x.shape[0].node.shape_env.__class__",
    "error's frame": "ValueError().with_traceback(0).__traceback__.tb_frame.f_globals",
    "numpy's file": "x.numpy().tofile('RAN')",
    "numpy by a function": "torch.Tensor.numpy(x).tofile('RAN')",
    "storage's file": "x.untyped_storage()._write_file('RAN', True, True, 1)",
    "storage from a file": "torch.UntypedStorage.from_file('RAN', True, 9)",
    "tensor from a file": "torch.from_file('RAN', shared=True, size=9)",
    "operator from a file": "torch.ops.aten.from_file('RAN', True, 9)",
    "operator as a value": "f = torch.ops.aten\nf.from_file('RAN', True, 9)",
    "overload's packet": "torch.ops.aten.add.default.overloadpacket.from_file('RAN')",
    "save": "torch.save(x, 'RAN')",
    "save by its method": "torch.Tensor.save(x, 'RAN')",
    "trace": "torch.jit.trace(lambda y: y, x).save('RAN')",
    "package": "torch.package.PackageExporter('RAN')",
    "onnx": "torch.onnx.export(x, x, 'RAN')",
    "extension": "torch.utils.cpp_extension.load_inline('x', 'x')",
    "hub": "torch.hub.load_state_dict_from_url('http://x')",
    "subprocess of the collective": "torch.distributed.init_process_group('gloo')",
    "compile": "torch.compile(lambda y: y)(x)",
    "custom operator": "torch.library.custom_op('a::b', lambda y: y)",
    "callback": "x.apply_(lambda y: torch.os.system('touch RAN'))",
    "hook": "x.register_hook(lambda y: torch.os.system('touch RAN'))",
    "settings": "torch.set_default_dtype(torch.float64)",
    "threads": "torch.set_num_threads(1)",
    "printing": "torch.set_printoptions(profile='full')",
    "seed": "torch.manual_seed(0)",
    "debug memory": "torch.ops.debugprims.load_tensor('RAN', [1], [1], dtype=x.dtype)",
    "unsafe view": "torch.ops.inductor._reinterpret_tensor(x, [9], [1], 0)",
    "required module's file": "torchvision.io.write_file('RAN', x)",
    "required module's module": "torchvision.torch.os.system('touch RAN')",
    "required module as a value": "v = torchvision.utils\nv.save_image(x, 'RAN')",
    "required module's class": "torchvision.datasets.MNIST('.', download=True)",
    "built-in": "open('RAN', 'w')",
    "built-in in a list": "[open][0]('RAN', 'w')",
    "built-in as a default": "(lambda f=open: f('RAN', 'w'))()",
    "import": "__import__('os').system('touch RAN')",
    "import statement": "import os\nos.system('touch RAN')",
    "exec": "exec('import os')",
    "getattr": "getattr(x, 'nu' + 'mpy')()",
    "attribute set": "x.__class__ = int",
    "global": "global torch\ntorch = 1",
    "class statement": "class A:\n    pass",
    "try": "try:\n    x\nexcept ValueError as torch:\n    pass",
    "del": "del torch",
    "match": "match torch:\n    case t:\n        t.os.system('touch RAN')",
    "async": "async def f():\n    return torch",
    "exit": "raise SystemExit",
}
"""What comes before ``return -x`` in a kernel."""

SINKS = {
    "os": "torch.os.system('touch RAN')",
    "open": "open('RAN', 'w').write('x')",
    "save": "torch.save(x, 'RAN')",
    "numpy": "x.numpy().tofile('RAN')",
    "shared": "torch.from_file('RAN', shared=True, size=9)",
    "operator": "torch.ops.aten.from_file('RAN', True, 9)",
    "remove": "torch.os.remove('kept')",
    "rename": "torch.os.rename('kept', 'RAN')",
    "folder": "torch.os.mkdir('RAN')",
    "socket": "__import__('socket').create_connection(('127.0.0.1', 9), 1)",
    "program": "__import__('subprocess').run(['touch', 'RAN'])",
    "fork": "torch.os.fork()",
    "mmap": "__import__('mmap').mmap(torch.os.open('kept', torch.os.O_RDWR), 0)",
    "sqlite": "__import__('sqlite3').connect('RAN').execute('create table t (a)')",
    "thread": "__import__('concurrent.futures').futures.ThreadPoolExecutor().submit(open, 'RAN', 'w').result()",
    "libc": "__import__('ctypes').CDLL(None).system(b'touch RAN')",
    "libc's call": "__import__('ctypes').CDLL(None).open(b'RAN', 66, 438)",
    "trace": "torch.jit.trace(torch.abs, x).save('RAN')",
    "signal": "torch.os.kill(torch.os.getppid(), 9)",
    "chmod": "torch.os.chmod('kept', 0)",
}
"""Code that does harm if the first fence lets it pass."""


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_refused(name: str) -> None:
    with pytest.raises(ExpressionProblems):
        composed.parse_function(f"{ATTACKS[name]}\nreturn -x", SCHEMA, REQUIRES)


def effects(code: str, *, is_fenced: bool = True) -> Iterator[Any]:
    """Run code in this process, a fork; yield what it raises."""
    warnings.simplefilter("ignore")
    if is_fenced:
        processes.raise_fence()

    names = {"torch": torch, "x": torch.ones(3)}
    try:
        exec(code, names)  # noqa: S102 - in a fork without rights
    except Exception as error:  # noqa: BLE001 - it is the answer
        yield type(error).__name__
    yield "end"


@pytest.mark.slow
@pytest.mark.parametrize("name", SINKS)
def test_it_does_nothing_if_it_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    monkeypatch.chdir(tmp_path)
    received, _ = processes.collect(effects(SINKS[name]), processes.Limits(memory=3 << 30))
    assert received
    assert os.listdir(tmp_path) == ["kept"]
    assert kept.read_text() == "kept"
    assert kept.stat().st_mode & 0o777 != 0


UNSEEN = {"socket", "fork", "signal", "operator", "mmap", "thread"}
"""Those whose harm is not in the folder, or that end the process."""


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*SINKS} - UNSEEN))
def test_the_sinks_are_sinks(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that the code above does harm without the fence."""
    kept = tmp_path / "kept"
    kept.write_text("kept")
    monkeypatch.chdir(tmp_path)
    processes.collect(effects(SINKS[name], is_fenced=False), processes.Limits())
    is_changed = os.listdir(tmp_path) != ["kept"] or kept.stat().st_mode & 0o777 == 0
    assert is_changed
