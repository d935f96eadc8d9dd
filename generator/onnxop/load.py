"""op.toml → Spec: reads the file, checks all of it, and raises every problem at once."""

from __future__ import annotations

import builtins
import re
import tomllib
from pathlib import Path as FilePath
from typing import Any

from onnxop import derivatives, document, expression, mapping, names, opsets, tensors
from onnxop import schema as schemas
from onnxop.errors import Path, Problem, Problems, SpecError, did_you_mean, listed
from onnxop.expression import Expression, ExpressionError
from onnxop.positions import Positions, Span, locate
from onnxop.pyexpr import ExpressionProblem
from onnxop.schema import OpSchema
from onnxop.spec import Mapping, Package, Refusal, Spec

_SAMPLE_SHAPE = (1, 3, 10, 10)


def load(path: FilePath) -> Spec:
    """The spec in a file. Raises `SpecError` with all that is wrong with it."""
    text = _read(path)
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError([_broken_toml(path, text, str(error))]) from None
    except RecursionError:
        raise SpecError([f"{path}: the values are nested too deeply"]) from None
    problems = Problems()
    checked = _Checks(tree, problems).spec(text)
    if problems or checked is None:
        raise SpecError(_messages(path, text, problems))
    return checked


def _read(path: FilePath) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise SpecError([f"{path}: no such file; give the path of an op spec in TOML"]) from None
    except IsADirectoryError:
        raise SpecError([f"{path}: is a directory; give the path of an op spec in TOML"]) from None
    except OSError as error:
        raise SpecError([f"{path}: cannot be read: {error.strerror}"]) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError([f"{path}:{line}: not UTF-8; save the file as UTF-8"]) from None


def _broken_toml(path: FilePath, text: str, fact: str) -> str:
    place = re.search(r"\s*\(at line (\d+), column (\d+)\)", fact)
    fact = re.sub(r"\s*\(at .*\)$", "", fact)
    lines = text.split("\n")
    line, column = (int(place[1]), int(place[2])) if place else (len(lines), 1)
    while line > 1 and not lines[line - 1].strip():
        line, column = line - 1, len(lines[line - 2].rstrip()) + 1
    fact = fact[:1].lower() + fact[1:]
    message = f"{path}:{line}: not valid TOML: {fact}; see https://toml.io for the notation"
    return _with_caret(message, text, Span(line, max(column, 1), 1))


def _messages(path: FilePath, text: str, problems: Problems) -> list[str]:
    """The finished messages, in the order of the file."""
    positions = locate(text)
    placed = [(problem, _place(problem, positions)) for problem in problems]
    placed.sort(key=lambda pair: (pair[1].line, pair[1].column) if pair[1] else (0, 0))
    return [_message(path, text, problem, span) for problem, span in placed]


def _place(problem: Problem, positions: Positions) -> Span | None:
    if problem.on_key:
        return positions.key(problem.path) or positions.nearest(problem.path)
    if problem.offset is not None:
        inside = positions.inside(problem.path, problem.offset, problem.length)
        if inside is not None:
            return inside
    return positions.value(problem.path) or positions.nearest(problem.path)


def _message(path: FilePath, text: str, problem: Problem, span: Span | None) -> str:
    where = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in problem.path).lstrip(".")
    line = f":{span.line}" if span else ":1"
    message = f"{path}{line}: {where}: {problem.message}"
    return _with_caret(message, text, span) if span else message


def _with_caret(message: str, text: str, span: Span) -> str:
    lines = text.split("\n")
    if span.line > len(lines):
        return message
    shown = lines[span.line - 1].rstrip("\r")
    if not shown.strip() or len(shown) > 400:
        return message
    indent = "".join("\t" if char == "\t" else " " for char in shown[: span.column - 1])
    carets = "^" * max(1, min(span.length, len(shown) - span.column + 1))
    return f"{message}\n    {shown}\n    {indent}{carets}"


