"""Resolve the names and attributes in a composed kernel, and collect the imports of its module.

A module is never a value: its name stands only at the start of a path such as
``torch.linalg.norm``, which is on a list. An attribute of a value is on a list, too, whatever the
value is.
"""

from __future__ import annotations

import ast
import builtins
import dis
from collections.abc import Iterator, Sequence
from types import CodeType

from onnxop_runtime.messages import did_you_mean, join_words
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.pyexpr import ExpressionProblem, PythonSource

from ..schema import torchnames

_BUILTINS = frozenset(
    "abs all any bool dict enumerate float int isinstance len list map max min range reversed "
    "round set slice sorted str sum tuple zip".split()
)
_IMPORTS = {"torch": "torch", "math": "math", "F": "torch.nn.functional as F"}
"""The modules that code may use by these names, with their imports."""
_NEW_SIZE = "new_dynamic_size"


class Names:
    """The names that the code uses: ``modules``, names ``imported`` from them, and
    `new_dynamic_size`.
    """

    def __init__(self, schema: OpSchema | None, modules: tuple[str, ...], *, is_fake: bool) -> None:
        self._schema, self._is_fake = schema, is_fake
        self._arguments = [argument.name for argument in schema.caller_arguments] if schema else []
        self._required = modules
        roots = [module.partition(".")[0] for module in modules]
        imports = {**dict(zip(roots, roots, strict=True)), **_IMPORTS}
        # An argument hides a module of its name.
        self._modules = {n: i for n, i in imports.items() if n not in self._arguments}
        self.modules: set[str] = set()
        self.imported: set[tuple[str, str]] = set()
        self.paths: set[str] = set()
        self.makes_sizes = False

    def check(
        self, source: PythonSource, body: list[ast.stmt], code: CodeType
    ) -> Iterator[ExpressionProblem]:
        """Yield the errors in the names of a function's body, whose compiled form is ``code``."""
        if self._schema is None:
            return
        parts = [part for statement in body for part in ast.walk(statement)]
        global_names = self._global_names_in(parts, code)
        # An attribute of an attribute is checked with the whole chain, as in torch.nn.functional.
        inner = {part.value for part in parts if isinstance(part, ast.Attribute)}
        for part in parts:
            problem: tuple[ast.AST, str] | None = None
            match part:
                case ast.Name() if part in global_names:
                    problem = self._problem_with_name(part, is_root=part in inner)
                case ast.Attribute(ctx=ast.Store()):
                    pass  # composed.py refuses it
                case ast.Attribute() if part not in inner:
                    root, chain = _chain(part)
                    problem = self._problem_with_chain(root, chain, global_names)
                case _:
                    problem = self._problem_with_binding(part)
            if problem is not None:
                yield source.problem(*problem)

    def _global_names_in(self, parts: Sequence[ast.AST], code: CodeType) -> set[ast.AST]:
        """Return the global names: those that the compiled code loads as global ones, and those
        that nothing binds, as the compiler leaves out code that never runs.
        """
        loaded = {*_global_names(code)}
        bound = {*map(_bound_name, parts), *self._arguments}
        names = set[ast.AST]()
        for part in parts:
            if not isinstance(part, ast.Name):
                continue
            is_loaded_as_global = (part.id, part.lineno, part.col_offset) in loaded
            if is_loaded_as_global or part.id not in bound:
                names.add(part)
        return names

    def _problem_with_binding(self, node: ast.AST) -> tuple[ast.AST, str] | None:
        """Return why a variable, parameter or function cannot have its name, or None."""
        name = _bound_name(node)
        if name.startswith("__"):
            return node, f"{name} is Python's own; choose another name"
        if name in self._modules:
            return node, f"{name} is a module; choose another name"
        return None

    def _problem_with_name(self, node: ast.Name, *, is_root: bool) -> tuple[ast.AST, str] | None:
        if node.id in self._modules:
            self.modules.add(self._modules[node.id])
            if is_root:
                return None
            return node, f"{node.id} alone is not a value; write one of its functions"
        problem = self._resolve(node.id)
        return (node, problem) if problem else None

    def _resolve(self, name: str) -> str | None:
        """Resolve a global name, and note its import. Return why it may not be used, or None."""
        if name == _NEW_SIZE:
            return self._problem_with_new_size()
        if name in _BUILTINS or _is_exception(name):
            return None
        module = _module_of(name)
        if not module:
            return self._problem_with_unknown(name)
        if self._is_operator_itself(name):
            return f"{name} is this operator itself; write torch.{name} for PyTorch's function"
        self.imported.add((module, name))
        return None

    def _problem_with_new_size(self) -> str | None:
        """Note that the code makes a size. Return why it may not, or None."""
        if not self._is_fake:
            return f"{_NEW_SIZE} may be called in fake only; write the size itself"
        self.makes_sizes = True
        return None

    def _is_operator_itself(self, name: str) -> bool:
        """Return whether a name that PyTorch has, too, is the operator's; ``Tensor`` is a type."""
        assert self._schema is not None
        return name == self._schema.name and name != "Tensor"

    def _problem_with_unknown(self, name: str) -> str:
        """Return why a name that is no function of PyTorch may not be used."""
        assert self._schema is not None
        if any(a.name == name and a.is_always_none for a in self._schema.arguments):
            return f"{name} is always None, since ONNX has no such type; leave it out"
        if hasattr(builtins, name):
            return f"{name} is not allowed in a kernel; use functions of torch"
        functions = [*torchnames.FUNCTIONS, *torchnames.FUNCTIONAL, *_BUILTINS]
        if self._is_fake:
            functions.append(_NEW_SIZE)
        hint = did_you_mean(name, self._arguments) or did_you_mean(name, functions)
        hint = hint or f"; its arguments: {join_words(self._arguments)}"
        return f"{name} is neither an argument nor a function of torch{hint}"

    def _problem_with_chain(
        self, root: ast.expr, chain: Sequence[ast.Attribute], global_nodes: set[ast.AST]
    ) -> tuple[ast.AST, str] | None:
        """Return the first wrong attribute in ``root.a.b``, or None; note the operator that it
        names.
        """
        if isinstance(root, ast.Name) and root in global_nodes:
            if root.id in self._modules:
                self._note_operator(chain[-1])
                return torchnames.problem_with_chain(root.id, chain, self._required)
            if root.id == "Tensor":
                return torchnames.problem_with_attributes(root.id, chain)
        for node in chain:
            if problem := torchnames.problem_with_value(node.attr):
                return node, problem
        return None

    def _note_operator(self, whole: ast.Attribute) -> None:
        """Note an operator of a required module."""
        path = ast.unparse(whole)
        if path.startswith("torch.ops.") and not path.startswith("torch.ops.aten."):
            self.paths.add(path)


def _module_of(name: str) -> str:
    """Return the module of PyTorch from which a name is imported; ``""`` if none has it."""
    if name == "Tensor" or name in torchnames.FUNCTIONS:
        return "torch"
    return "torch.nn.functional" if name in torchnames.FUNCTIONAL else ""


def _chain(node: ast.Attribute) -> tuple[ast.expr, list[ast.Attribute]]:
    """Return the root of ``root.a.b``, and the nodes of ``root.a`` and ``root.a.b``."""
    chain: list[ast.Attribute] = []
    root: ast.expr = node
    while isinstance(root, ast.Attribute):
        chain.insert(0, root)
        root = root.value
    return root, chain


def _bound_name(node: ast.AST) -> str:
    """Return the name that a node gives to a variable, a parameter or a function, or an empty
    string.
    """
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            return name
        case ast.FunctionDef(name=name):
            return name
    return ""


def _global_names(code: CodeType) -> Iterator[tuple[str, int, int]]:
    """Yield each name that the compiler treats as global, with its line and column."""
    for instruction in dis.get_instructions(code):
        position = instruction.positions
        if instruction.opname == "LOAD_GLOBAL" and position is not None:
            yield instruction.argval, position.lineno or 0, position.col_offset or 0
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, Exception)
