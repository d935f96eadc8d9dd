"""Attacks by specs, of `tests/fifty_attacks.toml`: each command refuses them, and runs nothing of them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import onnxop_runtime
from onnxop import cli

FILE = Path(__file__).parents[1] / "fifty_attacks.toml"
ATTACKS: list[dict[str, str]] = tomllib.loads(FILE.read_text(encoding="utf-8"))["attack"]

HEAD = """
[op]
schema = "my_lib::f(Tensor x) -> Tensor"

[onnx]
opset = 18
"""
NEGATION = "mapping = 'op.Neg(x)'\n"
SAMPLE = "[[samples]]\nx = 'float32[2, 3]'\n"
TABLES = {
    "python": f"{NEGATION}[kernel]\npython = TEXT\n{SAMPLE}",
    "reference": f"{NEGATION}[kernel]\nsource = 'kernel.h'\npython = TEXT\n{SAMPLE}",
    "autograd": f"{NEGATION}[kernel]\nelementwise = '-x'\n[autograd]\nx = TEXT\n{SAMPLE}",
    "fake": f"{NEGATION}[kernel]\npython = '-x'\nfake = TEXT\n{SAMPLE}",
    "samples": f"{NEGATION}[kernel]\npython = '-x'\n[[samples]]\nx = TEXT\n",
    "mapping": f"mapping = TEXT\n[kernel]\npython = '-x'\n{SAMPLE}",
}
"""The rest of the spec for each key; TEXT is the attack."""

RUN = {
    "statistics of a batch norm": "this modifies an input in sample 1",
    "a great tensor": "can't allocate memory",
    "autograd: a power": "takes more than 10 s for sample 1",
}
"""What `check` says of attacks that only a run with values shows, in a process of its own; `--no-run` has none."""
SLOW = {"for ever", "a power", "a factorial", "a sum", "nested comprehensions", "fake: for ever"}
"""Attacks that a limit of time ends."""


def spec_of(attack: dict[str, str], ran: Path) -> str:
    """Return the spec that makes an attack, which writes the file ``ran`` if its text is run."""
    text = attack["text"].replace("RAN", str(ran)).replace("\\", "\\\\").replace('"', '\\"')
    return HEAD + TABLES[attack["key"]].replace("TEXT", f'"""{text}"""')


def state() -> dict[str, Any]:
    """Return settings of this process that an attack may change."""
    return {
        "dtype": torch.get_default_dtype(),
        "threads": torch.get_num_threads(),
        "grad": torch.is_grad_enabled(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "seed": torch.get_rng_state().tolist(),
        "cudnn": torch.backends.cudnn.enabled,
        "relu": torch.relu,
        "folder": os.getcwd(),
        "variables": {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"},
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder for a spec; check that nothing else is written, and no setting is changed."""
    monkeypatch.chdir(tmp_path)
    before = state()
    yield tmp_path
    assert state() == before
    assert {path.name for path in tmp_path.iterdir()} <= {"f.toml", "f"}


def named(attack: dict[str, str], *, marks: Any = ()) -> Any:
    return pytest.param(attack, marks=marks, id=attack["name"].replace(" ", "_"))


WITHOUT_VALUES = [
    named(attack, marks=[pytest.mark.slow] * (attack["name"] in SLOW))
    for attack in ATTACKS
    if attack["name"] not in RUN
]


@pytest.mark.parametrize("attack", WITHOUT_VALUES)
def test_check(attack: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = folder / "f.toml"
    spec.write_text(spec_of(attack, folder / "RAN"), encoding="utf-8")
    assert cli.main(["check", "--no-run", str(spec)]) == 1
    refusal = capsys.readouterr().err
    assert refusal.startswith(f"{spec}:")
    assert "^" in refusal, refusal


@pytest.mark.slow
@pytest.mark.parametrize("attack", [named(a) for a in ATTACKS if a["name"] in RUN])
def test_check_with_values(
    attack: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = folder / "f.toml"
    spec.write_text(spec_of(attack, folder / "RAN"), encoding="utf-8")
    assert cli.main(["check", str(spec)]) == 1
    assert RUN[attack["name"]] in capsys.readouterr().err


def contents(package: Path) -> dict[Path, bytes]:
    """Return the files of a package, without those of git."""
    files = (path for path in package.rglob("*") if path.is_file())
    return {path: path.read_bytes() for path in files if ".git" not in path.parts}


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return a package for each key, whose spec is harmless."""
    harmless = {"autograd": "-grad", "samples": "float32[2, 3]", "mapping": "op.Neg(x)"}
    folders = {}
    for key in TABLES:
        folder = tmp_path_factory.mktemp(key)
        text = harmless.get(key, "x.new_empty(x.shape)" if key == "fake" else "-x")
        (folder / "f.toml").write_text(spec_of({"key": key, "text": text}, folder / "RAN"))
        package = folder / "f"
        assert cli.main(["new", str(folder / "f.toml"), str(package)]) == 0
        for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm first"):
            subprocess.run(["git", *command.split()], cwd=package, check=True)
        folders[key] = package
    return folders


@pytest.mark.slow
@pytest.mark.parametrize("key", TABLES)
def test_update(
    key: str, packages: dict[str, Path], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    package = folder / "f"
    shutil.copytree(packages[key], package)
    for attack in ATTACKS:
        if attack["key"] != key or attack["name"] in RUN.keys() | SLOW:
            continue
        (package / "ops" / "f.toml").write_text(spec_of(attack, folder / "RAN"), encoding="utf-8")
        before = contents(package)
        assert cli.main(["update", "--dry-run", str(package)]) == 1, attack["name"]
        refusal = capsys.readouterr().err
        assert "ops/f.toml:" in refusal, refusal
        assert contents(package) == before


@pytest.mark.filterwarnings("ignore")  # the exporter's
@pytest.mark.parametrize("attack", [named(a) for a in ATTACKS if a["key"] == "mapping"])
def test_register(attack: dict[str, str], folder: Path) -> None:
    """Mappings without a kernel are rules of this process: refused at once, or at the export by a limit."""
    text = spec_of(attack, folder / "RAN").replace("[kernel]\npython = '-x'\n", "")
    text = text.replace("my_lib::f(Tensor x) -> Tensor", "aten::sgn(Tensor self) -> Tensor")
    text = re.sub(r"\bx\b", "self", text)
    with pytest.raises(ValueError, match="aten::sgn|onnx.mapping"):
        export_of(text, folder / "f")


class Sign(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.sgn(x)


def export_of(text: str, file: Path) -> None:
    """Register a spec, and export a model that calls its operator."""
    operators = onnxop_runtime.register(text)
    try:
        onnxop_runtime.export(Sign(), (torch.ones(2, 3),), file, dynamo=False, opset_version=18)
    finally:
        onnxop_runtime.unregister(operators)
