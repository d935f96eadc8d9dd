"""The head of a schema: ``namespace::name.overload``."""

from __future__ import annotations

import re

from ..errors import Problems
from ..words import names
from .places import PATH

_HEAD = re.compile(r"\s*(?:(?P<ns>[^:(\s]*)::)?(?P<name>[^.(\s]*)(?:\.(?P<overload>[^(\s]*))?\s*")

# Namespaces of PyTorch's own in which nobody else may define an operator.
FOREIGN = frozenset({"prim", "prims", "onnx", "quantized", "c10d", "inductor", "higher_order"})


def read_head(text: str) -> re.Match[str]:
    """``ns``, ``name`` and ``overload``, each as far as it is there."""
    head = _HEAD.match(text)
    assert head is not None  # every part of the pattern is optional
    return head


def check_head(head: re.Match[str], problems: Problems, called: str = "") -> None:
    """Notes what no new operator can be called; ``called`` is what the package calls it instead."""
    namespace, name = head["ns"], head["name"]

    def add(group: str, message: str) -> None:
        word = head[group]
        problems.add(PATH, message, offset=head.start(group), length=max(len(word), 1))

    if namespace is None:
        fact = "is empty" if not name else "names no namespace"
        fact = "has : where :: is wanted" if ":" in name else fact
        add(
            "name",
            f"the schema {fact}; write my_lib::my_add(Tensor a) -> Tensor, my_lib being a name of "
            "your own",
        )
        return
    # What `a | b` calls: PyTorch has aten::__or__.
    is_pythons = namespace == "aten" and re.fullmatch("__[a-z]+__", name)
    for group, what in (("ns", "namespace"), ("name", "operator name"), ("overload", "overload")):
        is_offered = group == "name" and not called
        if group == "name" and called and is_pythons:
            continue
        check = names.problem_with_operator if is_offered else names.problem_with
        if head[group] is not None and (why := check(head[group])):
            add(group, f"the {what} {head[group]!r} {why}; choose another")
    if namespace in FOREIGN:
        add("ns", f"the namespace {namespace} is PyTorch's own; choose one of yours")
    if names.problem_with(name):
        return
    if name.endswith("_"):
        add(
            "name",
            f"the operator name {name!r} ends with an underscore, PyTorch's mark of an in-place "
            "operator, which ONNX cannot express; drop it",
        )
