"""The template's Jinja extension: copier loads it from the version that it renders.

This file and its package are part of the template. So each version derives its context by its own
code, whichever onnxop is installed.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from copier.errors import UserMessageError
from copier_template_extensions import ContextHook


class Derived(ContextHook):
    """Adds to the templates' context everything that follows from the spec."""

    def hook(self, context: dict[str, Any]) -> None:
        specs = context.get("specs")
        if specs:
            recorded = [specs, context.get("name") or "", context.get("facts") or {}]
            derived = _derived(json.dumps(recorded))
            # Keep the loop variable of a path: `op` is one of the ops.
            context.update({key: derived[key] for key in derived if key not in context})
        elif context.get("_copier_phase") == "render":
            raise UserMessageError(
                "the template needs an op spec; write one, and run onnxop-new <spec>.toml"
            )


@cache
def _derived(recorded: str) -> dict[str, Any]:
    derive, errors = _own("code.derive"), _own("errors")
    try:
        context: dict[str, Any] = derive.derive(*json.loads(recorded))
    except errors.OnnxopError as error:
        raise UserMessageError(str(error)) from None
    return context


def _own(module: str) -> ModuleType:
    """Return a module of this version, because the process may have loaded other versions of it."""
    folder = Path(__file__).resolve().parents[1]
    name = f"_onnxop_{sha256(bytes(folder)).hexdigest()[:16]}"
    if name not in sys.modules:
        spec = spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None and spec.loader is not None
        package = module_from_spec(spec)
        sys.modules[name] = package
        spec.loader.exec_module(package)
    return import_module(f"{name}.{module}")
