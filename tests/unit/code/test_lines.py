"""Lines of Python: ruff leaves every layout unchanged."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from onnxop.code import lines
from onnxop.code.torch_functions import imports


def _texts(draw: random.Random) -> list[str]:
    return ["n" + "abcdefghij"[i] * draw.randint(0, 24) for i in range(draw.randint(1, 9))]


def _module(seed: int) -> str:
    """Return a module with imports and calls of all lengths."""
    draw = random.Random(seed)
    modules = {"torch", "math", *_texts(draw)}
    names = {(draw.choice(["torch", "typing", "some.module"]), member) for member in _texts(draw)}
    used = sorted(modules | {name for _, name in names})
    statements = [
        *imports(modules, names),
        "",
        lines.joined("X = print(", used, ")"),
        "",
        "",
        "def f():",
        f"    {lines.joined('x = print(', _texts(draw), ')', indent=4)}",
        "    return x",
    ]
    return "\n".join([*statements, ""])


@pytest.mark.parametrize("command", [["format", "--diff"], ["check", "--select=I"]], ids=str)
def test_ruff_leaves_it(command: list[str], tmp_path: Path) -> None:
    for seed in range(100):
        (tmp_path / f"module_{seed}.py").write_text(_module(seed))
    ruff = [sys.executable, "-m", "ruff", *command, "--isolated", "--line-length=100", "--quiet"]
    answer = subprocess.run([*ruff, tmp_path], check=False, capture_output=True, text=True)
    assert answer.stdout + answer.stderr == ""


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One line.", "One line."),
        ("Two\n\nlines.", "Two\n\nlines.\n"),
        ('ends with "', 'ends with \\"'),
        ('"""', '\\"\\"\\"'),
        ("back\\slash", "back\\\\slash"),
        ("\\", "\\\\"),
    ],
)
def test_docstring(text: str, shown: str) -> None:
    assert lines.docstring(text) == shown
    value: str = eval(f'"""{shown}"""')
    assert value.split() == text.split()
