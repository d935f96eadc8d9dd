"""The answers of a package: any spec's text is read back as written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from onnxop.code.derive import answers_text
from onnxop.package.made import PlainLoader

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = ROOT / "templates" / "{{ _copier_conf.answers_file }}.jinja"
OPTIONS = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))["_envops"]
OPTIONS = {**OPTIONS, "undefined": jinja2.StrictUndefined}

# Texts with a meaning for YAML, Jinja or an editor.
ODD = """
--- ... # %YAML - ? & &a *a ! !!x | |+ > - a: b ' " \\ \\n = << no null 0x1F 1e3 2026-11-21
{{ }} {% %} {# #} {{spec}} {%raw%} {%endraw%} \x80 \x9f \x85 \u2028 \u2029 \ufeff \xa0 \u200b \ufffe
\U0001f600 \U0010ffff
""".split(" ")
CHARACTERS = st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\r")
WORDS = st.sampled_from([*ODD, " ", "   ", "\t", "\n", "\n\n", "long" * 1000]) | st.text(CHARACTERS)
TEXTS = st.lists(WORDS, max_size=12).map("".join)
FACTS = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw is slow on a busy machine
@given(text=TEXTS, name=TEXTS, facts=st.dictionaries(TEXTS, FACTS, max_size=3))
@example(text="[op]\n\n", name="", facts={})
@example(text="", name="a", facts={})
@example(text="\n", name="no", facts={"a": "b\n\n"})
@example(text="# a\x85b\n", name="", facts={})
@example(text="  # indented\n# not\n", name="", facts={"a": {}, "b": []})
def test_answers_read_back(text: str, name: str, facts: dict[str, Any]) -> None:
    environment = jinja2.Environment(autoescape=False, **OPTIONS)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    specs = {"a.toml": text, "b.toml": text}
    answers = answers_text(specs, name, facts)
    rendered = template.render(_copier_answers={"_commit": "v1.0"}, answers=answers)
    wanted = {
        "_commit": "v1.0",
        "_src_path": ".onnxop/template.bundle",
        "specs": specs,
        "name": name,
        "facts": facts,
    }
    for loader in (yaml.SafeLoader, PlainLoader):  # copier's, and onnxop's
        assert yaml.load(rendered, loader) == wanted


def test_a_plain_spec_is_kept_line_by_line() -> None:
    text = "[op]\n\n# ünïcode 😀\n[onnx]\n\n"
    kept = "\n".join(f"    {line}".rstrip() for line in text.split("\n")).rstrip(" ")
    assert answers_text({"op.toml": text}, "", {}) == (
        f"specs:\n  op.toml: |+\n{kept}name: ''\nfacts: {{}}"
    )
