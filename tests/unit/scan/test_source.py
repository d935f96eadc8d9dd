"""Lines that a trace keeps, and the sides of conditions that inputs take."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from onnxop.scan.one_side import taken_sides, wording
from onnxop.scan.source import number_conditions
from onnxop.scan.source.shown_lines import some_lines
from onnxop.trial import places
from onnxop.trial.call import Call
from onnxop.trial.places import Place


class Sides(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            x = x + 1
        while n.sum() > 9:
            n = n / 2
        return x * 2 if n.sum() > 0 else x * n


FIRST = Sides.forward.__code__.co_firstlineno
CONDITION, LOOP, IN_ONE_LINE = (places.at(__file__, FIRST + n) for n in (1, 3, 5))
CALL = Call(Sides(), (torch.ones(2), torch.ones(2)))
NEGATIVE = (-torch.ones(2), torch.ones(2))
LARGE = (torch.ones(2), torch.ones(2) * 20)


def test_inputs_that_take_another_side() -> None:
    conditions = [CONDITION, LOOP, IN_ONE_LINE]
    taken = taken_sides.taken_differently(CALL, conditions, [NEGATIVE, LARGE])
    assert list(taken) == [CONDITION, LOOP]  # lines do not tell the sides of one in a line
    assert taken[CONDITION] == "other values, all -1 in x"
    assert taken[LOOP] == "other values, all 20 in n"


def test_conditions_of_which_no_input_takes_the_other_side() -> None:
    same = taken_sides.never_taken_differently(CALL, [CONDITION, LOOP], [NEGATIVE], 60.0)
    assert same == [LOOP]
    assert taken_sides.never_taken_differently(CALL, [CONDITION], [NEGATIVE], -1.0) == []  # no time


COUNTS = """import torch
def forward(self, x):
    count = int(x.sum())
    most = max(count, 3)
    if most > 4:
        x = x * 2
    if count < 0:
        raise ValueError("count")
    return x
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text(COUNTS, encoding="utf-8")
    return str(path)


def test_conditions_on_a_number(file: str) -> None:
    number = places.at(file, 3)
    (condition,) = number_conditions.conditions_on(number)  # the other one only raises
    assert (condition.line, condition.code) == (5, "if most > 4:")
    assert number_conditions.conditions_in_place_of_numbers([number]) == [condition]
    advice = number_conditions.advice_on(number)
    assert advice.startswith("Leave the number a tensor, without int()")
    assert advice.endswith("if most > 4: Compute what both sides need, and choose with torch.where")


STEPS = """def sampled(points, steps):
    for i in range(steps):
        points = points / 2
    return points
class Net:
    def few(self, points, *, most=3, unused=0):
        for i in range(min(most, 9)):
            points = points + i
        return points
    def forward(self, x):
        count = int(x.shape[1] * 0.5)
        half = count // 2
        for i in range(x.dim()):
            x = x + 1
        x = self.few(sampled(x, count), most=half)
        for _ in range(half):
            x = x * 2
        return x
"""


def test_loops_of_as_many_steps_as_a_number(tmp_path: Path) -> None:
    """In its function, and in those that take it, which make the number themselves."""
    path = tmp_path / "steps.py"
    path.write_text(STEPS, encoding="utf-8")
    number = places.at(str(path), 11)
    assert sorted(loop.line for loop in number_conditions.loops_on(number)) == [2, 7, 16]
    advice = number_conditions.advice_on(number)
    assert advice.startswith("Compute it without int() and without fractions")
    assert (
        ":2: for i in range(steps): Move the loop, and what computes its number of steps, "
        in advice
    )
    assert advice.endswith("Compute the number of steps within this function, of its tensors")
    assert not number_conditions.loops_on(places.at(str(path), 12))  # makes no number of a tensor


def test_kept_lines_in_a_sentence(file: str) -> None:
    number, condition = places.at(file, 3), places.at(file, 5)
    assert wording.kept([condition]) == f"one side of the condition at {condition}"
    told = wording.kept([number, condition, Place(file, 7, "")])
    assert (
        told
        == f"one side of the conditions at {condition} and {file_line(file, 7)} and the "
        + (f"number at {number}")
    )
    otherwise = wording.kept_otherwise([number, condition])
    assert otherwise == (
        f"reach another side of the condition at {condition} or change the number at {number}"
    )


def file_line(file: str, line: int) -> str:
    return str(Place(file, line, ""))


def test_many_lines_are_counted(file: str) -> None:
    lines = [Place(file, line, "") for line in range(1, 7)]
    assert some_lines(lines).endswith(f"{lines[3]} and 2 more lines")
