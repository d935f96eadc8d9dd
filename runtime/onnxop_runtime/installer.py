"""What this environment installs and builds with, for messages that tell a user what to install.
It imports the standard library only.
"""

from __future__ import annotations

import importlib.metadata
import shutil
import sys
import sysconfig
from pathlib import Path


def has_pip() -> bool:
    """Return whether this environment has pip.

    Its distribution is looked up, not its module: a search for that makes setuptools give up its
    distutils in this process.
    """
    return any(importlib.metadata.distributions(name="pip"))


def pip_install() -> str:
    """Return the command as a user types it: ``uv pip install`` if this environment has uv but no
    pip.
    """
    has_uv_alone = not has_pip() and shutil.which("uv") is not None
    return "uv pip install" if has_uv_alone else "pip install"


def missing_headers() -> str | None:
    """Return a sentence that says what to install if Python's headers are missing, else None.

    Distributions of Linux have them in a package of their own.
    """
    folder = sysconfig.get_path("platinclude")
    if Path(folder, "Python.h").is_file():
        return None
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return (
        f"C++ cannot be built for this Python: {folder} has no Python.h; install Python's headers "
        f"(Debian and Ubuntu: apt install python{version}-dev; Fedora: dnf install python3-devel)"
    )
