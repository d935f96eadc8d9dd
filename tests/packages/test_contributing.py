"""The page of a first change: its edits are made in a copy of the repository, and its commands run
there.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import ROOT, Step, steps

PAGE = "docs/contributing/new-key.md"


def edit(repository: Path, step: Step) -> None:
    """Make the edit that a block shows: lines with ``+`` are new, those around them are in the
    file.
    """
    file = repository / step.title
    lines = step.text.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if not line.startswith("+"))
    after = "".join(line[1:] for line in lines)
    text = file.read_text(encoding="utf-8") if before else ""
    assert text.count(before) == 1 or not before, f"{step.title} does not have, once:\n{before}"
    file.write_text(text.replace(before, after), encoding="utf-8")


def copy_repository(destination: Path) -> None:
    """Copy the files that git has or would have into a repository of their own, with their
    bytecode.
    """
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (destination / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, destination / name)  # with its time, which bytecode records
    unfinished = shutil.ignore_patterns("*.pyc.*")
    for code in ("generator", "runtime"):
        for folder in (ROOT / code).rglob("__pycache__"):
            shutil.copytree(folder, destination / folder.relative_to(ROOT), ignore=unfinished)
    who = ["-c", "user.name=reader", "-c", "user.email=reader@example.org"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-q", "-m", "Copy"]):
        subprocess.run(["git", *command], cwd=destination, check=True)


def test_the_edits_of_the_page_apply(tmp_path: Path) -> None:
    """Make the edits in copies of their files, which stay valid Python; poe everything runs the
    commands, too.
    """
    edits = [step for step in steps(PAGE) if step.language == "diff"]
    assert len(edits) > 5
    for title in {step.title for step in edits}:
        (tmp_path / title).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / title).exists():
            shutil.copy2(ROOT / title, tmp_path / title)
    for step in edits:
        edit(tmp_path, step)
    for file in tmp_path.rglob("*.py"):
        compile(file.read_text(encoding="utf-8"), str(file), "exec")


@pytest.mark.everything
def test_the_change_of_the_page_works(tmp_path: Path) -> None:
    repository = tmp_path / "onnxop"
    copy_repository(repository)
    code = [str(repository / folder) for folder in ("generator", "runtime")]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(code)}
    for step in steps(PAGE):
        if step.language == "diff":
            edit(repository, step)
            continue
        # A shell's own PYTHONPATH replaces the copy's, so keep both.
        commands = step.text.replace("PYTHONPATH=", "PYTHONPATH=$PYTHONPATH:")
        result = subprocess.run(
            ["bash", "-ec", commands],
            cwd=repository,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, f"{step.text}\n{result.stdout}{result.stderr}"
