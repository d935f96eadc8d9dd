"""A scan that was stopped before the model was loaded → text for people, and data for programs.

Nothing here needs PyTorch, which a time limit may stop while it is imported.
"""

from __future__ import annotations

from typing import Any


def lines(stopped: str) -> list[str]:
    """Return what to do next. ``stopped`` says what stopped the scan."""
    return [
        f"Stopped by {stopped}, before the model was loaded.",
        "Next: scan again, with more time.",
    ]


def data(model: str, stopped: str) -> dict[str, Any]:
    """Return the report of a model, by its name, as data: with the keys of `report_as_data`."""
    return {
        "model": model,
        "right": False,
        "whole": [],
        "calls": {},
        "findings": [],
        "functions": [],
        "notes": [],
        "causes": [],
        "kept_sides": [],
        "written_buffers": [],
        "stopped": stopped,
        "next": lines(stopped),
        "inputs": "",
        "written": {},
        "package": None,
    }
