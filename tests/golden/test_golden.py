"""Same spec, same bytes: the reference packages are what the generator makes today."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

from onnxop.document import json_schema
from tests import regenerate

PACKAGES = regenerate.reference_packages()


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


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_reference_package_is_fresh(package: Path, tmp_path: Path) -> None:
    generate(package / "op.toml", tmp_path / "fresh")
    found = regenerate.contents(regenerate.files(package))
    wanted = regenerate.contents(files(tmp_path / "fresh"))
    assert sorted(found) == sorted(wanted)
    stale = [name for name in wanted if found[name] != wanted[name]]
    assert not stale, "run poe regenerate"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_reference_package_is_what_its_version_makes(package: Path) -> None:
    assert regenerate.is_of_its_version(package)


def test_bytes_depend_on_the_spec_alone(tmp_path: Path) -> None:
    spec = PACKAGES[0] / "op.toml"
    plain, odd = tmp_path / "plain", tmp_path / "an odd ünicode place" / "x"
    odd.parent.mkdir()
    generate(spec, plain, PYTHONHASHSEED="1", LC_ALL="C.UTF-8", TZ="UTC")
    generate(spec, odd, PYTHONHASHSEED="2", LC_ALL="C", TZ="Asia/Tokyo", COLUMNS="40")
    assert files(plain) == files(odd)
    assert not any(str(tmp_path).encode() in content for content in files(odd).values())


def test_json_schema_is_fresh() -> None:
    assert regenerate.SCHEMA.read_text(encoding="utf-8") == regenerate.schema_text()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_json_schema_accepts_the_reference_specs(package: Path) -> None:
    tree = tomllib.loads((package / "op.toml").read_text(encoding="utf-8"))
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tree, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**tree, "kernell": {}}, schema)
