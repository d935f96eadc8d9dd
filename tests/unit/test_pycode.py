"""Lines of Python: every layout is the one that ruff leaves as it is."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from onnxop.code import pycode


def _words(draw: random.Random, least: int = 1) -> list[str]:
    count = draw.randint(least, 9)
    return ["n" + "abcdefghij"[i] * draw.randint(0, 24) for i in range(count)]


def _cases(seed: int) -> list[list[str]]:
    draw = random.Random(seed)
    words = _words(draw)
    parameters = [f"{word}: Tensor" for word in _words(draw)]
    inner = pycode.call("self.x = f(", words, indent=8)
    return [
        pycode.call("x = f(", words),
        pycode.call("def f(", parameters, ") -> Tensor: ..."),
        ["class C:", "    def f(self) -> None:", *inner, *pycode.unpack(words, "v", indent=8)],
        ["def g() -> None:", *pycode.tuple_of("return ", words, indent=4)],
        pycode.display("WORDS = [", [f'"{word}"' for word in words], "]"),
        pycode.import_from("a_package_of_some.module", sorted(words)),
        pycode.unpack(words, "value.of_something"),
        pycode.tuple_of("x = ", words),
    ]


def test_ruff_leaves_it(tmp_path: Path) -> None:
    """Each case is a file of its own, so that blank lines between statements do not matter."""
    cases = [case for seed in range(60) for case in _cases(seed)]
    for number, case in enumerate(cases):
        (tmp_path / f"case_{number}.py").write_text("\n".join(case) + "\n")
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=100", "--diff"]
    answer = subprocess.run([*command, str(tmp_path)], check=False, capture_output=True, text=True)
    assert answer.stdout == ""
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("One line.", ['"""One line."""']),
        ("Two\n\nlines.", ['"""Two', "", "lines.", '"""']),
        ('ends with "', ['"""ends with \\""""']),
        ('"""', ['"""\\"\\"\\""""']),
        ("back\\slash", ['"""back\\\\slash"""']),
        ("\\", ['"""\\\\"""']),
        ("trailing  \nspaces ", ['"""trailing', "spaces", '"""']),
    ],
)
def test_docstring(text: str, lines: list[str]) -> None:
    assert pycode.docstring(text) == lines
    value: str = eval("\n".join(lines))
    assert value.split() == text.split()
