"""Quotients of negative sizes, which both exporters round to zero where Python rounds down → the
lines, and what to write there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

import torch

from onnxop_runtime.messages import join_words

from ...trial.places import Place
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Export
from ..report.cause import Note
from ..report.report import Report
from ..source.rewrites import statement_at

_OP = "aten::floor_divide"


def notes(report: Report) -> list[Note]:
    """Return a note on the lines, if results are wrong in an export, or right by
    `onnxop_runtime.export` alone, which rounds down.
    """
    exports = [export for export in report.whole if _is_wrong(report, export)]
    lines = [place for call in _negative(report) for place in call.places]
    if not exports or not lines:
        return []
    shown = join_words(place.with_code for place in dict.fromkeys(lines))
    rewritten = [text for place in dict.fromkeys(lines) for text in _rewritten(place)]
    exact = join_words(dict.fromkeys(rewritten)) or "(a - a % b) // b for a // b"
    text = (
        f"{join_words(map(str, exports))}: the file rounds a negative quotient of integers to zero, "
        f"where Python rounds down: -7 // 4 is -1 there, and -2 in Python. It is computed at {shown}. "
        f"Write {exact}, which is right in both. onnxop_runtime.export, and that of packages, rounds "
        "down"
    )
    return [Note(text, tuple(exports))]


def _is_wrong(report: Report, export: Export) -> bool:
    outcome = report.whole[export]
    return outcome.is_wrong or outcome.is_by_runtime


def _negative(report: Report) -> Iterator[RecordedCall]:
    """Yield the calls of which a quotient of integers is negative, and has a remainder, for some of
    the inputs.
    """
    by_exporter = (*report.alone.at_several_inputs.values(), *report.traced.calls.values())
    calls = [call for recorded in by_exporter for call in recorded if call.op == _OP]
    for call in dict.fromkeys(calls):
        if any(_is_rounded_up(args) for args, _ in ((call.args, {}), *call.others)):
            yield call


def _is_rounded_up(args: Sequence[object]) -> bool:
    """Return whether a quotient of integers, rounded to zero, is not the one that is rounded down."""
    first, second = map(torch.as_tensor, args[:2])
    if first.is_floating_point() or second.is_floating_point():
        return False
    rounded = [torch.div(first, second, rounding_mode=mode) for mode in ("floor", "trunc")]
    return not torch.equal(*rounded)


def _rewritten(place: Place) -> Iterator[str]:
    """Yield the quotients on a line as code that is right in files, too: of a number with a minus
    sign by a constant, in a shorter form.
    """
    statement = statement_at(*place.innermost)
    for node in ast.walk(statement) if statement is not None else ():
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.FloorDiv):
            continue
        dividend, divisor = node.left, node.right
        number = divisor.value if isinstance(divisor, ast.Constant) else None
        if _is_negation(dividend) and isinstance(number, int) and number > 0:
            yield f"-(({ast.unparse(dividend.operand)} + {number - 1}) // {number})"
        else:
            remainder = ast.BinOp(dividend, ast.Mod(), divisor)
            exact = ast.BinOp(dividend, ast.Sub(), remainder)
            yield ast.unparse(ast.BinOp(exact, ast.FloorDiv(), divisor))


def _is_negation(node: ast.expr) -> TypeGuard[ast.UnaryOp]:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
