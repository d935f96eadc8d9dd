"""``onnxop inspect``: what PyTorch, its exporters, ONNX and the gallery have of an operator."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from .output import Commands, add_command, add_flag, add_requires, progress, show


def add_arguments(commands: Commands) -> None:
    """Add ``onnxop inspect``."""
    summary = "show what PyTorch, its exporters, ONNX, ONNX Runtime and the gallery have of an op"
    examples = "torchvision::roi_align", "onnx:DeformConv"
    parser = add_command(commands, "inspect", _inspect, summary, *examples)
    parser.add_argument(
        "name",
        metavar="NAME",
        help="torchvision::roi_align, aten::asinh, torch.asinh, onnx:DeformConv, or part of a name",
    )
    add_flag(parser, "--json", "print JSON, for programs")
    add_requires(parser)


def _inspect(options: argparse.Namespace) -> None:
    """Print the page of a name, or its JSON."""
    from ..inspect import page
    from ..inspect.inspection import inspect

    with progress() as tell:
        inspection = inspect(options.name, options.requires, tell)
    if options.json:
        print(json.dumps(asdict(inspection), indent=2))
    else:
        show(page.answer(inspection))
