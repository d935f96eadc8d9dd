"""Packages of several operators: specs that come, move and go, and the package's name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from onnxop import cli

SPEC = """\
[op]
schema = "a::{name}(Tensor x) -> Tensor"

[onnx]
opset = 13
mapping = "op.Neg(x)"

[kernel]
python = "-x"
"""


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=me", "-c", "user.email=me@example.com")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "mine", "--allow-empty")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package of one operator, a::g, in git."""
    spec = tmp_path / "g.toml"
    spec.write_text(SPEC.format(name="g"), encoding="utf-8")
    folder = tmp_path / "package"
    assert cli.main(["new", str(spec), str(folder)]) == 0
    git(folder, "init", "-q")
    commit(folder)
    return folder


def add(package: Path, name: str) -> None:
    (package / "ops" / f"{name}.toml").write_text(SPEC.format(name=name), encoding="utf-8")


def update(package: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert cli.main(["update", str(package)]) == 0
    told = capsys.readouterr().out
    commit(package)
    return told


def operators(package: Path, name: str) -> list[str]:
    return sorted(
        path.name for path in package.glob(f"src/{name}/_*.py") if path.stem != "__init__"
    )


def test_they_come_move_and_go(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With plain mv and rm, before git knows of it; hand edits follow, and nothing conflicts."""
    add(package, "f")
    update(package, capsys)
    assert operators(package, "g") == ["_f.py", "_g.py"]  # called as before
    module = package / "src/g/_g.py"
    module.write_text(module.read_text(encoding="utf-8") + "\n# Mine.\n", encoding="utf-8")
    commit(package)
    (package / "ops/g.toml").rename(package / "ops/gee.toml")
    add(package, "gee")
    told = update(package, capsys)
    assert "ops/g.toml is gone\nops/gee.toml is new\n" in told
    assert "conflict" not in told
    assert operators(package, "g") == ["_f.py", "_gee.py"]
    assert (package / "src/g/_gee.py").read_text(encoding="utf-8").endswith("\n# Mine.\n")
    (package / "ops/f.toml").unlink()
    add(package, "h")
    assert "conflict" not in update(package, capsys)
    assert operators(package, "g") == ["_gee.py", "_h.py"]


def test_a_file_of_an_operator_that_goes(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It stays where it was edited, and the answer says what that means."""
    add(package, "f")
    update(package, capsys)
    samples = package / "tests/samples/f_samples.py"
    samples.write_text(samples.read_text(encoding="utf-8") + "\n# Mine.\n", encoding="utf-8")
    commit(package)
    (package / "ops/f.toml").unlink()
    told = update(package, capsys)
    assert "tests/samples/f_samples.py is no part of the template any more; yours stays" in told
    assert "remove it with git rm" in told
    assert samples.exists()


def test_a_spec_renames_the_package(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add(package, "f")
    update(package, capsys)
    for name in ("other", "third"):
        (package / "ops/f.toml").write_text(
            SPEC.format(name="f") + f'\n[package]\nname = "{name}"\n', encoding="utf-8"
        )
        update(package, capsys)
        assert operators(package, name) == ["_f.py", "_g.py"]
