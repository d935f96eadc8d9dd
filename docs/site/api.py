"""The runtime's public names and their docstrings -> the page of its API."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[2] / "runtime" / "onnxop_runtime"
HEAD = """# The runtime's API

From the docstrings of [onnxop-runtime](../runtime/README.md), which says what a package may rely on.

A package has `export`, `verify`, `session` and `translation_table`, too: `my_add.export` takes the same arguments, and is for
the operators of `my_add`.
"""
GROUPS = {
    "For any model: `onnxop_runtime`": {
        "export": "exporting.call.checked_export",
        "verify": "verification.verify",
        "Verification": "verification.verify",
        "session": "verification.serving:session_of_all",
        "translation_table": "package:Package",
        "register": "registered",
        "unregister": "registered",
        "replaced": "exporting.replacement.replaced",
    },
    "Beside these, of a package: `my_add`": {
        "session": "verification.serving",
        "session_options": "verification.session",
        "library_path": "verification.session",
        "openvino_extension": "verification.session",
    },
    "What the modules of a package call": {
        "Package": "package",
        "OnnxOps": "mapping.notation",
        "OnnxValue": "mapping.notation",
        "Operator": "operator.model",
        "Function": "operator.autograd",
        "as_number": "operator.package_operator",
    },
    "What setup.py calls: `onnxop_runtime.build`": {"extension": "build"},
    "The tests of a package: `onnxop_runtime.testing`": {
        "OperatorTests": "testing.base",
        "Sample": "testing.samples",
        "Error": "testing.samples",
        "random": "testing.samples",
        "tensor": "testing.samples",
        "many": "testing.samples",
        "fixed": "testing.samples",
    },
}
"""The public names, where each is defined: a module, and a class in it, or the function of another
name.
"""
PACKAGE = ("of", "operator", "register", "kernel", "symbolic", "scripted")
"""The members of Package that modules call."""
ELSEWHERE = {"cmath"}  # a module: the functions of <cmath>
_SECTION = re.compile(r"^(Args|Returns|Raises|Yields|Example|Attributes):$")


def page() -> str:
    """Return the page in Markdown."""
    documented = {name for group in GROUPS.values() for name in group}
    if lacking := _public() - documented - ELSEWHERE:
        raise ValueError(f"docs/site/api.py lacks {sorted(lacking)} of onnxop_runtime")
    parts = [HEAD]
    for title, names in GROUPS.items():
        parts += [f"## {title}", *(_entry(name, place) for name, place in names.items())]
    return "\n\n".join(parts) + "\n"


def _public() -> set[str]:
    """Return the names that onnxop_runtime offers."""
    tree = ast.parse((RUNTIME / "__init__.py").read_text(encoding="utf-8"))
    (homes,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOME"
    )
    return set(ast.literal_eval(homes))


def _entry(name: str, place: str) -> str:
    """Return a function or a class: its signature, and what its docstring says."""
    definition = node(name, place)
    lines = [f"### {name}", *_described(name, definition)]
    if isinstance(definition, ast.ClassDef):
        for base in _bases(definition, place):
            group = node(base, place)
            lines += [f"**{base}**", *_described(base, group), *_fields(group)]
        lines += _fields(definition)
    for method in PACKAGE if name == "Package" else ():
        lines += [f"#### {name}.{method}", *_described(method, _member(definition, method))]
    return "\n\n".join(lines)


def _bases(definition: ast.ClassDef, place: str) -> list[str]:
    """Return the base classes of the same module that have no entry: the page describes them with
    the class.
    """
    entries = {name for group in GROUPS.values() for name in group}
    beside = {child.name for child in _module(place).body if isinstance(child, ast.ClassDef)}
    names = [ast.unparse(base) for base in definition.bases]
    return [name for name in names if name in beside - entries]


def node(name: str, place: str) -> ast.AST:
    """Return the definition of a public name."""
    _, _, outer = place.partition(":")
    definition = _member(_module(place), outer or name)
    is_alias = isinstance(definition, ast.FunctionDef)
    return definition if is_alias or not outer else _member(definition, name)


def _module(place: str) -> ast.Module:
    file = RUNTIME / (place.partition(":")[0].replace(".", "/") + ".py")
    file = file if file.exists() else file.with_suffix("") / "__init__.py"
    return ast.parse(file.read_text(encoding="utf-8"))


def _member(node: ast.AST, name: str) -> ast.AST:
    return next(child for child in ast.iter_child_nodes(node) if getattr(child, "name", "") == name)


def _described(name: str, node: ast.AST) -> Iterator[str]:
    assert isinstance(node, ast.FunctionDef | ast.ClassDef)
    if isinstance(node, ast.FunctionDef):
        yield f"```py\n{_signature(name, node)}\n```"
    yield from _markdown(ast.get_docstring(node) or "")


def _fields(group: ast.AST) -> Iterator[str]:
    """Yield a list of a class's fields, from the text below each."""
    assert isinstance(group, ast.ClassDef)
    items: list[str] = []
    for field, text in pairwise(group.body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
            assert isinstance(text.value, ast.Constant)
            meaning = " ".join(str(text.value.value).split()).replace("``", "`")
            items.append(f"- `{ast.unparse(field.target)}`: {meaning}")
    if items:
        yield "\n".join(items)


def _signature(name: str, function: ast.FunctionDef) -> str:
    """Return the call, with one argument a line if it is too long for one line."""
    stub = ast.parse(f"def f({ast.unparse(function.args)}): ...").body[0]
    assert isinstance(stub, ast.FunctionDef)
    if stub.args.posonlyargs or [a.arg for a in stub.args.args[:1]] == ["self"]:
        (stub.args.posonlyargs or stub.args.args).pop(0)  # self
    result = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    # Commas between arguments are those outside all brackets.
    parameters = re.split(r",(?![^\[({]*[\])}]) ", ast.unparse(stub.args))
    parameters = [p.replace("=", " = ") if ": " in p else p for p in parameters]
    arguments = ", ".join(parameters)
    if len(arguments) + len(result) > 80:
        arguments = "\n    " + ",\n    ".join(parameters) + ",\n"
    return f"{name}({arguments}){result}"


def _markdown(docstring: str) -> Iterator[str]:
    """Return the paragraphs of a docstring, its sections as lists."""
    section, lines, is_code = "", [], False
    for line in [*docstring.replace("``", "`").splitlines(), ""]:
        if match := _SECTION.match(line):
            section = match[1]
            yield f"**{section}**"
        elif section and section != "Returns" and re.match(r"^    [\w.*]+: ", line):
            argument, _, meaning = line.strip().partition(": ")
            lines.append(f"- `{argument}`: {meaning}")
        elif line.strip():
            indent = "    " if is_code else "  " if section and section != "Returns" else ""
            lines.append(indent + (line[4:] if is_code else line.strip()))
        elif lines:
            is_code = lines[-1].endswith("::")
            yield "\n".join([*lines[:-1], lines[-1].replace("::", ":") if is_code else lines[-1]])
            lines = []
