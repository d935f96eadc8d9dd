"""The limits on what a mapping computes while it runs."""

from __future__ import annotations

import ast
import time

import pytest

from onnxop_runtime.mapping import MappingError, running
from onnxop_runtime.mapping.running import Budget, Guards


def computed(text: str, budget: Budget | None = None) -> object:
    """Return the value of an expression that is guarded as in a mapping."""
    tree = ast.fix_missing_locations(Guards().visit(ast.parse(text, mode="eval")))
    return eval(compile(tree, "<mapping>", "eval"), (budget or Budget()).names())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2 * 3 + 1", 7),
        ("2 ** 10 % 7", 2),
        ("[2 * n for n in range(3)]", [0, 2, 4]),
        ("[1, *[2, 3]] + [4] * 2", [1, 2, 3, 4, 4]),
        ("sum(max(n, 1) for n in (0, 5))", 6),
        ("0.5 * 4", 2.0),
    ],
)
def test_values(text: str, value: object) -> None:
    assert computed(text) == value


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("[0] * 10001", "more than 10000 items"),
        ("10001 * [0]", "more than 10000 items"),
        ("[[0] * 5000, [0] * 5000]", "more than 10000 items"),
        ("[m for n in range(11) for m in range(9999)]", "more than 100000 iterations"),
        ("2 ** 10001", "an integer of more than 10000 bits"),
        ("(2 ** 9999) * (2 ** 9999)", "an integer of more than 10000 bits"),
        ("(-8) ** 0.5", "a complex number"),
        ("[" * 17 + "]" * 17, "more than 16 lists within each other"),
        ("range(10 ** 30)", "more than 10000 items"),
    ],
)
def test_limits(text: str, fact: str) -> None:
    with pytest.raises(ArithmeticError, match=fact):
        computed(text)


def test_the_power_is_refused_before_it_is_computed() -> None:
    start = time.thread_time()
    with pytest.raises(ArithmeticError):
        computed("10 ** 10 ** 9")
    assert time.thread_time() - start < 1


@pytest.mark.parametrize("text", ["'a' * 3", "'%d' % 2", "list('ab')", "[*'ab']", "[n for n in 5]"])
def test_what_a_mapping_cannot_compute_with(text: str) -> None:
    with pytest.raises(MappingError):
        computed(text)


def test_names_of_python_are_missing() -> None:
    with pytest.raises(NameError):
        computed("open('f')")


def test_the_time_ends_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = Budget()
    monkeypatch.setattr(running, "_SECONDS", -1.0)
    budget.begin()
    with pytest.raises(ArithmeticError, match="more than"):
        computed("1 + 1", budget)


@pytest.mark.slow
def test_a_new_run_has_the_whole_budget() -> None:
    budget = Budget()
    for _ in range(2):
        computed("[n for n in range(10000)]", budget)
        computed("[n for n in range(10000)]", budget)
        budget.begin()
    with pytest.raises(ArithmeticError, match="iterations"):
        computed("[[n for n in range(10)] for m in range(9999)]", budget)
