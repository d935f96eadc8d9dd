"""What PyTorch's registry knows of an operator once the modules that register it are imported.

A process of its own imports them: an extension may print, exit or crash while it loads, and the
generator need not wait for PyTorch where no spec asks for it.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ..words import facts

TIMEOUT = 120  # seconds; importing an extension may compile it first

# File descriptor 1 is kept for the answer alone; what the modules print goes to 2.
_ASK = """
import json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
def tell(**words):
    answer.write(json.dumps(words) + "\\n")
    answer.flush()
import importlib
for index, module in enumerate(sys.argv[1:]):
    tell(importing=index)
    try:
        importlib.import_module(module)
    except BaseException as error:
        tell(
            failed=index,
            missing=getattr(error, "name", None) if isinstance(error, ImportError) else None,
            is_missing=isinstance(error, ModuleNotFoundError),
            error=f"{type(error).__name__}: {error}",
        )
        os._exit(0)
import torch
names = sorted({s.name for s in torch._C._jit_get_all_schemas()})
names = [name for name in names if not name.startswith(("aten::", "prim::"))]
tell(found={n: [str(s) for s in torch._C._jit_get_schemas_for_operator(n)] for n in names})
os._exit(0)
"""

_PRINT = """
import sys, torch
try:
    print(torch._C.parse_schema(sys.argv[1]))
except Exception:
    pass
"""

_OWN = """
import sys, torch
for schema in torch._C._jit_get_schemas_for_operator(sys.argv[1]):
    print(schema)
"""


@dataclass(frozen=True)
class Found:
    """The operator's schemas, one an overload; and the names in its namespace."""

    schemas: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Failure:
    """Why a module, by its place in ``requires``, could not be imported: fact and remedy."""

    index: int
    message: str


def ask(name: str, modules: tuple[str, ...]) -> Found | Failure:
    """What PyTorch knows of ``namespace::name`` with the modules imported."""
    failure: list[Failure] = []

    def find() -> dict[str, list[str]]:
        answer = look_up(modules)
        if isinstance(answer, Failure):
            failure.append(answer)
            raise ModuleNotFoundError(name=modules[answer.index])
        if name in answer:
            return {"schemas": answer[name], "names": []}
        space = name.partition("::")[0] + "::"  # whose names serve a hint
        names = [other.removeprefix(space) for other in answer if other.startswith(space)]
        return {"schemas": [], "names": names}

    try:
        answer = facts.ask(f"{name} in {', '.join(modules)}", find)
    except (ImportError, facts.FactMissingError):
        if failure:
            return failure[0]
        raise
    return Found(tuple(answer["schemas"]), tuple(answer["names"]))


def printed(schema: str) -> str:
    """The schema as PyTorch prints it; empty where PyTorch cannot parse it."""
    answer: str = facts.ask(f"{schema} as it is printed", lambda: _print(schema))
    return answer


@cache
def _print(schema: str) -> str:
    return _said(_PRINT, schema)


def schemas(name: str) -> list[str]:
    """The schemas of one of PyTorch's own operators, one an overload."""
    return _said(_OWN, name).splitlines()


def _said(code: str, argument: str) -> str:
    command = [sys.executable, "-P", "-c", code, argument]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    return done.stdout.decode(errors="replace").strip()


@cache
def look_up(modules: tuple[str, ...]) -> dict[str, list[str]] | Failure:
    """What PyTorch has registered with the modules imported, but for its own operators: schemas by
    ``namespace::name``, asked of a process of its own.
    """
    try:
        process = subprocess.run(
            [sys.executable, "-P", "-c", _ASK, *modules],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        last = _told(error.stdout or b"")
        module = modules[index := last.get("importing", 0)]
        return Failure(
            index, f"importing {module} takes more than {TIMEOUT} s; find out why, or remove it"
        )
    last = _told(process.stdout)
    if "found" in last:
        found: dict[str, list[str]] = last["found"]
        return found
    if "failed" in last:
        return Failure(last["failed"], _cannot_import(modules[last["failed"]], last))
    index = last.get("importing", 0)
    lines = process.stderr.decode(errors="replace").split("\n")
    why = next((line.strip() for line in reversed(lines) if line.strip()), "")
    why = why or f"its process ended with status {process.returncode}"
    return Failure(index, _mend(modules[index], why))


def _told(output: bytes) -> dict[str, Any]:
    """The last thing that the process said."""
    lines = [line for line in output.decode(errors="replace").split("\n") if line]
    told: dict[str, Any] = json.loads(lines[-1]) if lines else {}
    return told


def _cannot_import(module: str, told: dict[str, Any]) -> str:
    root = module.partition(".")[0]
    if told["is_missing"] and told["missing"] in (root, None):
        here = Path(root).is_dir() or Path(f"{root}.py").is_file()
        remedy = (
            f"set PYTHONPATH={shlex.quote(str(Path.cwd()))}" if here else f"run pip install {root}"
        )
        return f"no module {module} is installed; {remedy}"
    return _mend(module, " ".join(told["error"].split()))


def _mend(module: str, why: str) -> str:
    return f"{module} cannot be imported: {why}; mend it so that python -c 'import {module}' works"
