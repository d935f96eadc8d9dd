"""Refusals of drawn calls that ``[[errors]]`` tables explain."""

from __future__ import annotations

import contextlib
import re

from ...arguments import Arguments, split
from ...base import OperatorTests, cached
from ...samples import Error
from ..calls.call import DrawnCall
from ..choices.draw_kinds import is_foreign
from ..choices.scalars import value_of


def tables_of(tests: type[OperatorTests], drawn: DrawnCall, error: Exception) -> list[Error]:
    """Return the ``[[errors]]`` tables that explain the refusal of a call."""
    return [table for table in tests.errors if _explains(tests, table, drawn, error)]


def _explains(tests: type[OperatorTests], table: Error, drawn: DrawnCall, error: Exception) -> bool:
    """Return whether an ``[[errors]]`` table explains the refusal of a call: it has the text, and
    is of the call's modes, which are its strings and booleans. It is of all modes that samples
    have if the operator says the same in the table's own.
    """
    if not (isinstance(error, table.raises) and _says(table.match, str(error))):
        return False
    arguments = drawn.arguments()
    used: Arguments = {}
    for mode in tests.operator.scalars:
        if mode.is_list or mode.base_type not in ("str", "bool"):
            continue
        table_value = value_of(mode, table)
        sample_values = [value_of(mode, sample) for sample in tests.samples]
        value = arguments.get(mode.name, mode.default)
        if table_value in sample_values:
            used[mode.name] = table_value
        elif value != table_value and value in sample_values:
            return False  # the table is about a mode that the call has not
    if all(arguments.get(name) == value for name, value in used.items()):
        return True
    try:
        tests.function(**arguments | used)
    except Exception as same:  # noqa: BLE001 - whatever a kernel raises
        return _says(table.match, str(same))
    return False


def _says(pattern: str, text: str) -> bool:
    """Return whether an error's pattern matches a message, in which sizes may be others."""
    if not pattern:
        return False
    with contextlib.suppress(re.error):
        if re.search(re.sub(r"\d+", "0", pattern), re.sub(r"\d+", "0", text)):
            return True
    return re.search(pattern, text) is not None


def is_limit(tests: type[OperatorTests], table: Error, drawn: DrawnCall) -> bool:
    """Return whether a table may be about a limit of the kernel that a call is beyond: not if the
    call has a sample's arguments, in other sizes, and the table is of what is wrong. For other
    arguments sizes may be wrong that the reference does not look at; as for tensors without
    elements.
    """
    tensors = split(drawn.arguments())[0].values()
    has_sample_s_arguments = not (drawn.scalars or drawn.left_out)
    is_promised = has_sample_s_arguments and all(tensor.numel() for tensor in tensors)
    return not (is_promised and is_of_reference(tests, table))


@cached
def is_of_reference(tests: type[OperatorTests], table: Error) -> bool:
    """Return whether the reference refuses a table's own call, too: then the table is about calls
    that are wrong, and not about a limit of the kernel.
    """
    if not tests.operator.has_reference or is_foreign(tests):
        return False
    try:
        tests.reference_as_written(**table.arguments())
    except Exception:  # noqa: BLE001 - whatever a reference raises
        return True
    return False
