"""The rules of a report: who writes it, and its full stops."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.scan import scan
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.pages import page, unloaded
from onnxop.scan.report.cause import Cause, Note, after, join_sentences, sentence
from onnxop.scan.report.report import Report
from onnxop.trial.outcome import Outcome

FOLDER = Path(scan.__file__).parent
MODULES = {str(file.relative_to(FOLDER)): file for file in sorted(FOLDER.rglob("*.py"))}
WRITERS = {"scan.py", "remedies/remedies.py"}
NET = Target("net", torch.nn.ReLU(), (torch.ones(2),))
CHANGES = {"append", "extend", "insert", "pop", "clear", "update", "setdefault", "remove"}


def is_of_report(node: ast.AST) -> bool:
    """Return whether an expression is an attribute of a report, or a part of one."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        owner = node.value
        name = owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")
        if isinstance(node, ast.Attribute) and name in ("report", "scanned"):
            return True
        node = owner
    return False


def writes(tree: ast.AST) -> Iterator[str]:
    """Yield what changes a report."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=targets):
                yield from (ast.unparse(target) for target in targets if is_of_report(target))
            case ast.AugAssign(target=target) if is_of_report(target):
                yield ast.unparse(target)
            case ast.Call(func=ast.Attribute(attr=attr, value=value)):
                if attr in CHANGES and is_of_report(value):
                    yield ast.unparse(node.func)


def tree(module: str) -> ast.Module:
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))


@pytest.mark.parametrize("module", MODULES)
def test_stages_return_values(module: str) -> None:
    """Two functions put these into the report."""
    assert bool([*writes(tree(module))]) is (module in WRITERS)


def test_what_changes_a_report_is_seen() -> None:
    code = "search.report.notes.append(1)\nreport.whole[export] = 2\nscanned.kept |= 3\nreport = 4"
    assert [*writes(ast.parse(code))] == [
        "report.whole[export]",
        "scanned.kept",
        "search.report.notes.append",
    ]


def ends(tree: ast.Module) -> Iterator[str]:
    """Yield the ends of the texts of causes, notes and module constants."""
    constants = [node.value for node in tree.body if isinstance(node, ast.Assign)]
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    named = (call for call in calls if getattr(call.func, "id", "") in ("Cause", "Note"))
    texts = [text for call in named for text in (*call.args, *(k.value for k in call.keywords))]
    for text in (*constants, *texts):
        last = text.values[-1] if isinstance(text, ast.JoinedStr) else text
        if isinstance(last, ast.Constant) and isinstance(last.value, str):
            yield last.value


@pytest.mark.parametrize("module", [name for name in MODULES if name.startswith("causes/")])
def test_texts_have_no_last_full_stop(module: str) -> None:
    assert not [text for text in ends(tree(module)) if text.endswith(".")]


def test_full_stops() -> None:
    """Of an error, which may have one, it is the only one."""
    assert sentence("it stops") == sentence("it stops.") == "it stops."
    assert join_sentences(["it stops.", "", "Change it", "it stops."]) == "it stops. Change it"
    assert join_sentences([]) == after("") == ""
    assert after("Change it") == " Change it."
    assert str(Cause("it stops.", advice="Change it")) == "it stops. Change it"
    assert str(Note("It stops")) == str(Note("It stops.")) == "It stops."


def test_the_data_of_a_model_that_was_not_loaded() -> None:
    """They have the keys of every report, and no facts."""
    report = Report(NET, {Export("dynamo", 20): Outcome("values")})
    data = unloaded.data("net", "SIGINT")
    assert [*data] == [*page.report_as_data(report, {}, None, None)]
    assert data["next"][0] == "Stopped by SIGINT, before the model was loaded."
    assert not any(data[key] for key in data if key not in ("model", "stopped", "next"))


def test_a_time_limit_ends_the_import_of_pytorch(tmp_path: Path) -> None:
    """It counts from the start of the command."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("import time\ntime.sleep(300)\n", "utf-8")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from onnxop.cli import main; main()"
    command = [sys.executable, "-c", code, "scan", "net.py:build", "--time-limit", "0.2"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.splitlines() == unloaded.lines("--time-limit 0.2")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, "PyTorch takes none of the other sizes that were tried there"),
        ({"others": (((torch.ones(2, 4),), {}),)}, "all sets have one size there"),
        ({"dynamic_shapes": ({1: "n"},)}, "in dynamic_shapes, or in the model itself"),
    ],
)
def test_why_a_dimension_is_static_is_told(fields: Any, why: str) -> None:
    target = replace(NET, args=(torch.ones(2, 3),), sizes=((torch.ones(2, 4),),), axes={0: {1}})
    report = Report(replace(target, **fields), {Export("dynamo", 20): Outcome("right")})
    told = " ".join(page.report_as_data(report, {}, None, None)["inputs"].split())
    assert told.endswith(f"Static, as {why}: dimension 0 of input.")
