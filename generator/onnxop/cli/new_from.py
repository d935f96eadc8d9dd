"""``onnxop new --from``: an operator, or a model's own function → a spec."""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DestinationError
from .output import progress
from .spec_files import ORIGINS, write_spec

if TYPE_CHECKING:
    from ..starter.starter import Starter

_FUNCTION = re.compile(r"[\w./-]+:[\w.]+")  # of a model: package.module:Function


def write_specs(options: argparse.Namespace) -> None:
    """Write the specs of ``new --from`` into a folder."""
    folder: Path = options.paths[0] if options.paths else Path()
    specs = {folder / spec.file: spec for spec in _specs(options)}
    for file in specs:
        if os.path.lexists(file) and not options.force:
            raise DestinationError(
                f"{file}: exists; choose another folder, or use --force, which keeps it as "
                "<name>.orig"
            )
    for file, spec in specs.items():
        write_spec(file, spec.text)
        print(f"Wrote {file}: {', '.join(_remarks(spec))}")
        if not spec.is_needed:
            print(f"  Both of PyTorch's exporters export {spec.op} right; it needs no spec.")
    has_skeleton = any(spec.origin == "node" for spec in specs.values())
    print(f"Next: check it, and run\n  {_next_command([*specs], can_build=not has_skeleton)}")
    if has_skeleton:
        print("Then write compute() in the header in ops/ of the package.")


def _specs(options: argparse.Namespace) -> list[Starter]:
    """Return the specs for the names of ``--from``. Raises OnnxopError."""
    from ..starter import starter

    specs: list[Starter] = []
    with progress() as tell:
        for name in options.sources:
            tell(f"looking for {name}")
            if _FUNCTION.fullmatch(name) and not name.startswith("onnx:"):
                from ..scan.calls import own_functions

                specs.append(own_functions.starter_of(name, options.model, options.requires))
            else:
                specs += starter.write_specs(name, options.requires)
    return specs


def _remarks(spec: Starter) -> list[str]:
    """Return where the spec comes from, and whether it was tried."""
    remarks = [ORIGINS[spec.origin]]
    if spec.origin == "gallery":
        return remarks
    if spec.is_proved:
        remarks.append("tried: ONNX Runtime's results match PyTorch's")
    if not spec.is_called:
        remarks.append("whose samples PyTorch refuses: write one that it accepts")
    return remarks


def _next_command(files: Sequence[Path], *, can_build: bool) -> str:
    """Return the command that makes a package of the specs."""
    command = ["onnxop", "new", *map(str, files)]
    if len(files) > 1:
        command += ["--name", "my_ops"]
    if can_build:
        command.append("--build")
    return shlex.join(command)
