"""A package's recorded specs and facts → the templates' context, by the code of this version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from ..schema.facts import Facts, asking
from ..spec.package import parse_package
from .context import context

_WIDTH = 100  # columns of the answers file
_BREAKS = "\x85\u2028\u2029"  # YAML breaks lines here, too, and reads some as "\n"


class _Dumper(yaml.SafeDumper):
    """YAML without aliases, so that people can read it."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Write a text of several lines as a block, line by line."""
    style = "|" if "\n" in text else None
    if any(mark in text for mark in _BREAKS):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def derive(specs: Mapping[str, str], name: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the context for the texts of op specs, by file name, and the facts recorded for them.
    Raise `OnnxopError` if this version rejects a spec, or needs a fact that is missing.
    """
    with asking(Facts(facts, is_fresh=False)):
        derived = context(parse_package(specs, name))
    return {**derived, "answers": answers_text(specs, name, facts)}


def answers_text(specs: Mapping[str, str], name: str, facts: Mapping[str, Any]) -> str:
    """Return the answers as YAML that is readable line by line, and loads unchanged."""
    known = json.loads(json.dumps(facts, sort_keys=True))
    return yaml.dump(
        # One document: the first of two might need an end marker.
        {"specs": dict(specs), "name": name, "facts": known},
        Dumper=_Dumper,
        allow_unicode=True,
        default_flow_style=None,
        sort_keys=False,
        width=_WIDTH,
    ).removesuffix("\n")
