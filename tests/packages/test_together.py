"""Two generated packages in one process: one model, one export at a time, one copy of each op."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Environment

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.xdist_group("together")

ONE_MODEL = """
import tempfile, torch, asinh, my_add

class Both(torch.nn.Module):
    def forward(self, x, y):
        return my_add.my_add(asinh.asinh(x), y)

model, args = Both().eval(), (torch.rand(2, 3), torch.rand(3))
for dynamo in (True, False):
    for package in (asinh, my_add):
        print(package.verify(model, args, dynamo=dynamo).errors["ONNX Runtime"] < 1e-6)
"""

IN_THREADS = """
import tempfile, torch, asinh, my_add
from concurrent.futures import ThreadPoolExecutor

x = torch.rand(2, 3)
jobs = [(my_add, my_add.MyAdd(), (x, x)), (asinh, asinh.Asinh(), (x,))] * 6

def work(number, job):
    package, model, args = job
    return package.verify(model.eval(), args, dynamo=number % 4 > 1).errors["ONNX Runtime"] < 1e-6

with ThreadPoolExecutor(4) as pool:
    print(all(pool.map(work, range(len(jobs)), jobs)))
"""

NEGATED = """
import torch, asinh, my_add
from my_add import _kernel

x = torch.imag(torch.conj(torch.randn(5, dtype=torch.complex64)))
assert x.is_neg()
print(torch.equal(_kernel.my_add(x, x), my_add.my_add(x, x)))
print(torch.equal(my_add.my_add(x, x), 3 * x))
"""

COPY = """
import sys, my_add
del sys.modules["my_add"]
for name in [name for name in sys.modules if name.startswith("my_add.")]:
    del sys.modules[name]
sys.path.insert(0, {copy!r})
try:
    import my_add
except ImportError as error:
    print(error)
"""

INDUCTOR = """
import torch, my_add

f = torch.compile(my_add.my_add, fullgraph=True, dynamic=True)
for size in (3, 5):
    a, b = torch.randn(size, 4, requires_grad=True), torch.randn(4, requires_grad=True)
    f(a, b).sum().backward()
    assert torch.equal(a.grad, torch.full_like(a, 2))
    assert torch.equal(b.grad, torch.full_like(b, size))
print(torch.equal(f(a, b), my_add.my_add(a, b)))
"""


@pytest.fixture(scope="module")
def both(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("both")
    code = "import sys; from pathlib import Path; from onnxop import build\n"
    for name in ("asinh", "my_add"):
        spec = ROOT / "reference_ops" / name / "op.toml"
        assert (
            environment.run("-m", "onnxop", "new", spec, folder / name, cwd=folder).returncode == 0
        )
        code += f"build.install(Path({str(folder / name)!r}), lambda seconds: None)\n"
    done = environment.run("-c", code, cwd=folder)
    assert done.returncode == 0, done.stdout
    return environment


@pytest.mark.parametrize(
    ("code", "answers"),
    [(ONE_MODEL, 4), (IN_THREADS, 1), (NEGATED, 2), (INDUCTOR, 1)],
    ids=["one model", "in threads", "negated view", "inductor"],
)
def test_answers(both: Environment, tmp_path: Path, code: str, answers: int) -> None:
    done = both.run("-W", "ignore", "-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    lines = [line for line in done.stdout.splitlines() if line in ("True", "False")]
    assert lines == ["True"] * answers, done.stdout


@pytest.mark.parametrize(
    "readme", ["README.md", "reference_ops/my_add/README.md", "reference_ops/asinh/README.md"]
)
def test_readme_examples_run(both: Environment, tmp_path: Path, readme: str) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / readme).read_text("utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        done = both.run("-W", "ignore", "-c", block, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
        assert "worst absolute error" in done.stdout


def test_a_copy_elsewhere_is_refused(both: Environment, tmp_path: Path) -> None:
    where = both.run("-c", "import my_add; print(my_add.__path__[0])", cwd=tmp_path)
    shutil.copytree(where.stdout.strip(), tmp_path / "copy" / "my_add")
    done = both.run("-c", COPY.format(copy=str(tmp_path / "copy")), cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "my_lib::my_add is already registered by another library" in done.stdout
