"""A file with a node that no library of the session has → which node, and which function writes it."""

from __future__ import annotations

import re

from ...trial.outcome import Outcome
from ...trial.places import Place
from ..calls.own_functions import OwnFunctionCall
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from ..report.report import Report

UNREGISTERED = re.compile(r"Fatal error: ([\w.]+):(\w+)\(-?\d+\) is not a registered function/op")
_NODE = re.compile(r"([\w.]+)::(\w+)")
_KNOWN_DOMAINS = "aten", "prim", "onnx", "ai.onnx", "ai.onnx.ml", "com.microsoft"


def cause(failed: FailedExport) -> Cause | None:
    """Return the node that ONNX Runtime does not know, if its error says so, and the function whose
    ``symbolic`` writes it.
    """
    match = UNREGISTERED.search(failed.outcome.why)
    if match is None:
        return None
    domain, op_type = match.groups()
    facts = [
        f"the file has the node {domain}::{op_type}, which no library of this session registers"
    ]
    lines: list[Place] = []
    for called in _writers(failed.report, failed.outcome):
        name = called.name.removesuffix(".apply")
        code = called.function.__self__.symbolic.__code__
        lines.append(Place(code.co_filename, code.co_firstlineno, ""))
        facts.append(f"The symbolic of {name} writes it ({lines[-1]})")
    advice = (
        "Either replace the function by an op while you export, as above. Or keep the node, which a "
        f"vendor's library has: {_keeping(domain, op_type)}"
    )
    return Cause(". ".join(facts), tuple(lines), advice)


def to_keep(report: Report, call: OwnFunctionCall) -> str:
    """Return how to keep the nodes of a vendor's library that a function's ``symbolic`` writes, as
    an alternative to its remedy; ``""`` if it writes none, or the cause of a failure says it.
    """
    told = {match for out in report.whole.values() for match in UNREGISTERED.findall(out.why)}
    constants = [text for text in _constants_of_symbolic(call) if isinstance(text, str)]
    nodes = [match.groups() for text in constants if (match := _NODE.fullmatch(text))]
    vendors = [node for node in nodes if node[0] not in _KNOWN_DOMAINS and node not in told]
    return "".join(
        f". Or keep the node {domain}::{op_type} that its symbolic writes, if a vendor's library "
        f"has it: {_keeping(domain, op_type)}"
        for domain, op_type in dict.fromkeys(vendors)
    )


def _keeping(domain: str, op_type: str) -> str:
    return (
        f'write a spec with domain = "{domain}" and op_type = "{op_type}", and register that '
        "library in the session with SessionOptions.register_custom_ops_library"
    )


def functions_to_replace(report: Report) -> list[OwnFunctionCall]:
    """Return the model's own functions that may be why it fails: those that write nodes which no
    library has, if such a node explains each failing export; else all of them.
    """
    failing = [outcome for outcome in report.whole.values() if not outcome.is_right]
    writers = [_writers(report, outcome) for outcome in failing]
    if not writers or not all(writers):
        return report.functions
    return [called for called in report.functions if any(called in each for each in writers)]


def _writers(report: Report, outcome: Outcome) -> list[OwnFunctionCall]:
    """Return the functions whose ``symbolic`` writes the node that an outcome names."""
    match = UNREGISTERED.search(outcome.why)
    if match is None:
        return []
    node = "::".join(match.groups())
    return [call for call in report.functions if node in _constants_of_symbolic(call)]


def _constants_of_symbolic(call: OwnFunctionCall) -> tuple[object, ...]:
    """Return the constants in the code of the function's ``symbolic``; none if it has none."""
    symbolic = getattr(getattr(call.function, "__self__", None), "symbolic", None)
    code = getattr(symbolic, "__code__", None)
    return () if code is None else code.co_consts
