"""Data and a version of the template → the files of a package, by copier."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from ..errors import OnnxopError
from . import git
from .files import File, read_all

_SECONDS = 60  # of CPU time, for a template of another version
_MEMORY = 2 << 30  # bytes


class RenderError(OnnxopError):
    """A version of the template cannot make a package of the data."""


def rendered(
    bundle: Path, version: str, answers: Mapping[str, object], *, is_present: bool
) -> dict[str, File]:
    """Return the files that a version of the template makes. Raise `RenderError` if it fails, or
    if this onnxop's version makes a module that Python cannot read.

    ``is_present``: the version is this onnxop's. Any other may be a stranger's, so it gets a
    process of its own, with limits of time and memory.
    """
    with tempfile.TemporaryDirectory(prefix="onnxop-rendered-") as name:
        destination = Path(name, "package")
        if is_present:
            why = _problem_with_copy(bundle, version, answers, destination)
        else:
            why = _problem_with_limited_copy(bundle, version, answers, destination)
        if why:
            raise RenderError(f"template {version}: {why}")
        made = read_all(destination)
    for path in made:
        if any(part.casefold() == ".git" for part in PurePosixPath(path).parts):
            raise RenderError(f"template {version}: makes {path}, a file of git")
    if is_present:  # an older version's mistake must not stop its update
        _check_is_python(version, made)
    return made


def _check_is_python(version: str, made: Mapping[str, File]) -> None:
    """Raise `RenderError` for a module that Python cannot read: a template inserted a text as it
    is, where it had to be quoted.
    """
    for path, file in made.items():
        if not path.endswith(".py"):
            continue
        try:
            compile(file.data, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:  # ValueError: null bytes
            line = getattr(error, "lineno", None) or 1
            raise RenderError(
                f"template {version}: makes {path}, which is no Python at line {line}: "
                f"{getattr(error, 'msg', error)}"
            ) from error


def _problem_with_limited_copy(
    bundle: Path, version: str, answers: Mapping[str, object], destination: Path
) -> str:
    """Have copier render in a process with limits of time and memory; return why it fails,
    or "".
    """
    import copier  # noqa: F401 - before the process gets its limits

    from onnxop_runtime import processes

    def copy() -> Iterator[tuple[str, int]]:
        processes.allow_cpu_time(_SECONDS)
        try:
            yield _problem_with_copy(bundle, version, answers, destination), 0
        except OSError as error:
            yield str(error), error.errno or errno.EIO

    items, death = processes.collect(copy(), processes.Limits(memory=_MEMORY))
    if death:
        return str(death)
    ((problem, number),) = items
    if number:
        raise OSError(number, os.strerror(number), str(destination))
    return str(problem)


def _problem_with_copy(
    bundle: Path, version: str, answers: Mapping[str, object], destination: Path
) -> str:
    """Write the package; return why that fails, or an empty string. Raise OSError for a
    full disk.
    """
    from copier import run_copy
    from copier.errors import UnsafeTemplateError
    from plumbum import ProcessExecutionError, local

    try:
        with local.env(**git.OWN):  # git ignores the user's configuration
            run_copy(
                str(bundle.resolve()),
                destination,
                data=dict(answers),
                vcs_ref=version,
                defaults=True,
                quiet=True,
            )
    except UnsafeTemplateError as error:
        return str(error).partition(".\n")[0]  # without the advice to trust it
    except MemoryError:
        return f"needs more than {_MEMORY >> 30} GiB of memory"
    except ProcessExecutionError as error:  # an OSError, too
        git.raise_disk_error(error.stderr, int(error.retcode or 0), destination.parent)
        return " ".join(error.stderr.split())
    except OSError:
        raise
    except Exception as error:  # noqa: BLE001 - copier passes on what Jinja, YAML and git raise
        return " ".join(str(error).split()) or type(error).__name__
    return ""
