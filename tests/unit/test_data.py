"""The form of the data that packages record: a change of it needs a new number."""

from __future__ import annotations

import json
import re
import types
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from typing_extensions import get_type_hints, is_typeddict

from onnxop.code.data import SCHEMA, OpData, PackageData
from tests.tools import regenerate

ROOT = Path(__file__).resolve().parents[2]
TAG = re.compile(r"{[{%].*?[%}]}", re.DOTALL)
KEY_READ = re.compile(r"(?<![/.\w])((?:op|package)(?:\.\w+)+)")
"""A key of the data, and keys of the tables in it, as tags of templates read them."""


def test_the_json_schema_is_fresh() -> None:
    assert regenerate.DATA_SCHEMA.read_text(encoding="utf-8") == regenerate.data_schema_text()


def test_templates_name_keys_of_the_data() -> None:
    """Where the name of a file reads a key that the data lacks, packages lose the file in
    silence.
    """
    files = [*(ROOT / "templates").rglob("*.jinja")]
    texts = [str(file.relative_to(ROOT)) + file.read_text(encoding="utf-8") for file in files]
    tags = [tag for text in texts for tag in TAG.findall(text)]
    keys_read = {key for tag in tags for key in KEY_READ.findall(tag)}
    assert {"op.is_existing", "op.onnx.opset", "package.is_native"} <= keys_read
    assert {key for key in keys_read if not is_key(key)} == set()
    assert not is_key("op.onnx.txt")


def is_key(name: str) -> bool:
    """Return whether the data has a key, such as ``op.onnx.text``; of a text or a list, it has
    methods.
    """
    table, *keys = name.split(".")
    form: object = {"op": OpData, "package": PackageData}[table]
    for key in keys:
        if not is_typeddict(form):
            return True
        annotations = get_type_hints(form)
        if key not in annotations:
            return False
        form = table_in(annotations[key])
    return True


def table_in(annotation: object) -> object:
    """Return the table's type of an annotation: itself, or that in ``Table | None``."""
    parts = get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    return next((part for part in parts if is_typeddict(part)), None)


def test_copier_s_number_is_that_of_the_data() -> None:
    settings: dict[str, Any] = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
    validator = settings["schema"]["validator"]
    assert f"schema != {SCHEMA} " in validator and f"form {SCHEMA}, " in validator


def test_a_change_needs_a_new_number(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Check a key that goes, one of another type, and one that old packages lack; a key more is
    allowed.
    """
    former = json.loads(regenerate.data_schema_text())
    package = former["$defs"]["PackageData"]
    monkeypatch.setattr(regenerate, "DATA_SCHEMA", tmp_path / "data.schema.json")
    package["properties"]["gone"] = {"type": "string"}
    package["properties"]["version"] = {"type": "integer"}
    package["required"].remove("license")
    regenerate.DATA_SCHEMA.write_text(json.dumps(former), encoding="utf-8")
    with pytest.raises(ValueError, match=r"\.gone, .*\.license, .*\.version changed; give"):
        regenerate.data_schema_text()
