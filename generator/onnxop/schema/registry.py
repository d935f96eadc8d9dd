"""Modules → the operators that they register in PyTorch.

Another process imports them: an extension may print, exit or crash while it loads, and the generator
needs no PyTorch if no spec requires it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import facts

TIMEOUT = 120  # seconds; importing an extension may compile it first

# File descriptor 1 carries only the answer; what the modules print goes to 2.
_ASK = """
import importlib, json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
def tell(**message):
    print(json.dumps(message), file=answer, flush=True)
for index, module in enumerate(sys.argv[1:]):
    tell(importing=index)
    try:
        importlib.import_module(module)
    except BaseException as error:
        tell(importing=index, missing=getattr(error, "name", ""), error=f"{type(error).__name__}: {error}")
        os._exit(0)
from onnxop_runtime import torch_internals
names = sorted({s.name for s in torch_internals.all_schemas()})
names = [name for name in names if not name.startswith(("aten::", "prim::"))]
tell(schemas={n: [str(s) for s in torch_internals.schemas_of(n)] for n in names})
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
    """Import the modules, and return the schemas of ``namespace::name``, or why the import fails."""

    def find() -> dict[str, list[str]]:
        answer = look_up(modules)
        if isinstance(answer, Failure):
            raise ModuleNotFoundError(name=modules[answer.index])
        if name in answer:
            return {"schemas": answer[name], "names": []}
        space = name.partition("::")[0] + "::"  # its names serve as hints
        names = [other.removeprefix(space) for other in answer if other.startswith(space)]
        return {"schemas": [], "names": names}

    try:
        answer = facts.ask(f"{name} in {', '.join(modules)}", find)
    except (ImportError, facts.FactMissingError):
        if isinstance(failure := look_up(modules), Failure):
            return failure
        raise
    return Registered(tuple(answer["schemas"]), tuple(answer["names"]))


def schemas(name: str) -> list[str]:
    """Return the schemas of one of PyTorch's own operators, one per overload."""
    code = "import sys, onnxop_runtime.torch_internals as t; print(*t.schemas_of(sys.argv[1]), sep='\\n')"
    command = [sys.executable, "-P", "-c", code, name]
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if result.returncode:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    return result.stdout.decode(errors="replace").splitlines()


@cache
def look_up(modules: tuple[str, ...]) -> dict[str, list[str]] | Failure:
    """Import the modules in another process, and return the schemas of its operators, except
    PyTorch's own, by ``namespace::name``.
    """
    command = [sys.executable, "-P", "-c", _ASK, *modules]
    try:
        process = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT, check=False
        )
        output, errors = process.stdout, process.stderr.decode(errors="replace").split("\n")
        why = next((line.strip() for line in reversed(errors) if line.strip()), "its process ended")
    except subprocess.TimeoutExpired as error:
        output, why = error.stdout or b"", f"it takes more than {TIMEOUT} s"
    message: dict[str, Any] = json.loads(output.decode(errors="replace").splitlines()[-1])
    if "schemas" in message:
        by_name: dict[str, list[str]] = message["schemas"]
        return by_name
    index = message["importing"]
    module, root = modules[index], modules[index].partition(".")[0]
    if message.get("missing") == root:
        remedy = f"run pip install {root}, or set PYTHONPATH to its folder"
        return Failure(index, f"no module {module} is installed; {remedy}")
    why = " ".join(message.get("error", why).split())
    remedy = f"fix it so that python -c 'import {module}' works"
    return Failure(index, f"{module} cannot be imported: {why}; {remedy}")
