"""The recipes: a model of each family, what `onnxop scan` tells of it, and the file that is
right.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.documents import assert_shown, blocks
from tests.warm import Warm

pytestmark = pytest.mark.nightly

PAGE = "generator/RECIPES.md"
RECIPES = [
    pytest.param(*each, id=each[1].split()[2], marks=[pytest.mark.everything] * (place != 1))
    for place, each in enumerate(
        zip(blocks(PAGE, "py"), blocks(PAGE, "sh"), blocks(PAGE, "text"), strict=True)
    )
]
EXPORT = """
import {name}, {package}

model, args = {name}.build()
print({package}.verify(model, args, dynamo={dynamo}, opset_version=20))
"""


@pytest.mark.parametrize(("model", "command", "shown"), RECIPES)
def test_recipe(
    model: str, command: str, shown: str, warm: Warm, environment: Environment, tmp_path: Path
) -> None:
    _, *arguments = shlex.split(command)
    name = arguments[1].partition(".")[0]
    (tmp_path / f"{name}.py").write_text(model, encoding="utf-8")
    told = warm.run("-W", "ignore", "-m", "onnxop", *arguments, cwd=tmp_path).stdout
    assert_shown(shown, told)
    package = f"{name}_ops" if "--build" in arguments else "onnxop_runtime"
    is_dynamo = "TorchScript" not in arguments
    code = EXPORT.format(name=name, package=package, dynamo=is_dynamo)
    done = warm.run("-W", "ignore", "-c", code, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stdout
    if "--build" in arguments:
        environment.run("-m", "pip", "uninstall", "--yes", package, cwd=tmp_path)
