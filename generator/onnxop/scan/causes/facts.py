"""What is known of the exporters' own rules: `facts.toml`, of which a test tries each fact."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

FACTS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("facts.toml").read_text(encoding="utf-8")
)
