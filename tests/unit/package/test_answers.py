"""The answers of a package: any text in its data is read back as written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from onnxop.package.made import PlainLoader

ROOT = Path(__file__).resolve().parents[3]
TEMPLATE = ROOT / "templates" / "{{ _copier_conf.answers_file }}.jinja"
OPTIONS = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))["_envops"]
OPTIONS = {**OPTIONS, "undefined": jinja2.StrictUndefined}

# Texts with a meaning for YAML, Jinja or an editor.
ODD = """
--- ... # %YAML - ? & &a *a ! !!x | |+ > - a: b ' " \\ \\n = << no null 0x1F 1e3 2026-11-21
{{ }} {% %} {# #} {{spec}} {%raw%} {%endraw%} \x80 \x9f \ufeff \xa0 \u200b \ufffe
\U0001f600 \U0010ffff
""".split(" ")
CHARACTERS = st.characters(
    codec="utf-8", exclude_categories=["Cs"], exclude_characters="\r\x85\u2028\u2029"
)
WORDS = st.sampled_from([*ODD, " ", "   ", "\t", "\n", "\n\n", "long" * 1000]) | st.text(CHARACTERS)
TEXTS = st.lists(WORDS, max_size=12).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])  # the first draw is slow on a busy machine
@given(package=st.dictionaries(TEXTS, VALUES, max_size=3), ops=st.lists(VALUES, max_size=3))
@example(package={"doc": "[op]\n\n"}, ops=[])
@example(package={"doc": "# a\xa0b\n"}, ops=["no", "b\n\n"])
@example(package={"doc": "  # indented\n# not\n"}, ops=[{"a": {}, "b": []}])
def test_answers_read_back(package: dict[str, Any], ops: list[Any]) -> None:
    environment = jinja2.Environment(
        autoescape=False,
        extensions=["jinja2_ansible_filters.AnsibleCoreFiltersExtension"],
        **OPTIONS,
    )
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    data = {"schema": 1, "made": {"commit": "v1.0"}, "package": package, "ops": ops}
    source = {"_commit": "v1.0", "_src_path": "/tmp/onnxop-1/template.bundle"}
    rendered = template.render(_copier_answers={**source, **data}, **data)
    wanted = {"_commit": "v1.0", "_src_path": ".onnxop/template.bundle", **data}
    for loader in (yaml.SafeLoader, PlainLoader):  # copier's, and onnxop's
        assert yaml.load(rendered, loader) == wanted
