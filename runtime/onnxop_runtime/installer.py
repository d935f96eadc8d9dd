"""The installer of this environment, for messages that tell a user what to install. It imports the standard library only."""

from __future__ import annotations

import importlib.metadata
import shutil


def pip_install() -> str:
    """Return the command as a user types it: ``uv pip install`` if this environment has uv but no pip."""
    # To look for pip's module would make setuptools give up its distutils in this process.
    has_pip = any(importlib.metadata.distributions(name="pip"))
    return "uv pip install" if not has_pip and shutil.which("uv") is not None else "pip install"
