"""The keys of ``[kernel]`` beside its code: names of files and of tensors, checked against the
operator's schema.
"""

from __future__ import annotations

import re

from ..messages import join_words, shown
from .arguments import UNKNOWN_TYPE
from .document import Document, KernelTable
from .op_schema import OpSchema
from .problems import Problems

_HEADER = re.compile(r"[A-Za-z0-9_]{1,100}\.(h|hpp)")
_CUDA_FILE = re.compile(r"[A-Za-z0-9_]{1,100}\.cuh")
_BESIDE = "which lies in ops/ or beside the spec"


def check(document: Document, problems: Problems, schema: OpSchema | None) -> None:
    """Add a problem for each name in the table of a kernel in C++ that is not valid."""
    table = document.kernel
    if table is None or table.source is None:
        return
    _check_files(table.source, table.cuda, problems)
    if schema is not None:
        _check_writes(table, schema, problems)
        _check_on_host(table, schema, problems)
    _check_backward(table, schema, problems)


def is_header(file: str) -> bool:
    """Return whether this is a valid name of a C++ header."""
    return _HEADER.fullmatch(file) is not None


def is_cuda_file(file: str) -> bool:
    """Return whether this is a valid name of a file with loops for GPUs."""
    return _CUDA_FILE.fullmatch(file) is not None


def _check_files(source: str, cuda: bool | str | None, problems: Problems) -> None:
    if not is_header(source):
        fact = f"{shown(source)} is not the name of a C++ header"
        problems.add(("kernel", "source"), f"{fact}; write a name such as kernel.h, {_BESIDE}")
    if isinstance(cuda, str) and not is_cuda_file(cuda):
        fact = f"{shown(cuda)} is not the name of a file for CUDA"
        remedy = f"write a name such as kernel.cuh, {_BESIDE}, or true"
        problems.add(("kernel", "cuda"), f"{fact}; {remedy}")


def _check_writes(table: KernelTable, schema: OpSchema, problems: Problems) -> None:
    """Add a problem for what a kernel in C++ that writes to arguments cannot have."""
    if not schema.writes:
        return
    fact = f"a kernel in C++ that writes to {join_words(schema.writes)}"
    if table.backward:
        remedy = "remove the line, and give python, or formulas in [autograd]"
        problems.add(("kernel", "backward"), f"{fact} computes no gradients; {remedy}", on_key=True)
    if table.cuda:
        problems.add(("kernel", "cuda"), f"{fact} is for CPUs only; remove the line", on_key=True)


def _check_on_host(table: KernelTable, schema: OpSchema, problems: Problems) -> None:
    tensors = [tensor.name for tensor in schema.tensors]
    for position, name in enumerate(table.on_host):
        if name not in tensors:
            fact = f"{shown(name)} is not a tensor of the operator"
            remedy = f"write some of {join_words(tensors)}"
            problems.add(("kernel", "on_host", position), f"{fact}; {remedy}")


def _check_backward(table: KernelTable, schema: OpSchema | None, problems: Problems) -> None:
    """Add a problem for each name that is not a tensor with a gradient."""
    free = [a for a in schema.arguments if not a.is_always_none] if schema else []
    tensors = [a.name for a in free if a.type == UNKNOWN_TYPE or (a.is_tensor and not a.is_list)]
    for position, name in enumerate(table.backward):
        fact = ""
        if schema is not None and name not in tensors:
            fact = f"a kernel cannot compute a gradient of {shown(name)}; "
            fact += f"write some of {join_words(tensors)}"
        elif name in table.backward[:position]:
            fact = f"{name} is given twice; remove one"
        if fact:
            problems.add(("kernel", "backward", position), fact)
