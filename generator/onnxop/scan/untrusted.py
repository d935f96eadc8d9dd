"""A ``.pt2`` file → what in it would run as code: PyTorch unpickles, evaluates and links what a file says."""

from __future__ import annotations

import ast
import json
import re
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_NATIVE = re.compile(r"(?:.*/)?data/aotinductor/.+|.*\.(?:so|dll|dylib|o|cubin)")
_OBJECT = re.compile(r"(?:.*/)?data/constants/(?!tensor_)(?!.*\.(?:json|pt)$).+")
_IMPORTS = ("__enum__", "default_factory_module")
_NAMES = ("name", "as_name")
_FORMULAS = ("expr_str", "guards_code")
_METHODS = {"size", "stride", "storage_offset", "dim", "numel", "item"}
_FUNCTIONS = frozenset(
    "abs bool ceil ceiling cos exp float floor int log max min round sin sqrt tan trunc "
    "cast_symbool_to_symint_guardless".split()
)


def records(name: str) -> dict[str, bytes]:
    """Read the JSON of the archive, and the names of all else, as ``torch.export.load`` sees them.

    Raises:
        OSError, zipfile.BadZipFile: it is no archive.
    """
    import torch

    try:
        reader = torch._C.PyTorchFileReader(name)
        names = reader.get_all_records()
        read = reader.get_record
    except RuntimeError:  # an archive of before torch 2.8, or none
        archive = zipfile.ZipFile(name)
        names, read = archive.namelist(), archive.read
    return {each: read(each) if each.endswith(".json") else b"" for each in names}


def code_in(found: dict[str, bytes]) -> str:
    """Name the first part of an archive that would run as code, but for pickles; empty where none would."""
    for name in found:
        if _NATIVE.fullmatch(name):
            return f"{name}, a compiled library"
        if _OBJECT.fullmatch(name):
            return f"{name}, a pickled object"
    for name, data in found.items():
        try:
            tree = json.loads(data) if data else None
        except ValueError:  # which PyTorch does not load either
            continue
        if word := next(_code_in(tree), ""):
            return f"{name}: {word[:60]!r}, which PyTorch would evaluate"
    return ""


@contextmanager
def pickles(*, are_refused: bool) -> Iterator[list[str]]:
    """Refuse to unpickle any class or function while it lasts: those refused, by their names.

    PyTorch loads tensors by an unpickler of its own, which knows nothing else.
    """
    refused: list[str] = []
    if not are_refused:
        yield refused
        return

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "pickle.find_class" and is_on:
            refused.append(".".join(map(str, arguments)))
            raise PermissionError(f"unpickles {refused[-1]}")

    is_on = True
    sys.addaudithook(hook)
    try:
        yield refused
    finally:
        is_on = False  # a hook stays


def _code_in(tree: Any, key: str = "") -> Iterator[str]:
    """The strings of a JSON tree that PyTorch evaluates, imports or writes into code, and should not."""
    match tree:
        case dict():
            yield from (word for word in _IMPORTS if word in tree)
            for word, value in tree.items():
                yield from _code_in(value, word)
        case list():
            for value in tree:
                yield from _code_in(value, key)
        case str():
            is_code = key in _FORMULAS and not is_formula(tree)
            if is_code or (key in _NAMES and not re.fullmatch(r"[\w.]*", tree)):
                yield tree
            elif tree[:1] in ("[", "{"):  # how arguments nest is JSON in a string
                try:
                    inner = json.loads(tree)
                except ValueError:
                    return
                yield from _code_in(inner)


def is_formula(text: str) -> bool:
    """Whether a text is arithmetic of sizes alone, which runs nothing where it is evaluated."""
    try:
        parsed = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    functions = {id(node.func) for node in ast.walk(parsed) if isinstance(node, ast.Call)}
    keys = {id(node.slice) for node in ast.walk(parsed) if isinstance(node, ast.Subscript)}
    return all(_is_arithmetic(node, functions, keys) for node in ast.walk(parsed))


def _is_arithmetic(node: ast.AST, functions: set[int], keys: set[int]) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="math" | "torch" as module), attr=name):
            return module == "math" or name.startswith("sym_")
        case ast.Attribute(attr=name):
            return name in _METHODS and id(node) in functions
        case ast.Name(id=name) if id(node) in functions:
            return name[:1].isupper() or name in _FUNCTIONS
        case ast.Constant(value=str(text)):
            return id(node) in keys or re.fullmatch(r"[\w.+-]*", text) is not None
        case ast.Call(func=function):
            return isinstance(function, ast.Name | ast.Attribute)
        case _:
            return isinstance(node, _ARITHMETIC)


_ARITHMETIC = (
    *(ast.Name, ast.Constant, ast.keyword, ast.Subscript, ast.expr_context),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)
