"""What a package keeps of its spec → the templates' context, by this version's own logic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from .context import context
from .facts import Facts, asking
from .load import parse

_WIDTH = 100  # columns of the answers file
_ANY = float("inf")


class _Dumper(yaml.SafeDumper):
    """YAML without aliases, which nobody reads."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def derive(spec: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The context for the text of an op spec, with what the world said of it.

    Raises:
        OnnxopError: this version of the template refuses the spec, or asks what is not known.
    """
    with asking(Facts(facts, is_fresh=False)):
        return {**context(parse(spec)), "answers": _answers(spec, facts)}


def _answers(spec: str, facts: Mapping[str, Any]) -> str:
    """The answers as YAML that is read line by line, and comes back as it was."""
    text = yaml.dump(spec, Dumper=_Dumper, default_style="|", allow_unicode=True, width=_ANY)
    kept = yaml.dump(
        {"facts": dict(facts)},
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=None,
        width=_WIDTH,
    )
    return f"spec: {text}{kept}".rstrip()
