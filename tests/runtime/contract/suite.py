"""The contract's tests of the operators whose packages' tests ONNXOP_CONTRACT names, separated by colons.

pytest collects this file beside the packages, in their environment: their samples are tried here.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from onnxop_runtime.testing.base import OperatorTests

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.runtime.contract.calls import CallContract
from tests.runtime.contract.exports import ExportContract
from tests.runtime.contract.transforms import TransformContract

FILES = [Path(name) for name in os.environ["ONNXOP_CONTRACT"].split(os.pathsep)]


def of_package(file: Path) -> list[type[OperatorTests]]:
    """The classes of tests in a package's file."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = [value for value in vars(module).values() if isinstance(value, type)]
    return [value for value in found if issubclass(value, OperatorTests)]


PACKAGES: dict[str, Any] = {}
for tests in (tests for file in FILES for tests in of_package(file)):
    facts = {name: value for name, value in vars(tests).items() if not name.startswith("__")}
    bases = (CallContract, TransformContract, ExportContract)
    globals()[tests.__name__] = type(tests.__name__, bases, facts)
    PACKAGES[tests.operator.package.name] = tests.operator.package
del tests

TWICE = """
import importlib, sys, package
importlib.reload(package)
for name in [name for name in sys.modules if name.split(".")[0] == "package"]:
    del sys.modules[name]
import package
"""
IN_THREADS = """
import threading
threads = [threading.Thread(target=__import__, args=["package"]) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
import package
"""


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("code", [TWICE, IN_THREADS], ids=["twice", "in threads"])
def test_import(code: str, package: str) -> None:
    code = code.replace("package", package)
    # PyTorch up to 2.13 says that a second import takes over from the first.
    warnings = ["-W", "error", "-W", "ignore:Warning only once for all operators:UserWarning"]
    command = [sys.executable, *warnings, "-c", f"{code}\nprint('done')"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
