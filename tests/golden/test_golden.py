"""Same spec, same bytes: the generator makes the committed reference packages, and each file has
the format of its name.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from onnxop_runtime.specs.document import json_schema
from tests import rendering
from tests.tools import regenerate

PACKAGES = regenerate.reference_packages()


SPECS = [
    *(spec for package in PACKAGES for spec in package.glob("ops/*.toml")),
    *sorted(regenerate.ROOT.glob("tests/specs/*.toml")),
]
# One of each kind: elementwise, source, composed, existing.
KINDS = ("my_add", "deform_conv2d", "resize", "topk")
each_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)

PARSERS: dict[str, Callable[[str], object]] = {
    ".yml": yaml.safe_load,
    ".yaml": yaml.safe_load,
    ".toml": tomllib.loads,
    ".json": json.loads,
    ".py": ast.parse,
    ".pyi": ast.parse,
}
HOSTILE = """
[package]
name = "hostile"
description = 'a: "b" # {c} \\ {{ d }} {% e %} - ü'
authors = ["Ada \\"Lovelace\\": # 'x' <ada@example.org>"]

[op]
schema = "hostile::hostile(Tensor a) -> Tensor"
doc = 'key: "value" # none {{ d }}'

[onnx]
opset = 13
mapping = "op.Neg(a)"

