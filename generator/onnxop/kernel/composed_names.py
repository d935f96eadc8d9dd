"""Resolve the names in a composed kernel, and collect the imports of its module."""

from __future__ import annotations

import ast
import builtins
import dis
import math
from collections.abc import Collection, Iterator
from types import CodeType

from .. import pyexpr
from ..errors import did_you_mean, listed
from ..pyexpr import ExpressionProblem, PythonSource
from ..schema import torchnames
from ..schema.signature import OpSchema

_BUILTINS = frozenset(
    "abs all any bool dict enumerate float int isinstance len list map max min range reversed round "
    "set slice sorted str sum tuple zip".split()
)
_SYSTEM = frozenset(
    "builtins ctypes glob importlib io os pathlib pickle shutil socket subprocess sys tempfile".split()
)  # modules that may be reached as attributes of other modules
_NEW_SIZE = "new_dynamic_size"


class Names:
    """The names that the code uses: ``modules``, names ``imported`` from them, and `new_dynamic_size`."""

    def __init__(self, schema: OpSchema | None, modules: tuple[str, ...], *, is_fake: bool) -> None:
        self._schema, self._is_fake = schema, is_fake
        self._arguments = [argument.name for argument in schema.free] if schema else []
        self._modules = {module.partition(".")[0] for module in modules}
        self.modules: set[str] = set()
        self.imported: set[tuple[str, str]] = set()
        self.makes_sizes = False

    def check(
        self, source: PythonSource, body: list[ast.stmt], code: CodeType
    ) -> Iterator[ExpressionProblem]:
        """Yield the errors in the names of a function's body, whose compiled form is ``code``."""
        if self._schema is None:
            return
        parts = [part for statement in body for part in ast.walk(statement)]
        places = {*_global_names(code)}
        # The compiler skips the annotations of local variables.
        annotations = [part.annotation for part in parts if isinstance(part, ast.AnnAssign)]
        uncompiled = {inner for annotation in annotations for inner in ast.walk(annotation)}
        free = {
            part
            for part in parts
            if isinstance(part, ast.Name)
            and (part in uncompiled or (part.id, part.lineno, part.col_offset) in places)
        }
        for part in parts:
            problem = None
            if isinstance(part, ast.Name) and part in free:
                problem = self._resolve(part.id)
            elif isinstance(part, ast.Attribute) and _root(part) in free:
                problem = self._problem_with_attribute(part)
            if problem:
                yield source.problem(part, problem)

    def _resolve(self, name: str) -> str | None:
        """Resolve a global name, and note its import. Return why it may not be used, or None."""
        assert self._schema is not None
        if name in ("torch", "math") or name in self._modules:
            self.modules.add(name)
        elif name == "F":
            self.modules.add("torch.nn.functional as F")
        elif name == _NEW_SIZE and self._is_fake:
            self.makes_sizes = True
        elif name in _BUILTINS or _is_exception(name):
            return None
        elif name == self._schema.name and (
            name in torchnames.FUNCTIONS or name in torchnames.FUNCTIONAL
        ):
            return f"{name} is this operator itself; write torch.{name} for PyTorch's function"
        elif name == "Tensor" or name in torchnames.FUNCTIONS:
            self.imported.add(("torch", name))
        elif name in torchnames.FUNCTIONAL:
            self.imported.add(("torch.nn.functional", name))
        elif name == _NEW_SIZE:
            return f"{name} may be called in fake only; write the size itself"
        elif any(a.name == name and a.is_held for a in self._schema.arguments):
            return f"{name} is always None, since ONNX has no such type; leave it out"
        elif hasattr(builtins, name):
            return f"{name} is not allowed in a kernel; use functions of torch"
        else:
            known = [*torchnames.FUNCTIONS, *torchnames.FUNCTIONAL, *_BUILTINS]
            known += [_NEW_SIZE] * self._is_fake
            hint = did_you_mean(name, self._arguments) or did_you_mean(name, known)
            hint = hint or f"; its arguments: {listed(self._arguments)}"
            return f"{name} is neither an argument nor a function of torch{hint}"
        return None

    def _problem_with_attribute(self, node: ast.Attribute) -> str | None:
        path = pyexpr.dotted(node.value) or ""
        modules: dict[str, Collection[str] | None] = {
            "torch": torchnames.MEMBERS,
            "math": frozenset(dir(math)),
            "F": torchnames.FUNCTIONAL,
        }
        known = modules.get(path, torchnames.members(path))
        if node.attr.startswith("_"):
            return None  # composed.py reports it
        if path.startswith("torch.ops"):
            return torchnames.problem_with_operator(f"{path}.{node.attr}")
        if known is not None and node.attr not in known:
            hint = did_you_mean(node.attr, known) or "; see the PyTorch documentation"
            if node.attr.endswith("_") and node.attr[:-1] in known:
                hint = f" that a kernel may call; write {node.attr[:-1]}"
            return f"{path} has no {node.attr}{hint}"
        if node.attr in _SYSTEM:
            return f"{node.attr} is a Python module; use functions of torch"
        return None


def _global_names(code: CodeType) -> Iterator[tuple[str, int, int]]:
    """Yield each name that the compiler treats as global, with its line and column."""
    for instruction in dis.get_instructions(code):
        place = instruction.positions
        if instruction.opname == "LOAD_GLOBAL" and place is not None:
            yield instruction.argval, place.lineno or 0, place.col_offset or 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception)


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node
