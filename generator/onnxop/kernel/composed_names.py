"""The names of a composed kernel: where each comes from, and what its module imports for it."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Collection, Iterator
from types import CodeType

from ..errors import did_you_mean, listed
from ..schema import torchnames
from ..schema.signature import OpSchema
from ..words import pyexpr
from ..words.pyexpr import ExpressionProblem, Source
from . import scopes

_BUILTINS = frozenset(
    "abs all any bool dict enumerate float int isinstance len list map max min range reversed round "
    "set slice sorted str sum tuple zip".split()
)
_SYSTEM = frozenset(
    "builtins ctypes glob importlib io os pathlib pickle shutil socket subprocess sys tempfile".split()
)  # what a module behind another could be
NEW_SIZE = "new_dynamic_size"


class Names:
    """Where every name of the code comes from."""

    def __init__(
        self, source: Source, schema: OpSchema | None, modules: tuple[str, ...], *, is_fake: bool
    ) -> None:
        self._source, self._schema, self._is_fake = source, schema, is_fake
        self._arguments = [argument.name for argument in schema.free] if schema else []
        self._modules = {module.partition(".")[0] for module in modules}
        self.modules: set[str] = set()
        self.taken: set[tuple[str, str]] = set()
        self.makes_sizes = False

    def check(self, body: list[ast.stmt], code: CodeType) -> Iterator[ExpressionProblem]:
        """What is wrong with the names in the body of a function; ``code`` is the compiled one."""
        if self._schema is None:
            return
        for node in scopes.early_names(body, self._arguments):
            yield self._source.problem(
                node, f"{node.id} is read before it is given a value; rename it, or assign it above"
            )
        parts = [part for statement in body for part in ast.walk(statement)]
        places = {*scopes.free_names(code)}
        # The compiler passes over what is said of locals.
        said = [part.annotation for part in parts if isinstance(part, ast.AnnAssign)]
        unread = {inner for annotation in said for inner in ast.walk(annotation)}
        free = [
            part
            for part in parts
            if isinstance(part, ast.Name)
            and (part in unread or (part.id, part.lineno, part.col_offset) in places)
        ]
        for node in free:
            if problem := self._resolve(node.id):
                yield self._source.problem(node, problem)
        attributes = [part for part in parts if isinstance(part, ast.Attribute)]
        behind = {
            inner
            for part in attributes
            if part.attr in torchnames.REACHING  # which is noted
            for inner in ast.walk(part)
        }
        roots = {*free}
        for part in attributes:
            if part not in behind and _root(part) in roots:
                yield from self._check_attribute(part)

    def _resolve(self, name: str) -> str | None:
        """What is wrong with a name that is no argument and no local, which it imports if nothing."""
        if name in ("torch", "math") or name in self._modules:
            self.modules.add(name)
        elif name == "F":
            self.modules.add("torch.nn.functional as F")
        elif name == NEW_SIZE and self._is_fake:
            self.makes_sizes = True
        elif name in _BUILTINS or _is_exception(name):
            return None
        elif self._schema and name == self._schema.name and _is_function(name):
            return f"{name} is this operator itself; write torch.{name} for PyTorch's"
        elif name == "Tensor" or name in torchnames.FUNCTIONS:
            self.taken.add(("torch", name))
        elif name in torchnames.FUNCTIONAL:
            self.taken.add(("torch.nn.functional", name))
        else:
            return self._unknown(name)
        return None

    def _unknown(self, name: str) -> str:
        if name == NEW_SIZE:
            return f"{name} is a function of fake alone; write the size itself"
        if self._schema and any(a.name == name and a.is_held for a in self._schema.arguments):
            return f"{name} is held at None, since its type means nothing in ONNX; leave it out"
        if hasattr(builtins, name):
            return f"{name} has no place in a kernel; write it with functions of torch"
        known = [
            *torchnames.FUNCTIONS,
            *torchnames.FUNCTIONAL,
            *_BUILTINS,
            *([NEW_SIZE] if self._is_fake else []),
        ]
        hint = did_you_mean(name, self._arguments) or did_you_mean(name, known)
        hint = hint or f"; its arguments: {listed(self._arguments)}"
        return f"{name} is neither an argument nor a function of torch{hint}"

    def _check_attribute(self, node: ast.Attribute) -> Iterator[ExpressionProblem]:
        path = pyexpr.dotted(node.value) or ""
        whole = f"{path}.{node.attr}"
        modules: dict[str, Collection[str] | None] = {
            "torch": torchnames.MEMBERS,
            "math": frozenset(dir(math)),
            "F": torchnames.FUNCTIONAL,
        }
        known = modules.get(path, torchnames.members(path))
        if node.attr.startswith("_"):
            return  # which is noted
        if whole.startswith("torch.ops."):
            if why := torchnames.problem_with_operator(whole):
                yield self._source.problem(node, why)
        elif known is not None and node.attr not in known:
            hint = did_you_mean(node.attr, known) or "; see the PyTorch documentation"
            if node.attr.endswith("_") and node.attr[:-1] in known:
                hint = f" that may change a tensor; write {node.attr[:-1]}"
            yield self._source.problem(node, f"{path} has no {node.attr}{hint}")
        elif node.attr in _SYSTEM:
            yield self._source.problem(
                node, f"{node.attr} is a module of Python's; write it with functions of torch"
            )


def _is_function(name: str) -> bool:
    return name in torchnames.FUNCTIONS or name in torchnames.FUNCTIONAL


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception)


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node
