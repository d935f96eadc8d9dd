"""The texts of ``[package]`` and ``[op] doc``."""

from __future__ import annotations

import pytest

from onnxop_runtime.specs import metadata
from onnxop_runtime.specs.problems import Problems

from .documents import document


def problems_of(package: str, doc: str = "") -> dict[str, str]:
    """Return the message for each key of a document."""
    problems = Problems()
    metadata.check(document(f"[package]\n{package}", doc=doc), problems)
    return {".".join(map(str, problem.path)): problem.message for problem in problems}


def test_valid_texts() -> None:
    package = """
name = "my_ops"
version = "1.2.0rc1"
description = "Two operators."
license = "MIT OR Apache-2.0"
authors = ["Ada", "Grace Hopper <grace@example.org>"]
"""
    assert problems_of(package, doc="One line.\\n\\nAnother one.") == {}


@pytest.mark.parametrize(
    ("line", "key", "fact"),
    [
        ('version = "one"', "package.version", "'one' is not a version (PEP 440)"),
        ('license = "Mine"', "package.license", "'Mine' is not an SPDX licence expression"),
        ('authors = ["Ada <ada>"]', "package.authors.0", "'Ada <ada>' is not an author"),
        ('authors = ["Ada", ""]', "package.authors.1", "'' is not an author"),
        ('description = "a\\nb"', "package.description", "has the control character '\\n'"),
        ('name = "os"', "package.name", "the package name 'os' "),
        ('runtimes = ["cuda"]', "package.runtimes", 'leaves out "onnxruntime"'),
    ],
)
def test_texts_that_are_not_valid(line: str, key: str, fact: str) -> None:
    problems = problems_of(line)
    assert [*problems] == [key]
    assert fact in problems[key]


def test_long_texts() -> None:
    description = "d" * 501
    assert problems_of(f'description = "{description}"') == {
        "package.description": "has more than 500 characters; write less"
    }
    assert "more than 10000" in problems_of("", doc="d" * 10_001)["op.doc"]


def test_a_doc_has_lines_but_no_other_control_characters() -> None:
    assert problems_of("", doc="a\\tb\\nc") == {}
    assert problems_of("", doc="a\\u0007") == {
        "op.doc": "has the control character '\\x07'; remove it"
    }
