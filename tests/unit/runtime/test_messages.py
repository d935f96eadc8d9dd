"""The wording of messages."""

from __future__ import annotations

import datetime

import pytest

from onnxop_runtime import messages


@pytest.mark.parametrize(
    ("name", "meant"), [("Ad", "Add"), ("matmul", "MatMul"), ("Sofmax", "Softmax"), ("xyz", "")]
)
def test_nearest_is_the_name_that_was_meant(name: str, meant: str) -> None:
    assert messages.nearest(name, ["Add", "MatMul", "Pad", "Softmax"]) == meant


def test_did_you_mean() -> None:
    assert messages.did_you_mean("alpa", ["alpha", "beta"]) == "; did you mean alpha?"
    assert messages.did_you_mean("gamma_of_light", ["alpha", "beta"]) == ""


def test_shown_shortens_values() -> None:
    assert messages.shown("x" * 100, 10) == "'xxxxxx..."
    assert messages.shown(datetime.date(2026, 11, 27)) == "2026-11-27"


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no text")


def test_shown_without_a_repr() -> None:
    assert messages.shown(Broken()) == "a value of type Broken"


@pytest.mark.parametrize(
    ("names", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_join_words(names: list[str], text: str) -> None:
    assert messages.join_words(names) == text


def test_some_names_the_first_of_many() -> None:
    """Check that no message ends with "1 more", which is as long as the name."""
    assert messages.some([*"abcdef"]) == "a, b, c, d, e and f"
    assert messages.some([*"abcdefg"]) == "a, b, c, d, e and 2 more"
