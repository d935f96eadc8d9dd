"""Make the working tree a release: ``python -m tests.tools.release 0.2.0``. CONTRIBUTING says when
and how.

Both distributions, onnxop and onnxop-runtime, get the version.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from datetime import date
from pathlib import Path

from packaging.version import InvalidVersion, Version

from onnxop import __version__

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = (
    ROOT / "generator" / "onnxop" / "__init__.py",
    ROOT / "runtime" / "onnxop_runtime" / "__init__.py",
)
PYPROJECT = ROOT / "pyproject.toml"
REQUIREMENT = ROOT / "templates" / "macros" / "runtime.jinja"
CHANGELOG = ROOT / "CHANGELOG.md"
UNRELEASED = "## Unreleased\n"


def problem_with(version: str) -> str:
    """Return why that version cannot be released now; empty if it can."""
    try:
        if str(Version(version)) != version or Version(version).is_prerelease:
            return f"{version}: write a version such as 0.2.0"
    except InvalidVersion:
        return f"{version}: write a version such as 0.2.0"
    if Version(version) <= Version(__version__):
        return f"{version}: this is {__version__} already; choose a later one"
    changes = CHANGELOG.read_text(encoding="utf-8").partition(UNRELEASED)[2]
    if not re.match(r"\s*(?:###|-)", changes):
        return f"{CHANGELOG.name}: says nothing under Unreleased; write what has changed"
    return ""


def release(version: str, day: date) -> None:
    """Write the version, the changelog's heading and the reference packages."""
    for file in VERSIONS:
        _replace(file, r'^__version__ = ".*"$', f'__version__ = "{version}"')
    _replace(PYPROJECT, r'"onnxop-runtime==.*"', f'"onnxop-runtime=={version}"')
    # Packages need the new version if anything has changed since the last release.
    _replace(REQUIREMENT, r"onnxop-runtime>=[^,]*\.dev0,", f"onnxop-runtime>={version},")
    heading = f"{UNRELEASED}\n## {version} - {day.isoformat()}\n"
    changes = CHANGELOG.read_text(encoding="utf-8").replace(UNRELEASED, heading, 1)
    CHANGELOG.write_text(changes, encoding="utf-8")
    # Another process, as this one has imported the former version.
    subprocess.run(
        [sys.executable, "-m", "tests.tools.regenerate", "--always"], cwd=ROOT, check=True
    )


def _replace(file: Path, pattern: str, text: str) -> None:
    before = file.read_text(encoding="utf-8")
    file.write_text(re.sub(pattern, text, before, flags=re.MULTILINE), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description="Make the working tree a release.")
    parser.add_argument("version")
    version: str = parser.parse_args().version
    if problem := problem_with(version):
        print(problem, file=sys.stderr)
        return 1
    release(version, date.today())
    print(f"Next: poe everything; git commit -am 'Release {version}'; git tag v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
