"""The installer of this environment, for messages that tell a user what to install. It imports the
standard library only.
"""

from __future__ import annotations

import importlib.metadata
import shutil


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
