"""The command that runs another one with rules."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence

from .output import Commands, add_command, add_flag, show


def add_arguments(commands: Commands) -> None:
    """Add run."""
    summary = (
        "run a command of Python with rules: each of its exports uses them, and a line says "
        "which; its exit status is the command's"
    )
    brief = "run a command of Python, such as optimum-cli, whose exports use rules"
    examples = (
        "--with my_ops --gallery -- optimum-cli export onnx -m gpt2 out",
        "--with rule.toml --verify -- -m my_project.export",
    )
    run = add_command(commands, "run", _run, summary, *examples, brief=brief)
    run.add_argument(
        "--with",
        action="append",
        default=[],
        metavar="RULES",
        dest="sources",
        help="a package to import, or the path of a spec or of a folder of specs; may be repeated",
    )
    add_flag(run, "--gallery", "use the gallery's rules")
    run.add_argument(
        "--replace",
        action="append",
        default=[],
        metavar="ORIGINAL=OPERATOR",
        dest="replacements",
        help="call an operator in place of a function or class, by dotted names: "
        "'pkg.module.Function=my_ops.op', or '...=my_ops.op(x, scale)' with the original's "
        "parameters; may be repeated",
    )
    add_flag(
        run,
        "--verify",
        "compare each file's values with PyTorch's, at the exporter's inputs and at another size "
        "of dynamic axes",
    )
    run.add_argument(
        "-m",
        dest="module",
        nargs=argparse.REMAINDER,
        default=[],
        metavar="MODULE ...",
        help="the module to run, and its arguments",
    )
    run.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="-- COMMAND ...",
        help="a console script, the path of a script, -m MODULE, or another program; and its "
        "arguments",
    )
    run.usage = "%(prog)s [options] -- COMMAND ..."
    run.set_defaults(usage_error=run.error)


def _run(options: argparse.Namespace) -> int:
    """Run the command, print a line for each exported file, and return the command's exit
    status.
    """
    from onnxop_runtime.running import records, settings

    from ..run import command as commands
    from ..run.start import Request, start

    command = commands.parse(*_split_command(options))
    request = Request(options.sources, options.gallery, options.replacements, options.verify)
    with tempfile.TemporaryDirectory(prefix="onnxop-run-") as folder:
        file = start(request, folder, command.path).save()
        status = commands.run(command, settings.variables(file, os.environ))
        from ..run import report

        for line in report.lines(records.read(folder), request.originals):
            show(f"onnxop: {line}", sys.stderr)
    return status


def _split_command(options: argparse.Namespace) -> tuple[Sequence[str], Sequence[str]]:
    """Return the command with its arguments, and the module with its arguments; one is empty."""
    command, module = list(options.command), list(options.module)
    if command[:1] == ["--"]:
        del command[0]
    if command[:1] == ["-m"]:
        command, module = [], command[1:]
    if not command and not module:
        options.usage_error("write the command to run after --")
    return command, module
