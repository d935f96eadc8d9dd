"""The line of a model's code that calls an operator."""

from __future__ import annotations

import torch

from onnxop_runtime.exporting import model_lines

from .samples import asinh

OPERATOR = asinh()


def test_the_innermost_line_outside_of_libraries() -> None:
    trace = f'File "/model/net.py", line 3, in forward\\n  File "/model/block.py", line 7, in f\\n  File "{torch.__file__}", line 1'
    assert model_lines.of_stack_trace(OPERATOR, trace.replace("\\n", "\n")) == "/model/block.py:7"


def test_unknown_lines() -> None:
    assert model_lines.of_stack_trace(OPERATOR, "") == ""
    assert model_lines.of_stack_trace(OPERATOR, 'File "<string>", line 1') == ""
    assert model_lines.of_script_node(OPERATOR, None) == ""
    assert model_lines.of_translated_node(OPERATOR) == ""


def test_messages_name_operator_and_line() -> None:
    assert model_lines.named(OPERATOR, "wrong") == f"{OPERATOR}: wrong"
    assert model_lines.named(OPERATOR, f"{OPERATOR} is wrong") == f"{OPERATOR} is wrong"
    assert model_lines.with_line("wrong", "") == "wrong"
    assert model_lines.with_line("wrong", "net.py:3") == "wrong; it is called at net.py:3"
