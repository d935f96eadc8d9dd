"""The names of lists of dtypes in C++."""

from __future__ import annotations

from ..kernel.kernel_kinds import FLOATS, INTEGERS

TYPE_LISTS = {
    FLOATS[:2]: "Types<float, double>",
    FLOATS: "FloatTypes",
    INTEGERS: "IntegerTypes",
    (*FLOATS, *INTEGERS): "NumberTypes",
    (*FLOATS, *INTEGERS, "bool"): "AllTypes",
}
"""The lists by their dtypes, the shortest first."""
