"""The ways to call `export` of a package: a test for each function of programs/export/forms.py."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests.conftest import Shared
from tests.packages.test_export import SPEC, make_package
from tests.programs import folder, program
from tests.warm import Warm

pytestmark = pytest.mark.nightly


def _forms() -> list[str]:
    """Return the functions of the program without parameters that are no helpers."""
    tree = ast.parse(program("export/forms"))
    (helpers,) = (
        {ast.unparse(name) for name in node.value.elts}
        for node in tree.body
        if isinstance(node, ast.Assign)
        and ast.unparse(node.targets[0]) == "HELPERS"
        and isinstance(node.value, ast.Tuple)
    )
    functions = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return [name for name in functions if name not in {*helpers, "run"}]


@pytest.fixture(scope="session")
def answers(warm: Warm, shared: Shared) -> dict[str, str]:
    """Return what each form raised, as text; empty if it was right."""

    def make(working: Path) -> None:
        working.mkdir()
        source = make_package(working, SPEC.format(namespace="my_lib"))
        paths = f"{source}:{folder('export')}"
        output = warm.checked("-c", program("export/forms"), cwd=working, PYTHONPATH=paths)
        (working / "answers.json").write_text(output.splitlines()[-1], encoding="utf-8")

    file = shared.once("forms", make) / "answers.json"
    answers: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return answers


def test_every_form_was_run(answers: dict[str, str]) -> None:
    assert [*answers] == _forms()


@pytest.mark.parametrize("form", _forms())
def test_an_export_form_is_right(answers: dict[str, str], form: str) -> None:
    assert answers[form] == ""
