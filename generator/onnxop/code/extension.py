"""The template's Jinja extension: copier loads it from the version that it renders.

So each version derives what it places by its own logic, whatever onnxop is installed, if any: this
file and those beside it are part of the template.
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
    """Adds to what the templates see all that follows from the spec."""

    def hook(self, context: dict[str, Any]) -> None:
        specs = context.get("specs")
        if specs:
            kept = [specs, context.get("name") or "", context.get("facts") or {}]
            found = _derived(json.dumps(kept))
            # What the loop of a path names stays: `op` is one of the ops.
            context.update({key: found[key] for key in found if key not in context})
        elif context.get("_copier_phase") == "render":
            raise UserMessageError(
                "the template needs an op spec; write one, and run onnxop-new <spec>.toml"
            )


@cache
def _derived(kept: str) -> dict[str, Any]:
    derive, errors = _own("code.derive"), _own("errors")
    try:
        found: dict[str, Any] = derive.derive(*json.loads(kept))
    except errors.OnnxopError as error:
        raise UserMessageError(str(error)) from None
    return found


def _own(module: str) -> ModuleType:
    """A module of this version: other versions of it may be loaded in the same process."""
    folder = Path(__file__).resolve().parents[1]
    name = f"_onnxop_{sha256(bytes(folder)).hexdigest()[:16]}"
    if name not in sys.modules:
        places = [str(folder)]
        spec = spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=places
        )
        assert spec is not None and spec.loader is not None
        package = module_from_spec(spec)
        sys.modules[name] = package
        spec.loader.exec_module(package)
    return import_module(f"{name}.{module}")
