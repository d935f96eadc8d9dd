"""Runs `onnxop scan` on a model's source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch

from onnxop.scan.model.target import Target
from tests.warm import Warm

NET = Target("net", torch.nn.ReLU(), (torch.ones(2),))
"""A model that a report is of."""


def scanned(model: str, warm: Warm, folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    """Return the exit status and the JSON of a scan of ``net:build``, where ``model`` is the source
    of ``net``.
    """
    (folder / "net.py").write_text(model, encoding="utf-8")
    command = ["-W", "ignore", "-m", "onnxop", "scan", "net:build", "--json", *options]
    done = warm.run(*command, cwd=folder)
    output: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{\n") :])
    return done.returncode, output


def lines(text: str) -> list[str]:
    """Return the lines of a text that are not empty."""
    return [line for line in text.splitlines() if line]
