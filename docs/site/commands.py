"""The parsers of the command line -> the page of the commands."""

from __future__ import annotations

import argparse
import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "generator"), str(ROOT / "runtime")]  # the site is built without onnxop

from onnxop import cli
from onnxop_runtime import __main__ as runtime

HEAD = """# Commands

The commands of onnxop, and the one of its runtime. `--help` of each command says the same.
"""
_CODE = re.compile(r"((?<![\w`])[\w./]*(?:--\w|\w::?\w|<\w+>)[\w:-]*(?:\.\w+)*)")


def page() -> str:
    """Return the page in Markdown."""
    parsers = [cli.onnxop_parser(), cli.new_parser(), runtime.parser()]
    return (
        "\n\n".join([HEAD.strip(), *(line for parser in parsers for line in _command(parser, 2))])
        + "\n"
    )


def _command(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    """Return the paragraphs of a command, and of the commands in it."""
    examples, *tables = ((parser.epilog or "") % {"prog": parser.prog}).strip().split("\n\n")
    formatter = parser.formatter_class(parser.prog, width=90)  # not the terminal's
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups)
    usage = re.sub(r"^usage: |^ {7}", "", formatter.format_help(), flags=re.MULTILINE)
    yield f"{'#' * level} {parser.prog}"
    yield _sentence(parser.description or "")
    yield f"```text\n{usage.strip()}\n```"
    commands: list[argparse.ArgumentParser] = []
    options = []
    for action in sorted(parser._actions, key=lambda action: bool(action.option_strings)):
        if isinstance(action, argparse._SubParsersAction):
            commands += action.choices.values()
            briefs = {choice.dest: choice.help or "" for choice in action._get_subactions()}
            yield "\n".join(
                f"- [`{name}`](#{command.prog.replace(' ', '-')}): {_prose(briefs[name])}"
                for name, command in action.choices.items()
            )
        elif action.dest != "help":
            options.append(f"- `{_spelling(action)}`: {_prose(action.help or '')}")
    if options:
        yield "\n".join(options)
    title, *lines = examples.splitlines()
    code = "\n".join(line.strip() for line in lines)
    yield f"{title.capitalize()}\n\n```sh\n{code}\n```"
    for table in tables:
        title, _, meanings = table.partition(": ")
        statuses = re.findall(r"(\d+) (.+?)(?:,\s+(?=\d)|$)", meanings)
        yield f"{title.capitalize()}:"
        yield "\n".join(f"- `{status}`: {meaning}" for status, meaning in statuses)
    for command in commands:
        yield from _command(command, level + 1)


def _spelling(action: argparse.Action) -> str:
    """Return an option with its value, or the name of an argument."""
    values = "|".join(action.choices or ())
    value = values or str(action.metavar or action.dest.upper())
    if not action.option_strings:
        return value
    return (
        f"{action.option_strings[-1]} {value}" if action.nargs != 0 else action.option_strings[-1]
    )


def _sentence(text: str) -> str:
    text = _prose(text)
    return text[:1].upper() + text[1:].removesuffix(".") + "."


def _prose(text: str) -> str:
    """Return a text of help, with its code marked."""
    text = " ".join(text.split())
    parts = _CODE.split(text)
    parts[::2] = [html.escape(part, quote=False) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    return "".join(parts)
