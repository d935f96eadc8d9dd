"""The pages, checked against the code and the files; tests/packages runs their Python."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

from onnxop import cli
from onnxop.check.load import load
from onnxop.errors import InvalidSpecError
from onnxop.package import git, template
from onnxop_runtime.specs.document import keys_of
from tests.documents import (
    CHINESE,
    ENGLISH,
    PAGES,
    ROOT,
    blocks,
    english,
    in_chinese,
    outline,
    read,
    specs,
)

SPECS = [(page, number) for page in ENGLISH for number in range(len(specs(page)))]


def test_the_first_page_is_short() -> None:
    assert len(read("README.md").splitlines()) <= 150


def test_both_commands_of_the_first_page_take_the_same_pytorch() -> None:
    """Check that both use one installer: another has its own settings, and perhaps index."""
    commands = [block.strip() for block in blocks("README.md", "sh") if "install" in block]
    assert [command.split(" && ")[:2] for command in commands] == [
        ["pip install uv", 'uv pip install -e ./runtime -e ".[verify]"'],
        ["pip install uv", 'uv pip install -e ./runtime -e ".[dev]"'],
    ]


@pytest.mark.parametrize(("page", "number"), SPECS)
def test_specs_are_fine(page: str, number: int, tmp_path: Path) -> None:
    spec = tmp_path / "op.toml"
    spec.write_text(specs(page)[number], encoding="utf-8")
    load(spec)


def test_the_answer_to_a_wrong_spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (wrong,) = [block for block in blocks("README.md", "text") if ".toml:" in block]
    spec = specs("README.md")[0].replace("op.Add(", "op.Ad(")
    (tmp_path / "my_add.toml").write_text(spec, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidSpecError) as raised:
        load(Path("my_add.toml"))
    assert str(raised.value) == wrong.rstrip("\n")


def test_every_key_has_its_line() -> None:
    lines = [line for line in read("generator/README.md").splitlines() if line.startswith("| ")]
    for table in ("op", "onnx", "kernel"):
        for key in keys_of((table,)):
            assert any(f"`{table}.{key}`" in line.split("|")[1] for line in lines), key
    for key in keys_of(("package",)):
        assert any(f".{key}`" in line.split("|")[1] for line in lines), key


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", read(page)):
        if target.startswith("https://"):
            continue
        path, _, anchor = target.partition("#")
        place = (ROOT / page).parent / path if path else ROOT / page
        assert place.exists(), target
        if anchor:
            place = place / "README.md" if place.is_dir() else place
            assert anchor in _anchors(place.read_text(encoding="utf-8")), target


def test_readme_tutorial_and_terms_are_in_chinese() -> None:
    tutorial = {page for page in ENGLISH if page.startswith("docs/tutorial/")}
    assert {english(page) for page in CHINESE} == {"README.md", "docs/terms.md", *tutorial}


@pytest.mark.parametrize("page", CHINESE)
def test_a_chinese_page_says_what_the_english_one_says(page: str) -> None:
    assert read(page) == in_chinese(page), (
        "its code differs from the English page's: poe regenerate"
    )
    assert outline(page) == outline(english(page))


def _anchors(text: str) -> set[str]:
    """Return GitHub's anchors of the headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [page for page in ENGLISH if page != "CHANGELOG.md"])
def test_commands_have_the_options_that_are_shown(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoken = [*blocks(page, "sh"), *re.findall(r"`(onnxop[ -][^`]*)`", read(page))]
    for command, rest in re.findall(r"\bonnxop[ -]([a-z]+)\b([^\n|#]*)", "\n".join(spoken)):
        with pytest.raises(SystemExit):
            cli.main([command, "--help"])
        known = capsys.readouterr().out
        # What follows " -- " are the options of the command that `onnxop run` runs.
        for option in re.findall(r"--[a-z-]+", rest.partition(" -- ")[0]):
            assert option in known, (command, option)


@pytest.mark.slow
def test_the_folder_of_templates_keeps_its_page(tmp_path: Path) -> None:
    """Check the page beside README.md.jinja, which is the README of packages."""
    package = tmp_path / "my_add"
    assert cli.main(["new", str(ROOT / "reference_ops/my_add/ops/my_add.toml"), str(package)]) == 0
    assert (package / "README.md").read_text(encoding="utf-8").startswith("# my_add\n")
    git.run(tmp_path, "clone", "-q", package / template.BUNDLE, tmp_path / "template")
    templates = tmp_path / "template" / "templates"
    assert (templates / "README.md.jinja").exists()
    assert not (templates / "README.md").exists()


def test_the_page_of_the_api_has_every_public_name(monkeypatch: pytest.MonkeyPatch) -> None:
    page = site_page("api", monkeypatch)
    assert "### export\n" in page
    assert "- `opset_version`: " in page
    assert "- `missing`: " in page  # a field of Verification, which has no base class
    assert "### extension\n" in page
    assert "### OperatorTests\n" in page
    assert "libraries of all imported packages" in page  # onnxop_runtime.session is not a package's


def test_the_page_of_commands_has_each(monkeypatch: pytest.MonkeyPatch) -> None:
    page = site_page("commands", monkeypatch)
    titles = re.findall(r"^##+ (.*)$", page, re.MULTILINE)
    commands = re.findall(r"^- \[`(\w+)`\]", page, re.MULTILINE)
    assert {"new", "check", "scan"} <= {*commands}
    alone = ["onnxop-new", "python -m onnxop_runtime"]
    assert titles == ["onnxop", *(f"onnxop {command}" for command in commands), *alone]
    assert page.count("Examples:\n") == len(titles)
    assert "- `--opset N`: " in page


def test_the_page_of_messages_has_each_bad_spec_once(monkeypatch: pytest.MonkeyPatch) -> None:
    page = site_page("messages", monkeypatch)
    specs = sorted(path.stem for path in (ROOT / "tests/bad_specs").glob("*.toml"))
    assert sorted(re.findall(r'^<summary><h3 id="(\w+)"', page, re.MULTILINE)) == specs
    assert "- `ImportError`: the package is not built" in page


def site_page(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a page that a module of the site makes, without mkdocs."""
    folder = ROOT / "docs/site"
    monkeypatch.syspath_prepend(folder)
    page: str = runpy.run_path(str(folder / f"{name}.py"))["page"]()
    return page


def test_every_task_is_told() -> None:
    tasks = tomllib.loads(read("pyproject.toml"))["tool"]["poe"]["tasks"]
    rows = [line for line in read(".github/CONTRIBUTING.md").splitlines() if "`poe " in line]
    output = {task for row in rows for task in re.findall(r"`poe (\w+)", row)}
    assert output == {*tasks}
