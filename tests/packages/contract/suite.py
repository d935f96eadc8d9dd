"""The contract's tests for the operators in a package's file of tests, which ONNXOP_CONTRACT names.

pytest collects this file beside the package, in its environment, and runs it on the package's
samples.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from onnxop_runtime.testing.base import OperatorTests

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.packages.contract.calls import CallContract
from tests.packages.contract.exports import ExportContract
from tests.packages.contract.transforms import TransformContract

FILE = Path(os.environ["ONNXOP_CONTRACT"])


def of_package(file: Path) -> list[type[OperatorTests]]:
    """Return the test classes in a package's file."""
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    classes = [value for value in vars(module).values() if isinstance(value, type)]
    return [value for value in classes if issubclass(value, OperatorTests)]


for tests in of_package(FILE):
    facts = {name: value for name, value in vars(tests).items() if not name.startswith("__")}
    bases = (CallContract, TransformContract, ExportContract)
    globals()[tests.__name__] = type(tests.__name__, bases, facts)
del tests
