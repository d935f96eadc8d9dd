"""What parts of the runtime need and may be missing: the runtime itself depends on nothing."""

from __future__ import annotations

import importlib.util


def need(who: str, *modules: str) -> None:
    """Check that modules are installed.

    Raises:
        ModuleNotFoundError: one is not; the sentence says which, and how to install it.
    """
    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise ModuleNotFoundError(
                f"{who} needs {module}, which is not installed; run pip install {module}",
                name=module,
            )
