"""This onnxop's own template → the files of a package: what copier makes of it, in a fraction of the time.

copier needs a clone of the version, loads that version's code beside what is loaded, and a third of a
second before it begins. It renders all other versions, and its files are held against these by tests.
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
    """Writes the package; ``version`` is what the template is called, and ``answers`` as copier's.

    Raises:
        OnnxopError: the template refuses the answers.
    """
    _template().render(
        {
            **answers,
            **derive(answers["specs"], answers["name"], answers["facts"]),
            "_copier_conf": {"answers_file": ANSWERS},
            "_copier_answers": {"_commit": version},
        },
        destination,
    )


@cache
def _template() -> _Template:
    return _Template()


def _compiled() -> jinja2.FileSystemBytecodeCache | None:
    """What earlier processes of this user made of the templates, a third of the time of writing a
    package; None where no folder is the user's alone.
    """
    try:
        return jinja2.FileSystemBytecodeCache()
    except (RuntimeError, OSError):
        return None


class _Template:
    """What `copier.yml` says of the template."""

    def __init__(self) -> None:
        settings = yaml.safe_load((root() / "copier.yml").read_text(encoding="utf-8"))
        options = dict(settings["_envops"])
        assert options.pop("undefined") == "jinja2.StrictUndefined"
        self._folder = root() / settings["_subdirectory"]
        self._suffix: str = settings["_templates_suffix"]
        self._exclude: list[str] = settings["_exclude"]
        loader = jinja2.FileSystemLoader(root())
        self._jinja = jinja2.Environment(
            loader=loader,
            bytecode_cache=_compiled(),
            undefined=jinja2.StrictUndefined,
            **options,
        )

    def render(self, context: dict[str, Any], destination: Path) -> None:
        patterns = [self._text(pattern, context) for pattern in self._exclude]
        left_out = [pattern for pattern in patterns if pattern]
        for source, target, known in self._files(self._folder, PurePosixPath("/"), context):
            if any(
                fnmatchcase(str(place), p) for p in left_out for place in (target, *target.parents)
            ):
                continue
            place = destination / target.relative_to("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            if source.name.endswith(self._suffix):
                name = source.relative_to(root()).as_posix()
                text = self._jinja.get_template(name).render(known)
                place.write_text(text, encoding="utf-8", newline="")
            else:
                shutil.copyfile(source, place)

    def _files(
        self, folder: Path, target: PurePosixPath, context: dict[str, Any]
    ) -> Iterator[tuple[Path, PurePosixPath, dict[str, Any]]]:
        """Each file of the template, where it goes, and what it sees."""
        for child in sorted(folder.iterdir()):
            if any(fnmatchcase(child.name, pattern) for pattern in IGNORED):
                continue
            named = child.name if child.is_dir() else child.name.removesuffix(self._suffix)
            for name, known in self._names(named, context):
                if child.is_dir():
                    yield from self._files(child, target / name, known)
                elif name:
                    yield child, target / name, known

    def _names(self, name: str, context: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The names that a part of a path stands for: copier's loop gives any number."""
        if found := _LOOP.fullmatch(name):
            before, variable, expression, each, after = found.groups()
            items: Any = self._jinja.compile_expression(expression)(**context)
            for item in items:
                known = {**context, variable: item}
                yield self._text(before + each + after, known), known
        else:
            yield self._text(name, context), context

    def _text(self, text: str, context: dict[str, Any]) -> str:
        return self._jinja.from_string(text).render(context) if "{" in text else text
