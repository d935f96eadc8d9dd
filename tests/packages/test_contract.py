"""The contract of packages and runtime: identity, versions, and which operators a package's
functions see.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from onnxop_runtime.installer import pip_install
from tests.programs import program
from tests.warm import Warm

VERSIONS = program("contract/versions")


def test_a_package_for_another_runtime(warm: Warm, tmp_path: Path) -> None:
    later, earlier = warm.checked("-c", VERSIONS, cwd=tmp_path).splitlines()
    assert later.startswith("acme was made for API 2 of onnxop-runtime, but 0.")
    assert later.endswith(f"run {pip_install()} -U onnxop-runtime")
    assert earlier.endswith("run onnxop update in its folder, and reinstall it")


OWN = program("contract/own")
IMPORTS = "import asinh\nimport my_add\n"


@pytest.mark.parametrize("imports", [IMPORTS, "import my_add\nimport asinh\n"])
def test_a_package_s_functions_see_its_own_operators(
    packages: Warm, tmp_path: Path, imports: str
) -> None:
    """Check it for each order of imports."""
    assert IMPORTS in OWN
    code = OWN.replace(IMPORTS, imports)
    output = packages.checked("-W", "ignore", "-c", code, cwd=tmp_path)
    claims: dict[str, bool] = json.loads(output.splitlines()[-1])
    assert [claim for claim, holds in claims.items() if not holds] == []