[kernel]
python = "-a"
"""


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def generate(spec: Path, destination: Path, **environment: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "onnxop", "new", spec, destination],
        cwd=destination.parent,
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        check=True,
    )


MARKS_OF_FRESH = {
    "my_add": [],
    "vision_ops": [pytest.mark.nightly],  # six operators, whose samples take long
}


@pytest.mark.parametrize(
    "package",
    [
        pytest.param(
            package, id=package.name, marks=MARKS_OF_FRESH.get(package.name, [pytest.mark.slow])
        )
        for package in PACKAGES
    ],
)
def test_reference_package_is_fresh(package: Path, tmp_path: Path) -> None:
    rendering.generate(package / "ops", tmp_path / "fresh")
    contents = regenerate.contents(regenerate.files(package))
    wanted = regenerate.contents(files(tmp_path / "fresh"))
    assert sorted(contents) == sorted(wanted)
    stale = [name for name in wanted if contents[name] != wanted[name]]
    assert not stale, "run poe regenerate"


@pytest.mark.slow
@each_package
def test_reference_package_is_what_its_version_makes(package: Path) -> None:
    assert regenerate.is_of_its_version(package)


@pytest.mark.slow
def test_bytes_depend_on_the_spec_alone(tmp_path: Path) -> None:
    spec = PACKAGES[0] / "ops"
    plain, odd = tmp_path / "plain", tmp_path / "an odd ünicode place" / "x"
    odd.parent.mkdir()
    generate(spec, plain, PYTHONHASHSEED="1", LC_ALL="C.UTF-8", TZ="UTC")
    generate(spec, odd, PYTHONHASHSEED="2", LC_ALL="C", TZ="Asia/Tokyo", COLUMNS="40")
    assert files(plain) == files(odd)
    assert not any(str(tmp_path).encode() in content for content in files(odd).values())


def parsed(folder: Path, names: list[str]) -> dict[str, Any]:
    """Return the parsed files, of the formats that Python reads."""
    known = ((name, PARSERS.get(Path(name).suffix or Path(name).name)) for name in names)
    return {
        name: parse((folder / name).read_text(encoding="utf-8")) for name, parse in known if parse
    }


def check_workflow(workflow: Any) -> None:
    """Check what GitHub demands of a workflow, and reports only after a push."""
    assert workflow.keys() <= {
        "name",
        True,
        "permissions",
        "concurrency",
        "env",
        "jobs",
    }  # YAML reads "on" as True
    for job in workflow["jobs"].values():
        matrix = job.get("strategy", {}).get("matrix", {})
        assert set(of_matrix(job["runs-on"], matrix)) <= {"ubuntu-latest", "ubuntu-24.04-arm"}
        for step in job["steps"]:
            assert len(step.keys() & {"uses", "run"}) == 1
            assert step.keys() <= {"name", "uses", "with", "run", "env", "working-directory"}
            assert isinstance(step.get("run", ""), str)
        pythons = [s["with"] for s in job["steps"] if "setup-python" in s.get("uses", "")]
        assert len(pythons) == 1 or "container" in job  # which has a Python of its own
        versions = {v for each in pythons for v in of_matrix(each["python-version"], matrix)}
        assert versions <= {"3.11", "3.12", "3.13", "3.14"}


def of_matrix(value: str, matrix: dict[str, list[str]]) -> list[str]:
    """Return the values of an expression such as ``${{ matrix.python }}``, or else the value
    itself.
    """
    match = re.fullmatch(r"\$\{\{ matrix\.(\w+) \}\}", value)
    return matrix[match[1]] if match else [value]


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, id=spec.stem, marks=[pytest.mark.nightly] * (spec.stem not in KINDS))
        for spec in SPECS
    ],
)
def test_generated_files_parse(spec: Path, tmp_path: Path) -> None:
    rendering.generate(spec, tmp_path / "package")
    documents = parsed(tmp_path / "package", list(files(tmp_path / "package")))
    (copy,) = [name for name in documents if name.startswith("ops/")]
    assert {".copier-answers.yml", "pyproject.toml"} < documents.keys()
    assert (tmp_path / "package" / copy).read_bytes() == spec.read_bytes()
    check_workflow(documents[".github/workflows/ci.yml"])


@pytest.mark.slow
def test_generated_files_parse_whatever_words_are_in_them(tmp_path: Path) -> None:
    spec = tmp_path / "hostile.toml"
    spec.write_text(HOSTILE, encoding="utf-8")
    rendering.generate(spec, tmp_path / "package")
    documents = parsed(tmp_path / "package", list(files(tmp_path / "package")))
    wanted = documents["ops/hostile.toml"]["package"]
    project = documents["pyproject.toml"]["project"]
    assert project["description"] == wanted["description"]
    assert project["authors"] == [{"name": "Ada \"Lovelace\": # 'x'", "email": "ada@example.org"}]
    check_workflow(documents[".github/workflows/ci.yml"])


@pytest.mark.slow
def test_files_of_this_repository_parse() -> None:
    others = ":!tests/bad_specs", ":!reference_ops", ":!docs/site/mkdocs.yml"  # with tags of mkdocs
    command = ["git", "ls-files", "-z", *others]
    listed = subprocess.run(command, cwd=regenerate.ROOT, capture_output=True, check=True).stdout
    documents = parsed(regenerate.ROOT, listed.decode().strip("\0").split("\0"))
    assert {"copier.yml", ".pre-commit-config.yaml", "pyproject.toml"} < documents.keys()
    workflow = documents[".github/workflows/ci.yml"]
    check_workflow(workflow)
    (command,) = [s["run"].split() for s in workflow["jobs"]["all"]["steps"] if "run" in s]
    subprocess.run([command[0], "-n", *command[1:]], cwd=regenerate.ROOT, check=True)


def test_json_schema_is_fresh() -> None:
    assert regenerate.SCHEMA.read_text(encoding="utf-8") == regenerate.schema_text()


def test_json_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_json_schema_accepts_the_specs(spec: Path) -> None:
    tree = tomllib.loads(spec.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(json_schema())
    validator.validate(tree)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**tree, "kernell": {}})


def test_a_package_is_small() -> None:
    """Check the files that a reviewer of my_add gets, and those that are for updates."""
    (package,) = (package for package in PACKAGES if package.name == "my_add")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=package, check=True, capture_output=True, text=True
    )
    sizes = {name: (package / name).read_bytes() for name in listed.stdout.split("\0") if name}
    answers = sizes.pop(".copier-answers.yml")
    bundle = sizes.pop(".onnxop/template.bundle")
    assert len(sizes) <= 13
    assert sum(text.count(b"\n") for text in sizes.values()) <= 500
    assert len(answers) <= 6 * 1024
    assert len(bundle) <= 18 * 1024


@each_package
def test_made_cpp_has_100_columns(package: Path) -> None:
    lines = [line for file in package.glob("csrc/*") for line in file.read_text().splitlines()]
    assert not [line for line in lines if len(line) > 100]
