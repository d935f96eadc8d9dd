"""A package as copier makes it, without copier: where a test asks what the templates say, and no more.

That both make the same is seen in the reference packages, which tests compare with either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import yaml

from onnxop.code.derive import derive
from onnxop.package.made import ANSWERS
from onnxop.package.render import answers_of
from onnxop.spec.model import PackageSpec
from onnxop.spec.package import load_package
from onnxop.words.facts import Facts, asking

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "templates"
_SETTINGS = yaml.safe_load((ROOT / "copier.yml").read_text(encoding="utf-8"))
_LOOP = re.compile(
    r"(?P<before>.*){% yield op from (?P<ops>.*?) %}(?P<name>.*){% endyield %}(?P<after>.*)"
)


@cache
def _environment() -> jinja2.Environment:
    options = {**_SETTINGS["_envops"], "undefined": jinja2.StrictUndefined}
    return jinja2.Environment(loader=jinja2.FileSystemLoader(ROOT), **options)


def generate(specs: Path, folder: Path) -> None:
    """Writes the package that a spec, or a folder of them, makes now."""
    with asking(Facts()) as facts:
        write(load_package([specs], is_new=True), facts.answers, folder)


def write(spec: PackageSpec, facts: Mapping[str, Any], folder: Path) -> None:
    """Writes the package, but for the template's bundle, into a folder that is not there yet."""
    answers = answers_of(spec, facts)
    context = derive(answers["specs"], answers["name"], answers["facts"])
    context |= {"_copier_conf": {"answers_file": ANSWERS}, "_copier_answers": {"_commit": "none"}}
    left_out = [_text(pattern, context) for pattern in _SETTINGS["_exclude"]]
    for source, name, own in _files(context):
        places = [f"/{place}" for place in (Path(name), *Path(name).parents)]
        if any(fnmatch(place, pattern) for place in places for pattern in left_out):
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.endswith(".jinja"):
            text = _environment().get_template(f"templates/{source}").render(own)
            target.write_text(text, encoding="utf-8", newline="")
        else:
            target.write_bytes((TEMPLATES / source).read_bytes())
    for name, text in spec.given_files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")


def _files(context: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each template, the file that it makes, and what it sees."""
    for file in sorted(TEMPLATES.rglob("*")):
        if not file.is_file() or file.name == "README.md" or "__pycache__" in file.parts:
            continue
        source = str(file.relative_to(TEMPLATES))
        made = source.removesuffix(".jinja")
        loop = _LOOP.fullmatch(made)
        if loop is None:
            name = _text(made, context)
            if not name.endswith("/"):  # as one does that is called nothing here
                yield source, name, context
            continue
        ops: Any = _environment().compile_expression(loop["ops"])(**context)
        for op in ops:
            own = {**context, "op": op}
            yield source, _text(f"{loop['before']}{loop['name']}{loop['after']}", own), own


def _text(template: str, context: Mapping[str, Any]) -> str:
    return _environment().from_string(template).render(context)
