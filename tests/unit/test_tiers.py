"""What a push runs: a test of every file, except for those that are left to the night as a whole."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import yaml

from tests.documents import ROOT

LATER = frozenset({"nightly", "everything"})
"""Markers of the tests that `poe all` leaves out."""
NOT_QUICK = LATER | {"slow"}
"""Markers of the tests that `poe quick` leaves out."""
LATER_AS_A_WHOLE = {
    # Programs that check the headers for all numbers, which take half a minute to compile.
    "tests/csrc/test_programs.py",
    # Kernels for GPUs, which tests/emulated/test_elementwise.py and tests/unit/kernel/test_cuda.py
    # check by g++.
    "tests/emulated/test_by_hand.py",
    "tests/emulated/test_sessions.py",
    "tests/packages/test_cuda.py",
    # Packages that take a minute to build or to test. test_packages.py has one of each kind.
    "tests/packages/test_legal_specs.py",
    "tests/packages/test_openvino.py",
    "tests/packages/test_ops.py",
    "tests/packages/test_runtime_table.py",
    "tests/packages/test_runtimes.py",
    "tests/packages/test_serving.py",
    "tests/packages/test_usage.py",
    "tests/packages/test_vision_ops.py",
    "tests/packages/test_wheel.py",
    "tests/packages/test_workflow.py",
    # Faults, draws and variants of what others test once.
    "tests/packages/test_drawn.py",
    "tests/packages/test_export_forms.py",
    "tests/packages/test_recipes.py",
    "tests/packages/test_torchvision_gallery.py",
    "tests/unit/testing/test_suite.py",
    "tests/update/test_random.py",
    "tests/update/test_requires.py",
    # Tools of others, and a release of onnxop.
    "tests/packages/test_ready_replacements.py",
    "tests/packages/test_tools.py",
    "tests/update/test_releases.py",
}
SLOW_AS_A_WHOLE = {
    "tests/unit/cli/test_sample_values.py",  # starts ONNX Runtime, and computes each sample
    "tests/unit/package/test_answers.py",  # hundreds of drawn texts
    "tests/unit/testing/test_suite.py",  # the tests of packages
}
"""Files of unit tests of which `poe quick` runs nothing."""


def has_marker(nodes: Sequence[ast.AST], markers: Collection[str]) -> bool:
    """Return whether one of the markers is in the code of decorators, or of a module's list."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in markers
        for root in nodes
        for node in ast.walk(root)
    )


def has_a_test_without(markers: Collection[str], module: ast.Module) -> bool:
    lists = [
        node.value
        for node in module.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"
    ]
    tests = [
        node
        for node in module.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]
    return not has_marker(lists, markers) and any(not is_marked(test, markers) for test in tests)


def is_marked(test: ast.FunctionDef, markers: Collection[str]) -> bool:
    """Return whether the test has a marker, and not some of its cases alone."""
    decorators = [node for node in test.decorator_list if not isinstance(node, ast.Call)]
    return has_marker(decorators, markers)


def files_that_have_only(markers: Collection[str], folder: Path) -> set[str]:
    """Return the test files of a folder in which every test has one of the markers."""
    return {
        str(file.relative_to(ROOT))
        for file in folder.rglob("test_*.py")
        if not has_a_test_without(markers, ast.parse(file.read_text(encoding="utf-8")))
    }


def test_every_file_has_a_test_in_all() -> None:
    assert files_that_have_only(LATER, ROOT / "tests") == LATER_AS_A_WHOLE


def test_every_unit_test_file_has_a_quick_test() -> None:
    assert files_that_have_only(NOT_QUICK, ROOT / "tests/unit") == SLOW_AS_A_WHOLE


def test_each_tier_has_those_before_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    tasks = project["poe"]["tasks"]
    *_, nightly = tasks["nightly"]["sequence"]
    *_, everything = tasks["everything"]["sequence"]
    assert project["pytest"]["ini_options"]["addopts"][-1] == "not nightly and not everything"
    assert "-m 'not everything'" in nightly["cmd"]
    assert "-m ''" in everything["cmd"]


def test_each_schedule_has_its_job() -> None:
    """A job whose schedule is spelt otherwise would never run."""
    text = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    workflow: dict[Any, Any] = yaml.safe_load(text)
    crons = [trigger["cron"] for trigger in workflow[True]["schedule"]]  # YAML reads "on" as True
    jobs = {
        match[1]: job["steps"][-1]["run"]
        for job in workflow["jobs"].values()
        if (match := re.search("github.event.schedule == '(.*?)'", job["if"]))
    }
    assert sorted(jobs) == sorted(crons)
    assert sorted(jobs.values()) == ["bash .ci/run everything", "bash .ci/run nightly"]
