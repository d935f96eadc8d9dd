# PYTHON_ARGCOMPLETE_OK
"""The command line: the only modules that print and exit."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from .. import __version__
from ..errors import OnnxopError
from . import inspect_command, new_command, packages, run, scan_command
from .output import add_command, help_texts, show, with_output

_EPILOG = """\
exit status: 0 success, 1 an error in the spec, the destination or the build, 2 wrong usage,
             3 an update with conflicts, 70 a bug in onnxop
"""
_OWN_FAULT = 70  # EX_SOFTWARE of sysexits.h
_OPTIONAL = ("onnxruntime",)  # modules without which some commands work
_TRACEBACK = "ONNXOP_TRACEBACK"  # the environment variable that asks for a traceback


@with_output
def main(arguments: Sequence[str] | None = None) -> int:
    """Run ``onnxop``, and return its exit status."""
    return _run(onnxop_parser(), arguments)


@with_output
def new(arguments: Sequence[str] | None = None) -> int:
    """Run ``onnxop-new``, which is ``onnxop new``, and return its exit status."""
    return _run(new_parser(), arguments)


def onnxop_parser() -> argparse.ArgumentParser:
    """Return the parser of ``onnxop``."""
    summary = "From an op spec in TOML to a Python package: PyTorch op, ONNX rule, tests."
    parser = _parser("onnxop", summary, "scan models.py:build", "new my_add.toml --build")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    summary = "make a package from op specs"
    new = commands.add_parser("new", help=summary, **help_texts(summary, *new_command.EXAMPLES))
    new_command.add_arguments(new)
    packages.add_arguments(commands)
    summary = "print the JSON Schema of op specs, for editors"
    add_command(commands, "schema", _schema, summary, "", "> op.schema.json")
    inspect_command.add_arguments(commands)
    scan_command.add_arguments(commands)
    run.add_arguments(commands)
    return parser


def new_parser() -> argparse.ArgumentParser:
    """Return the parser of ``onnxop-new``."""
    summary = "Make a package from op specs: PyTorch op, ONNX rule, tests."
    parser = _parser("onnxop-new", summary, *new_command.EXAMPLES)
    new_command.add_arguments(parser)
    return parser


def _parser(name: str, summary: str, *examples: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=name, **help_texts(summary, *examples))
    parser.epilog = f"{parser.epilog}\n\n{_EPILOG}"
    parser.add_argument("--version", action="version", version=f"onnxop {__version__}")
    return parser


def _run(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run the command that the arguments name."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks for completions; argcomplete is optional
        importlib.import_module("argcomplete").autocomplete(parser)
    options, others = parser.parse_known_args(arguments)
    if others:  # argparse leaves paths that follow options, such as DEST
        if "paths" not in options or any(not o or o.startswith("-") for o in others):
            parser.error(f"unrecognized arguments: {' '.join(others)}")
        options.paths += map(Path, others)
    try:
        return options.run(options) or 0
    except OnnxopError as error:
        show(error, sys.stderr)
        return error.status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError:  # `with_output` handles it
        raise
    except Exception as error:
        if os.environ.get(_TRACEBACK):
            raise
        if isinstance(error, ModuleNotFoundError) and error.name in _OPTIONAL:
            print(_missing(parser.prog, error.name), file=sys.stderr)
            return OnnxopError.status
        print(_unexpected(parser.prog, arguments, error), file=sys.stderr)
        return _OWN_FAULT


def _missing(program: str, module: str) -> str:
    """Return the message of a missing module: what needs it, and how to install it."""
    from onnxop_runtime.optional_imports import how_to_install

    return f"{program} needs {module}, which is not installed; {how_to_install(module)}"


def _unexpected(program: str, arguments: Sequence[str] | None, error: Exception) -> str:
    """Return the message of an unexpected exception: the command, its place, and what to do."""
    command = shlex.join([program, *(sys.argv[1:] if arguments is None else arguments)])
    frame = traceback.extract_tb(error.__traceback__)[-1]
    fact = " ".join(f"{type(error).__name__}: {error}".split())
    return (
        f"{command}: failed at {frame.filename}:{frame.lineno} with {fact[:500]}\n"
        "This is a bug of onnxop, not an error in your input. Please report it, with the input "
        f"and the output of:\n    {_TRACEBACK}=1 {command}"
    )


def _schema(_: argparse.Namespace) -> None:
    from onnxop_runtime.specs.document import json_schema

    print(json.dumps(json_schema(), indent=2))
