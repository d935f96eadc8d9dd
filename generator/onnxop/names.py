"""Spell names of operators, arguments and packages in Python and C++."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Keywords and alternative tokens of C++20, and macros of <cmath> and other headers of C.
_CPP_RESERVED = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr
    constinit continue decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq
    linux unix main errno assert math_errhandling sched_priority stdin stdout stderr
    """.split()

_MACRO = re.compile(r"[A-Z][A-Z0-9_]*|[A-Z]_\w*")  # INT8_MAX, L_tmpnam, M_PIf

TORCH_TYPES = {
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "FLOAT16": "float16",
    "BFLOAT16": "bfloat16",
    "BOOL": "bool",
    **{f"{s}INT{bits}": f"{s.lower()}int{bits}" for s in ("", "U") for bits in (8, 16, 32, 64)},
}
"""PyTorch's dtypes, by ONNX's element types."""


def cpp(name: str) -> str:
    """Return the name for C++, with an underscore appended if C++ reserves it."""
    return f"{name}_" if name in _CPP_RESERVED or _MACRO.fullmatch(name) else name


def unused_name(name: str, used: Iterable[str]) -> str:
    """Return the name, with underscores appended until it is not among the used ones."""
    used = set(used)
    while name in used:
        name += "_"
    return name


def claim_name(name: str, used: set[str]) -> str:
    """Return an unused name as `unused_name` does, and add it to the used ones."""
    name = unused_name(name, used)
    used.add(name)
    return name


def snake(name: str) -> str:
    """Return a variable name: ``deform_conv`` of ``DeformConv``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
