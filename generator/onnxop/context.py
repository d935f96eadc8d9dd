"""Spec → template context."""

from __future__ import annotations

from typing import Any

from .code.package import package_context
from .spec import Spec


def context(spec: Spec) -> dict[str, Any]:
    """Everything the templates name."""
    return {
        # What the package has of the files that not every package has: copier.yml leaves out the
        # rest. Versions of the template to come ask earlier ones for it, so there is this one name.
        "parts": ("csrc",) if spec.is_native else (),
        "spec_text": spec.text,
        **package_context((spec,), spec.package),
    }
