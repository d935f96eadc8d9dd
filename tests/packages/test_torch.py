"""Models that call the operators, in PyTorch's workflows: copied, sent to workers, compiled ahead
of time, trained under autocast, and differentiated by ``torch.func``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.programs import PATH, program
from tests.tiers import nightly
from tests.warm import Warm

MODELS = program("torch/models")

COPIED = """
for model, x in ((Net(), torch.rand(3, 4)), (Deformed(), torch.rand(1, 3, 6, 6))):
    wanted = model(x)
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    copies = [copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(file, weights_only=False)]
    file, program = io.BytesIO(), torch.export.export(model, (x,))
    torch.export.save(program, file)
    file.seek(0)
    copies += [copy.deepcopy(program).module(), torch.export.load(file).module()]
    print([torch.equal(copy(x), wanted) for copy in copies] == [True] * 5)
kinds = my_add.my_add, my_add.MyAddFunction
print(pickle.loads(pickle.dumps(kinds)) == kinds)
"""

WORKERS = """
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return my_add.my_add(torch.full((2,), float(index)), torch.ones(2))

if __name__ == "__main__":
    import sys

    for context in sys.argv[1:]:
        options = {"num_workers": 2, "batch_size": 2, "multiprocessing_context": context}
        batches = torch.cat(list(torch.utils.data.DataLoader(Data(), **options)))
        print(batches[:, 0].tolist() == [1, 3, 5, 7])
"""

AHEAD_OF_TIME = """
scales = torch.tensor([1, 1, 2.0, 1.5])
for model, args in (
    (Net(), (torch.rand(3, 4),)),
    (Deformed(), (torch.rand(1, 3, 6, 6),)),
    (dynamic_resize.Resize(), (torch.rand(1, 3, 8, 8), scales)),
):
    program = torch.export.export(model.eval(), args)
    compiled = torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(program))
    print(torch.allclose(compiled(*args), model(*args), atol=1e-5))
"""

TRAINED = """
class Reference(Net):
    def activation(self, x):
        return torch.asinh(2 * x + x)

def losses(kind):
    torch.manual_seed(0)
    model, x = kind(), torch.randn(32, 4)
    optimizer, losses = torch.optim.SGD(model.parameters(), 0.05), []
    for _ in range(30):
        with torch.autocast("cpu", torch.bfloat16):
            loss = (model(x).float() - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert all(parameter.grad.dtype == torch.float32 for parameter in model.parameters())
    return losses

ours, wanted = losses(Net), losses(Reference)
print(torch.allclose(torch.tensor(ours), torch.tensor(wanted), rtol=0.05) and ours[-1] < ours[0] / 4, ours)

model = Deformed()
with torch.autocast("cpu", torch.bfloat16):
    model(torch.rand(2, 3, 6, 6)).float().square().mean().backward()
print(all(parameter.grad.abs().sum() > 0 for parameter in model.parameters()))
"""

CHANNELS_LAST = """
class Convolutions(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = (torch.nn.Conv2d(n, 8, 3, padding=1) for n in (3, 8))

    def forward(self, x):
        x = self.first(x)
        x = asinh.asinh(my_add.my_add(x, x))
        self.is_kept = x.is_contiguous(memory_format=torch.channels_last)
        return self.last(x)

model, format = Convolutions(), {"memory_format": torch.channels_last}
results = []
for options in ({}, format):
    x = torch.linspace(-1, 1, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8).to(**options).requires_grad_()
    y = model.to(**options)(x)
    model.zero_grad()
    y.square().mean().backward()
    results.append([y.detach(), x.grad, *(p.grad.clone() for p in model.parameters())])
print(all(torch.allclose(a, b, atol=1e-5) for a, b in zip(*results, strict=True)))
print(model.is_kept and y.is_contiguous(**format) and x.grad.is_contiguous(**format))
for dynamo in (True, False):
    report = my_add.verify(model.eval(), (x.detach(),), dynamo=dynamo, verbose=False)
    print(max(report.errors.values()) < 1e-5, report)
"""

TRANSFORMED = program("torch/transformed")


@pytest.mark.parametrize(
    ("code", "answers"),
    [
        nightly(MODELS + COPIED, 3),
        nightly(MODELS + TRAINED, 2),
        nightly(MODELS + CHANNELS_LAST, 4),
        (TRANSFORMED, 10),
    ],
    ids=["copied", "trained under autocast", "channels last", "transformed"],
)
def test_models_of_pytorch_are_right(
    packages: Warm, tmp_path: Path, code: str, answers: int
) -> None:
    output = packages.checked("-W", "ignore", "-c", code, cwd=tmp_path, PYTHONPATH=PATH)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * answers, output


@pytest.mark.nightly
@pytest.mark.parametrize(
    "context",
    [
        "fork",
        pytest.param("spawn", marks=pytest.mark.everything),
        pytest.param("forkserver", marks=pytest.mark.everything),
    ],
)
@pytest.mark.usefixtures("packages")
def test_worker_processes_run_the_operator(
    environment: Environment, tmp_path: Path, context: str
) -> None:
    file = tmp_path / "workers.py"
    file.write_text(MODELS + WORKERS, encoding="utf-8")
    output = environment.checked("-W", "ignore", file, context, cwd=tmp_path)
    assert output.splitlines()[-1] == "True", output


SCRIPTED = program("torch/scripted")

SAVED = """
for number, (call, args, kwargs) in enumerate(CALLS):
    scripted = torch.jit.script(call)
    again = torch.jit.script(call)
    assert isinstance(call, torch.nn.Module) or again.qualified_name == scripted.qualified_name
    torch.testing.assert_close(scripted(*args, **kwargs), call(*args, **kwargs), rtol=0, atol=0)
    torch.jit.save(scripted, f"{number}.pt")
for call in (many.axps, many.keep_above, many.quick_gelu):  # what is left out, a file knows not
    torch.testing.assert_close(torch.jit.script(call)(x), call(x), rtol=0, atol=0)
print(True)
"""

LOADED = """
for number, (call, args, kwargs) in enumerate(CALLS):
    loaded = torch.jit.load(f"{number}.pt")
    torch.testing.assert_close(loaded(*args, **kwargs), call(*args, **kwargs), rtol=0, atol=0)
print(True)
"""


@pytest.mark.nightly
@pytest.mark.usefixtures("many_ops")
def test_scripted(packages: Warm, tmp_path: Path) -> None:
    """Script functions that call the operators, modules, and the functions themselves, from a file,
    as TorchScript reads the source; then load them in another process. Some types have no
    annotation.
    """
    for name, code in {"saved": SAVED, "loaded": LOADED}.items():
        file = tmp_path / f"{name}.py"
        file.write_text(SCRIPTED + code, encoding="utf-8")
        output = packages.checked("-W", "ignore", file, cwd=tmp_path)
        assert output.splitlines()[-1] == "True", output


@pytest.mark.everything
@pytest.mark.usefixtures("packages")
def test_ahead_of_time(environment: Environment, tmp_path: Path) -> None:
    """Compile by AOTInductor, whose file calls the operators registered in the loading process."""
    code = f"{MODELS}\n{AHEAD_OF_TIME}"
    output = environment.checked("-W", "ignore", "-c", code, cwd=tmp_path, CC="gcc", CXX="g++")
    assert [line for line in output.splitlines() if line in ("True", "False")] == ["True"] * 3, (
        output
    )
