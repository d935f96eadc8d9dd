"""The tutorial and the how-to pages: their files and commands, in order, in an empty folder, and
their output.
"""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnxruntime  # type: ignore[import-untyped]
import pytest

from tests.conftest import make_environment, run_merged
from tests.documents import ENGLISH, ROOT, assert_shown, read, steps
from tests.warm import Warm, start

CHAPTERS = [
    page
    for page in ENGLISH
    if page.startswith(("docs/tutorial/", "docs/howto/"))
    and any(step.title for step in steps(page))
]
QUICK: Mapping[str, Sequence[pytest.MarkDecorator]] = {
    "/02-": (),
    "/loops": (pytest.mark.nightly,),
}
"""The marks of chapters that build nothing, by a part of their path."""
COMMANDS = {
    "python": [],
    "pip": ["-m", "pip"],
    "onnxop": ["-m", "onnxop"],
    "onnxop-new": ["-m", "onnxop", "new"],
}
ERROR = re.compile(r"\b\d\.\de[+-]\d\d\b")  # values differ from CPU to CPU
PIP = {"PIP_NO_DEPS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

GIT = {
    f"GIT_{who}_{field}": "reader@example.org"
    for who in ("AUTHOR", "COMMITTER")
    for field in ("NAME", "EMAIL")
}


def marks_of(page: str) -> Sequence[pytest.MarkDecorator]:
    """Return the marks of a chapter's test."""
    quick = (marks for name, marks in QUICK.items() if name in page)
    return next(quick, (pytest.mark.everything,))


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=marks_of(page)) for page in CHAPTERS],
)
def test_chapter(page: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folder = tmp_path / "reader"
    folder.mkdir()
    if "tensorrt_rtx" in read(page):
        pytest.importorskip(
            "tensorrt_rtx", reason="needs TensorRT's parser: pip install tensorrt-rtx"
        )
    if "-lonnxruntime" in read(page):
        make_onnxruntime(folder / "onnxruntime")
    if any(name in page for name in QUICK):
        follow(page, folder, request.getfixturevalue("warm"))
        return
    with start(make_environment(tmp_path / "environment")) as warm:
        follow(page, folder, warm)
    check_picture(page, folder)


def check_picture(page: str, folder: Path) -> None:
    """Check that a chapter's picture is drawn from the files that its reader has."""
    picture = (ROOT / page).with_suffix(".svg")
    if picture.exists():
        text = picture.read_text(encoding="utf-8")
        files = [folder / name for name in re.findall('class="title">(.*)<', text)]
        assert runpy.run_path(str(ROOT / "docs/site/draw.py"))["drawn"](files) == text


def follow(page: str, folder: Path, warm: Warm) -> None:
    """Write the page's files, run its commands, and compare their output with the page."""
    output, status = "", 0
    for step in steps(page):
        is_shown = step.language == "text" and not step.title
        # A command may fail where the page shows its failure.
        assert status == 0 or (status == 1 and is_shown), output
        status = 0
        if step.title:
            (folder / step.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / step.title).write_text(step.text, encoding="utf-8")
        elif step.language == "sh":
            output = ""
            for line in step.text.replace("\\\n", "").splitlines():
                assert status == 0, output
                result = run(line, folder, warm)
                output, status = output + result.stdout, result.returncode
        elif is_shown:
            assert_shown(ERROR.sub("error", step.text), ERROR.sub("error", output))
    assert status == 0, output


def make_onnxruntime(folder: Path) -> None:
    """Provide the reader's downloads: ONNX Runtime's library and its header, or a stand-in."""
    (library,) = Path(onnxruntime.__file__).with_name("capi").glob("libonnxruntime.so.*")
    (folder / "lib").mkdir(parents=True)
    for name in ("libonnxruntime.so", "libonnxruntime.so.1"):
        (folder / "lib" / name).symlink_to(library)
    (folder / "include").symlink_to(ROOT / "tests" / "csrc" / "standin")


def run(line: str, folder: Path, warm: Warm) -> subprocess.CompletedProcess[str]:
    """Run a command; Python ones in a process that has imported PyTorch."""
    name, *arguments = shlex.split(line)
    if name in COMMANDS:
        return warm.run(*COMMANDS[name], *arguments, cwd=folder, **PIP)
    return run_merged(["bash", "-c", line], folder, **GIT)
