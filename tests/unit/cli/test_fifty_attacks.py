"""Attacks by specs, of `tests/fifty_attacks.toml`: each command refuses them, and runs nothing of
them.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

import onnxop_runtime
from onnxop import cli

FILE = Path(__file__).parents[2] / "fifty_attacks.toml"
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
"""What `check` says of attacks that only a run with values shows, in a process of its own;
`--no-run` has none.
"""
ENDED = {
    "for ever",
    "a power",
    "autograd: a power",
    "a factorial",
    "a sum",
    "nested comprehensions",
    "fake: for ever",
}
"""Attacks that a limit of time ends, after seconds. Those that `everything` alone tries are ended
by the same limit.
"""
REPRESENTATIVES = {"for ever", "fake: for ever"}


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


def marks_of(name: str) -> list[pytest.MarkDecorator]:
    if name in REPRESENTATIVES:
        return [pytest.mark.nightly]
    return [pytest.mark.everything] if name in ENDED else []


WITHOUT_VALUES = [
    named(attack, marks=marks_of(attack["name"])) for attack in ATTACKS if attack["name"] not in RUN
]


@pytest.mark.slow
@pytest.mark.parametrize("attack", WITHOUT_VALUES)
def test_check(attack: dict[str, str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = folder / "f.toml"
    spec.write_text(spec_of(attack, folder / "RAN"), encoding="utf-8")
    assert cli.main(["check", "--no-run", str(spec)]) == 1
    refusal = capsys.readouterr().err
    assert refusal.startswith(f"{spec}:")
    assert "^" in refusal, refusal


WITH_VALUES = [
    named(attack, marks=marks_of(attack["name"])) for attack in ATTACKS if attack["name"] in RUN
]


@pytest.mark.slow
@pytest.mark.parametrize("attack", WITH_VALUES)
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


Packages = Callable[[str], Path]


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Packages:
    """Return a function that makes the package of a key, whose spec is harmless."""
    harmless = {"autograd": "-grad", "samples": "float32[2, 3]", "mapping": "op.Neg(x)"}

    @cache
    def package_for(key: str) -> Path:
        folder = tmp_path_factory.mktemp(key)
        text = harmless.get(key, "x.new_empty(x.shape)" if key == "fake" else "-x")
        (folder / "f.toml").write_text(spec_of({"key": key, "text": text}, folder / "RAN"))
        package = folder / "f"
        assert cli.main(["new", str(folder / "f.toml"), str(package)]) == 0
        for command in ("init -q", "add -A", "-c user.name=a -c user.email=a@b.c commit -qm first"):
            subprocess.run(["git", *command.split()], cwd=package, check=True)
        return package

    return package_for


def refused_by_update(key: str) -> list[dict[str, str]]:
    """Return the attacks that `update` refuses at once."""
    later = RUN.keys() | ENDED
    return [a for a in ATTACKS if a["key"] == key and a["name"] not in later]


def check_updates(attacks: list[dict[str, str]], package: Path, spec_folder: Path) -> None:
    """Check that an update to each attack is refused, and leaves the package as it is."""
    spec = package / "ops" / "f.toml"
    for attack in attacks:
        spec.write_text(spec_of(attack, spec_folder / "RAN"), encoding="utf-8")
        before = contents(package)
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            assert cli.main(["update", "--dry-run", str(package)]) == 1, attack["name"]
        assert "ops/f.toml:" in errors.getvalue(), errors.getvalue()
        assert contents(package) == before


@pytest.mark.slow
@pytest.mark.parametrize("key", ["python", "mapping"])
def test_update(key: str, packages: Packages, folder: Path) -> None:
    """It reads specs as `check` does: a few attacks show that it writes nothing."""
    shutil.copytree(packages(key), folder / "f")
    check_updates(refused_by_update(key)[:3], folder / "f", folder)


@pytest.mark.everything
@pytest.mark.parametrize("key", TABLES)
def test_update_to_each(key: str, packages: Packages, folder: Path) -> None:
    shutil.copytree(packages(key), folder / "f")
    check_updates(refused_by_update(key), folder / "f", folder)


@pytest.mark.filterwarnings("ignore")  # the exporter's
@pytest.mark.parametrize("attack", [named(a) for a in ATTACKS if a["key"] == "mapping"])
def test_register(attack: dict[str, str], folder: Path) -> None:
    """Mappings without a kernel are rules of this process: refused at once, or at the export by a
    limit.
    """
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
