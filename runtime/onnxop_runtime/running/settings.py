"""What ``onnxop run`` was asked for, as its process and those that it starts read it. No module
here imports torch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

VARIABLE = "ONNXOP_RUN"
"""The environment variable that names the file of settings."""

CHILD = Path(__file__).parent / "child"
"""The folder of the module that Python imports first, if the folder is on PYTHONPATH."""


@dataclass(frozen=True)
class Settings:
    """What ``onnxop run`` was asked for."""

    folder: str
    """The folder of the records of exports."""
    modules: tuple[str, ...] = ()
    """The packages to import."""
    specs: tuple[str, ...] = ()
    """The absolute paths of specs to register."""
    gallery: bool = False
    """Whether to register the gallery's rules."""
    replacements: tuple[tuple[str, str, str], ...] = ()
    """The functions to replace: the module of each, its dotted name, and what to call instead."""
    verify: bool = False
    """Whether to compare files with PyTorch."""
    path: str = ""
    """The folder in which the command finds its modules."""

    def save(self) -> Path:
        """Write the settings into their folder."""
        file = Path(self.folder, "settings.json")
        file.write_text(json.dumps(asdict(self)), encoding="utf-8")
        return file


def load() -> Settings | None:
    """Return the settings that the environment names; None if this process is not of ``onnxop
    run``.
    """
    try:
        data = json.loads(Path(os.environ[VARIABLE]).read_text(encoding="utf-8"))
    except (KeyError, OSError):
        return None
    lists = ("modules", "specs")
    data |= {key: tuple(data[key]) for key in lists}
    data["replacements"] = tuple(tuple(item) for item in data["replacements"])
    return Settings(**data)


def variables(file: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables with which a Python process uses the settings of a file."""
    paths = [str(CHILD)]
    if environment.get("PYTHONPATH"):
        paths.append(environment["PYTHONPATH"])
    return {VARIABLE: str(file), "PYTHONPATH": os.pathsep.join(paths)}
