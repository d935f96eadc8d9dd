"""The packages of a family → an environment that has them, over the one that runs this."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path

FOLDER = Path("build", "zoo")


def python_of(family: str, requirements: Sequence[str]) -> Path:
    """Make the environment, or update it, and return its Python. What this environment has is not
    installed again.
    """
    folder = FOLDER.resolve() / family
    python = folder / "bin" / "python"
    if not python.exists():
        _uv("venv", "--quiet", "--python", sys.executable, str(folder))
    own = folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    base = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (own / "zoo_base.pth").write_text(base, encoding="utf-8")
    known = folder / "known.txt"
    known.write_text("\n".join(sorted(_installed())) + "\n", encoding="utf-8")
    asked = folder / "asked.txt"
    asked.write_text("\n".join(requirements) + "\n", encoding="utf-8")
    options = ["--quiet", "--no-header", "--no-annotate", "--constraint", str(known)]
    needed = _uv("pip", "compile", *options, "--python", str(python), str(asked)).split()
    missing = [line for line in needed if line not in _installed()]
    if missing:
        _uv("pip", "install", "--quiet", "--no-deps", "--python", str(python), *missing)
    return python


def _installed() -> set[str]:
    """Return what this environment has from an index, as ``name==version``."""
    every = [one for one in distributions() if one.read_text("direct_url.json") is None]
    return {f"{one.name.lower().replace('_', '-')}=={one.version}" for one in every}


def _uv(*arguments: str) -> str:
    """Run uv, and return its output. Raises SystemExit with its errors."""
    done = subprocess.run(["uv", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"uv {' '.join(arguments[:2])}: {done.stderr.strip()}")
    return done.stdout
