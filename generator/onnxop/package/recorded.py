"""The data that a package records: checked, rendered, and the hash of the files that were made of
it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version as version_of
from typing import Any

from onnxop_runtime.messages import shown

from ..code.data import CUDA_FILE, KERNEL_FILE, OPERATOR_NAME, PACKAGE_NAME, SCHEMA, Data
from .files import File, Tree
from .rendering import rendered
from .template import ANSWERS, Versions

Answers = Mapping[str, Any]
RENDERERS = ("copier", "jinja2")
"""The distributions whose releases decide what a template makes of data."""
_UNKNOWN_TREE = f"g{'0' * 40}"  # with a letter, as YAML may read digits as a number


def problem_with(data: Answers) -> str:
    """Return why the data is not what `code.data` describes, or an empty string.

    Names that become parts of files' names are checked whatever the number of the data's form is.
    """
    from pydantic import TypeAdapter, ValidationError

    number = data["schema"]
    if not isinstance(number, int) or not 1 <= number:
        return f"its schema is {shown(number)}, which no onnxop records"
    if number == SCHEMA:
        try:
            TypeAdapter(Data).validate_python(data, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            return f"its {'.'.join(map(str, first['loc']))} is invalid: {first['msg']}"
    patterns = [(PACKAGE_NAME, data["package"]["name"])]
    for op in data["ops"]:
        patterns += [(OPERATOR_NAME, op["name"]), (KERNEL_FILE, op["kernel_file"])]
        patterns += [(CUDA_FILE, op.get("cuda_file", ""))]
    for pattern, name in patterns:
        if not re.fullmatch(pattern, name):
            return f"{name!r} is not a name that a file can have"
    return ""


def make(versions: Versions, version: str, data: Answers | Data) -> dict[str, File]:
    """Return the files of a package. Its answers record what made it: the version, the digest of
    the data, the tree of the other files as git hashes it, and the releases of copier and Jinja.
    """
    provenance = {
        "commit": version,
        "data": _digest(data),
        "tree": _UNKNOWN_TREE,
        **renderers(),
    }
    bundle = versions.bundle([version])
    is_present = versions.is_present(version)
    files = rendered(bundle, version, {**data, "made": provenance}, is_present=is_present)
    if answers := files.get(ANSWERS):
        text = answers.data.replace(_UNKNOWN_TREE.encode(), tree_of(versions, files).encode(), 1)
        files[ANSWERS] = replace(answers, data=text)
    return files


def renderers() -> dict[str, str]:
    """Return the installed releases of what renders."""
    return {name: version_of(name) for name in RENDERERS}


def tree_of(versions: Versions, files: Tree) -> str:
    """Return git's hash of all files but the answers, which have it."""
    return f"g{versions.tree({name: file for name, file in files.items() if name != ANSWERS})}"


def describes(made: Mapping[str, object], version: str, data: Answers) -> bool:
    """Return whether a package's record is of this version and data: after a copier update it is
    not.
    """
    return bool(made.get("commit") == version and made.get("data") == _digest(data))


def _digest(data: Answers | Data) -> str:
    text = json.dumps(dict(data), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
