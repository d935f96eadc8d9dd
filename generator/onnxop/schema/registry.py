"""Modules → the operators that they register in PyTorch.

Another process imports them: an extension may print, exit or crash while it loads, and the
generator needs no PyTorch if no spec requires it.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from onnxop_runtime.installer import pip_install

_LOG = logging.getLogger("onnxop")
TIMEOUT = 120  # seconds; importing an extension may compile it first

_IMPORT = """
import importlib, importlib.util, json, os, sys
from onnxop_runtime import processes
answers = processes.reserve_stdout()
def tell(**message):
    print(json.dumps(message), file=answers, flush=True)
for index, module in enumerate(sys.argv[1:]):
    tell(importing=index, is_installed=importlib.util.find_spec(module.partition(".")[0]) is not None)
    try:
        importlib.import_module(module)
    except BaseException as error:
        tell(importing=index, missing=getattr(error, "name", ""), error=f"{type(error).__name__}: {error}")
        os._exit(0)
from onnxop_runtime import torch_internals
names = sorted({s.name for s in torch_internals.all_schemas()})
names = [name for name in names if not name.startswith(("aten::", "prim::"))]
tell(schemas={n: [torch_internals.schema_text(s) for s in torch_internals.schemas_of(n)] for n in names})
os._exit(0)
"""


@dataclass(frozen=True)
class Registered:
    """The operator's schemas, one per overload, and the names in its namespace."""

    schemas: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    """Why a module, by its place in ``requires``, cannot be imported: fact and remedy."""

    index: int
    message: str


def ask(name: str, modules: tuple[str, ...]) -> Registered | Failure:
    """Import the modules that a spec requires, and return the schemas of ``namespace::name``, or
    why the import fails.
    """
    answer = look_up(modules, is_told=True)
    if isinstance(answer, Failure):
        return answer
    if name in answer:
        return Registered(tuple(answer[name]), ())
    space = name.partition("::")[0] + "::"  # its names serve as hints
    names = [other.removeprefix(space) for other in answer if other.startswith(space)]
    return Registered((), tuple(names))


_SCHEMAS = """
import json, sys
from onnxop_runtime import torch_internals
print(json.dumps([torch_internals.schema_text(schema) for schema in torch_internals.schemas_of(sys.argv[1])]), flush=True)
"""


def schemas(name: str) -> list[str]:
    """Return the schemas of one of PyTorch's own operators, one per overload."""
    from onnxop_runtime.processes import Limits, ProcessDied, PythonProcess

    process = PythonProcess("-c", _SCHEMAS, name, limits=Limits(seconds=TIMEOUT))
    try:
        texts: list[str] = json.loads(process.receive())
    except ProcessDied:  # of its import of PyTorch, the first thing that it does
        raise ModuleNotFoundError("No module named 'torch'", name="torch") from None
    finally:
        process.kill()
    return texts


def _answer(modules: tuple[str, ...], *, is_told: bool) -> tuple[dict[str, Any], str]:
    """Return the last message about the import of modules, and why there is no other one.

    ``is_told``: tell the user of each module whose import begins.
    """
    from onnxop_runtime.processes import Limits, ProcessDied, PythonProcess

    process = PythonProcess("-c", _IMPORT, *modules, limits=Limits(seconds=TIMEOUT))
    message: dict[str, Any] = {"importing": 0}
    try:
        while "schemas" not in message and "error" not in message:
            message = json.loads(process.receive())
            if is_told and message.get("is_installed"):
                tell_imports([modules[message["importing"]]])
    except ProcessDied as death:
        return message, str(death)
    except ValueError:
        return message, "other output is mixed into the answer, as if the import forks"
    finally:
        process.kill()
    return message, ""


def tell_imports(modules: Sequence[str]) -> None:
    """Tell that modules are imported, since their code then runs."""
    for module in modules:
        _LOG.info("importing %s, as [op] requires says: this runs its code", module)


_looked_up: dict[tuple[str, ...], dict[str, list[str]] | Failure] = {}


def look_up(modules: tuple[str, ...], *, is_told: bool = False) -> dict[str, list[str]] | Failure:
    """Import the modules in another process, the first time, and return the schemas of its
    operators, except PyTorch's own, by ``namespace::name``. ``is_told``: tell the user of it.
    """
    if modules not in _looked_up:
        _looked_up[modules] = _import(modules, is_told=is_told)
    return _looked_up[modules]


def _import(modules: tuple[str, ...], *, is_told: bool) -> dict[str, list[str]] | Failure:
    """Return the schemas that the modules register, or why one cannot be imported."""
    message, why = _answer(modules, is_told=is_told)
    if "schemas" in message:
        by_name: dict[str, list[str]] = message["schemas"]
        return by_name
    index = message["importing"]
    module, root = modules[index], modules[index].partition(".")[0]
    if message.get("missing") == root:
        remedy = f"run {pip_install()} {root}, or set PYTHONPATH to its folder"
        return Failure(index, f"no module {module} is installed; {remedy}")
    why = " ".join(message.get("error", why).split())
    remedy = f"fix it so that python -c 'import {module}' works"
    return Failure(index, f"{module} cannot be imported: {why}; {remedy}")