class _Checks:
    """Every check of a TOML tree. Each goes as far as the parts that it needs are sound."""

    def __init__(self, tree: dict[str, Any], problems: Problems) -> None:
        self._tree, self._problems = tree, problems

    def spec(self, text: str) -> Spec | None:
        read = document.read(self._tree, self._problems)
        schema = self._schema()
        lowered = self._mapping(schema)
        elementwise = self._elementwise(schema)
        formulas = self._derivatives(schema)
        samples = self._samples(schema)
        refusals = self._refusals(schema)
        package = self._package(schema)
        doc = self._text("op", "doc") or ""
        self._check_text(("op", "doc"), doc)
        if self._problems or read is None or schema is None or lowered is None:
            return None
        if elementwise is None or package is None:
            return None
        return Spec(
            text=text,
            schema=schema,
            doc=doc.strip() or f"The operator {schema.namespace}::{schema.name}.",
            mapping_text=read.onnx.mapping,
            mapping=lowered,
            elementwise=elementwise,
            derivatives=formulas,
            samples=samples,
            refusals=refusals,
            package=package,
        )

    def _get(self, *path: str) -> Any:
        value: Any = self._tree
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def _text(self, *path: str) -> str | None:
        value = self._get(*path)
        return value if isinstance(value, str) else None

    def _tables(self, name: str) -> list[tuple[Path, dict[str, Any]]]:
        value = self._get(name)
        tables = value if isinstance(value, list) else []
        return [((name, i), table) for i, table in enumerate(tables) if isinstance(table, dict)]

    def _schema(self) -> OpSchema | None:
        text = self._text("op", "schema")
        return None if text is None else schemas.parse(text, self._problems)

    def _mapping(self, schema: OpSchema | None) -> Mapping | None:
        text, opset = self._text("onnx", "mapping"), self._get("onnx", "opset")
        if not isinstance(opset, int) or isinstance(opset, bool):
            return None
        if not opsets.LOWEST <= opset <= opsets.HIGHEST:
            nearest = min(max(opset, opsets.LOWEST), opsets.HIGHEST)
            self._problems.add(
                ("onnx", "opset"),
                f"the exporters write opsets {opsets.LOWEST} to {opsets.HIGHEST}, not {opset}; "
                f"write opset = {nearest}",
            )
            return None
        if text is None or schema is None:
            return None
        try:
            graph = mapping.lower(text, schema, opset)
        except ExpressionProblem as problem:
            self._add(("onnx", "mapping"), problem)
            return None
        last = mapping.last_opset(text, schema, opset)
        dynamo = opsets.since(opsets.DYNAMO, opset, last)
        if opset > opsets.DYNAMO.start or last < opsets.DYNAMO.start:
            dynamo_opset = opset
        else:
            dynamo_opset = opsets.DYNAMO.start
        return Mapping(
            torchscript=opsets.since(opsets.TORCHSCRIPT, opset, last),
            torchscript_graph=graph,
            dynamo=dynamo,
            dynamo_opset=dynamo_opset,
            dynamo_graph=mapping.lower(text, schema, dynamo_opset),
        )

    def _add(self, path: Path, problem: ExpressionProblem | ExpressionError) -> None:
        self._problems.add(path, problem.message, offset=problem.offset, length=problem.length)

    def _elementwise(self, schema: OpSchema | None) -> Expression | None:
        path: Path = ("kernel", "elementwise")
        text = self._text("kernel", "elementwise")
        if text is None:
            return None
        try:
            parsed = expression.parse(text)
        except ExpressionError as error:
            self._add(path, error)
            return None
        if schema is None:
            return parsed
        known = [argument.name for argument in schema.arguments]
        for name, offset in expression.names(parsed).items():
            if name not in known:
                hint = did_you_mean(name, known) or f"; its arguments: {listed(known)}"
                self._problems.add(
                    path,
                    f"the schema has no argument {name}{hint}",
                    offset=offset,
                    length=len(name),
                )
        for argument in schema.arguments:
            if argument.name in expression.FUNCTIONS:
                self._problems.add(
                    ("op", "schema"),
                    f"the argument name {argument.name} is a function of <cmath>; rename it",
                )
        return parsed

    def _derivatives(self, schema: OpSchema | None) -> dict[str, derivatives.Formula | None] | None:
        table = self._get("autograd")
        if not isinstance(table, dict) or schema is None:
            return None
        formulas: dict[str, derivatives.Formula | None] = {}
        tensor_names = [argument.name for argument in schema.tensors]
        for name, text in table.items():
            if name not in tensor_names:
                is_scalar = any(argument.name == name for argument in schema.scalars)
                fact = (
                    f"{name} is no tensor, and only tensors have gradients; remove the line"
                    if is_scalar
                    else f"the schema has no argument {name}"
                    f"{did_you_mean(name, tensor_names) or '; tensors: ' + listed(tensor_names)}"
                )
                self._problems.add(("autograd", name), fact, on_key=True)
            elif isinstance(text, str):
                try:
                    formulas[name] = derivatives.parse(text, schema)
                except ExpressionProblem as problem:
                    self._add(("autograd", name), problem)
        return formulas

    def _samples(self, schema: OpSchema | None) -> tuple[dict[str, tensors.SampleValue], ...]:
        if schema is None:
            return ()
        tables = self._tables("samples")
        if tables:
            return tuple(
                tensors.read_sample(table, schema, path, self._problems) for path, table in tables
            )
        required = [argument.name for argument in schema.scalars if not argument.has_default]
        if required:
            self._problems.add(
                ("samples",),
                f"missing; {listed(required)} {'has' if len(required) == 1 else 'have'} no "
                "default, so write a [[samples]] table with a line for each argument",
                on_key=True,
            )
        drawn = tensors.RandomTensor("float32", _SAMPLE_SHAPE)
        return ({argument.name: drawn for argument in schema.tensors},)

    def _refusals(self, schema: OpSchema | None) -> tuple[Refusal, ...]:
        found: list[Refusal] = []
        for path, table in self._tables("errors"):
            raises, match = table.get("raises"), table.get("match", "")
            kind = getattr(builtins, raises, None) if isinstance(raises, str) else None
            if not (isinstance(kind, type) and issubclass(kind, Exception)):
                fact = "missing" if raises is None else f"{raises!r} is no exception of Python's"
                known = [n for n in dir(builtins) if n.endswith("Error")]
                hint = did_you_mean(str(raises), known) if raises is not None else ""
                self._problems.add(
                    (*path, "raises"),
                    f"{fact}{hint or '; write raises = ' + chr(34) + 'RuntimeError' + chr(34)}",
                    on_key=raises is None,
                )
            if not isinstance(match, str) or not _is_regex(match):
                self._problems.add(
                    (*path, "match"), "not a regular expression; write a part of the message"
                )
            if schema is not None:
                values = tensors.read_error(table, schema, path, self._problems)
                found.append(Refusal(values, str(raises), str(match)))
        return tuple(found)

    def _package(self, schema: OpSchema | None) -> Package | None:
        version = self._text("package", "version") or "0.1.0"
        description = self._text("package", "description")
        licence = self._text("package", "license") or ""
        raw_authors = self._get("package", "authors")
        authors = [a for a in raw_authors if isinstance(a, str)] if raw_authors else []
        self._check_metadata(version, licence, authors)
        for key, text in (("description", description), *(("authors", a) for a in authors)):
            self._check_text(("package", key), text or "", one_line=True)
        name = self._text("package", "name")
        if name is None and schema is None:
            return None
        given = name is not None
        name = name if name is not None else (schema.name if schema else "")
        if why := names.problem_with_package(name):
            self._problems.add(
                ("package", "name") if given else ("op", "schema"),
                f"the package name {name!r} {why}; "
                + ("choose another" if given else "choose another under [package] name"),
            )
        if schema is None:
            return None
        what = f"{schema.namespace}::{schema.name}"
        default = f"The operator {what} for PyTorch, ONNX and ONNX Runtime."
        return Package(name, version, description or default, licence, tuple(authors))

    def _check_metadata(self, version: str, licence: str, authors: list[str]) -> None:
        from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
        from packaging.version import InvalidVersion, Version

        try:
            Version(version)
        except InvalidVersion:
            self._problems.add(
                ("package", "version"), f'{version!r} is no version (PEP 440); write "0.1.0", say'
            )
        if licence:
            try:
                canonicalize_license_expression(licence)
            except InvalidLicenseExpression:
                self._problems.add(
                    ("package", "license"),
                    f'{licence!r} is no SPDX licence expression; write "MIT", say',
                )
        for position, author in enumerate(authors):
            if not re.fullmatch(r"[^<>@]*[^<>@\s][^<>@]*(<[^<>\s]+@[^<>\s]+>)?\s*", author):
                self._problems.add(
                    ("package", "authors", position),
                    'write "Name" or "Name <mail@example.org>"',
                )

    def _check_text(self, path: Path, text: str, *, one_line: bool = False) -> None:
        allowed = "" if one_line else "\n\t\r"
        bad = [c for c in text if not c.isprintable() and c not in allowed]
        if bad:
            what = "line breaks or control characters" if one_line else "control characters"
            self._problems.add(path, f"holds {what} ({bad[0]!r}); remove them")


def _is_regex(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True
