"""What a package keeps of its spec → the templates' context, by this version's own logic."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from ..schema.facts import Facts, asking
from ..spec.package import parse_package
from .context import context

_WIDTH = 100  # columns of the answers file
_BREAKS = "\x85\u2028\u2029"  # YAML ends lines at these, too, and reads some as "\n"


class _Dumper(yaml.SafeDumper):
    """YAML without aliases, which nobody reads."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Text is written line by line."""
    style = "|" if "\n" in text else None
    if any(mark in text for mark in _BREAKS):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def derive(specs: Mapping[str, str], name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The context for the texts of op specs, by their files, with what the world said of them.

    Raises:
        OnnxopError: this version of the template refuses the spec, or asks what is not known.
    """
    with asking(Facts(facts, is_fresh=False)):
        found = context(parse_package(specs, name))
        return {**found, "answers": answers_text(specs, name, facts)}


def answers_text(specs: Mapping[str, str], name: str, facts: Mapping[str, Any]) -> str:
    """The answers as YAML that is read line by line, and comes back as it was."""
    known = json.loads(json.dumps(facts, sort_keys=True))
    return yaml.dump(
        # One document: of two, written one after the other, the first may need an end of its own.
        {"specs": dict(specs), "name": name, "facts": known},
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=None,
        sort_keys=False,
        width=_WIDTH,
    ).removesuffix("\n")
