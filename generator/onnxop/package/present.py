"""This onnxop's template → the files of a package. They are those of copier, in a fraction of the time.

copier clones the version, loads that version's code a second time, and needs a third of a second to
start. It renders all other versions; tests compare its files with these.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import jinja2
import yaml

from ..code.derive import derive
from .template import ANSWERS, IGNORED, root

_LOOP = re.compile(r"(.*){% yield (\w+) from (.+?) %}(.*){% endyield %}(.*)", re.DOTALL)


def render(version: str, answers: Mapping[str, Any], destination: Path) -> None:
    """Write the package; ``version`` names the template, and ``answers`` are as copier has them.
    Raise `OnnxopError` if the template rejects them.
    """
    context = {
        **answers,
        **derive(answers["specs"], answers["name"], answers["facts"]),
        "_copier_conf": {"answers_file": ANSWERS},
        "_copier_answers": {"_commit": version},
    }
    settings = _settings()
    excluded = {_text(pattern, context) for pattern in settings["_exclude"]}
    start = root() / settings["_subdirectory"]
    for source, target, known in _files(start, PurePosixPath("/"), context):
        if excluded.isdisjoint(map(str, (target, *target.parents))):
            place = destination / target.relative_to("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            if source.name.endswith(settings["_templates_suffix"]):
                template = _environment().get_template(source.relative_to(root()).as_posix())
                place.write_text(template.render(known), encoding="utf-8", newline="")
            else:
                shutil.copyfile(source, place)


@cache
def _settings() -> dict[str, Any]:
    settings: dict[str, Any] = yaml.safe_load((root() / "copier.yml").read_text(encoding="utf-8"))
    return settings


@cache
def _environment() -> jinja2.Environment:
    options = {**_settings()["_envops"], "undefined": jinja2.StrictUndefined}
    return jinja2.Environment(loader=jinja2.FileSystemLoader(root()), **options)


def _text(text: str, context: dict[str, Any]) -> str:
    return _environment().from_string(text).render(context) if "{" in text else text


def _files(
    folder: Path, target: PurePosixPath, context: dict[str, Any]
) -> Iterator[tuple[Path, PurePosixPath, dict[str, Any]]]:
    """Yield each file of the template, its destination, and the context for it."""
    for child in sorted(folder.iterdir()):
        if any(fnmatchcase(child.name, pattern) for pattern in IGNORED):
            continue
        plain = child.name.removesuffix(_settings()["_templates_suffix"])
        for name, known in _names(plain, context):
            if child.is_dir():
                yield from _files(child, target / name, known)
            elif name:
                yield child, target / name, known


def _names(name: str, context: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the names that a part of a path makes: one, or one for each item of copier's loop."""
    if loop := _LOOP.fullmatch(name):
        before, variable, expression, inner, after = loop.groups()
        items: Any = _environment().compile_expression(expression)(**context)
        for item in items:
            known = {**context, variable: item}
            yield _text(before + inner + after, known), known
    else:
        yield _text(name, context), context
