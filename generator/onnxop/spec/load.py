"""op.toml → Spec: reads the file, checks all of it, and raises every problem at once."""

from __future__ import annotations

import builtins
import re
import tomllib
import warnings
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Any

from ..errors import Path, Problem, Problems, SpecError, did_you_mean, listed, shown
from ..kernel import kernels
from ..kernel.kinds import INTEGERS, Elementwise, is_boolean, kernel_dtypes
from ..mapping import lowering as mapping
from ..mapping import onnxdefs, opsets
from ..schema import signature as schemas
from ..schema.signature import OpSchema
from ..words import names
from ..words.pyexpr import ExpressionProblem, ExpressionProblems
from . import derivatives, document, tensors, trial
from .model import Mapping, Package, Refusal, Spec
from .positions import Positions, Span, locate, stopping_point

_MAX_BYTES = 1_000_000
_MAX_TEXT, _MAX_LINE = 10_000, 500  # characters of free text
_MAX_TABLES = 1000  # of samples, and of errors
_MAX_WORDS = 800  # characters of a message


def load(path: FilePath) -> Spec:
    """The spec in a file. Raises `SpecError` with all that is wrong with it."""
    return parse(_read(path).replace("\r\n", "\n"), path)


def parse(text: str, path: FilePath = FilePath("op.toml")) -> Spec:
    """The spec in a text. Raises `SpecError` with all that is wrong with it.

    ``path`` is what messages call it; a kernel's source may lie beside it.
    """
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SpecError([_broken_toml(path, text, str(error))]) from None
    except (ValueError, RecursionError) as error:
        fact = "values are nested too deeply"
        if isinstance(error, ValueError):
            fact = "an integer has too many digits"
        raise SpecError([f"{path}:1: not readable: {fact}; write a smaller spec"]) from None
    problems = Problems()
    checked = _Checks(tree, problems, path.parent).spec(text)
    if problems or checked is None:
        raise SpecError(_messages(path, text, problems))
    return checked


def _read(path: FilePath) -> str:
    try:
        if not path.is_file() and path.exists() and not path.is_dir():
            raise SpecError([f"{path}: is no plain file; give the path of an op spec in TOML"])
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        raise SpecError([f"{path}: no such file; give the path of an op spec in TOML"]) from None
    except IsADirectoryError:
        raise SpecError([f"{path}: is a directory; give the path of an op spec in TOML"]) from None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        fact = error.strerror if isinstance(error, OSError) else str(error)
        raise SpecError(
            [f"{path}: cannot be read: {fact}; give the path of an op spec in TOML"]
        ) from None
    if len(data) > _MAX_BYTES:
        raise SpecError([f"{path}: has more than {_MAX_BYTES} bytes; give an op spec in TOML"])
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError([f"{path}:{line}: not UTF-8; save the file as UTF-8"]) from None


def _broken_toml(path: FilePath, text: str, error: str) -> str:
    place = re.search(r"\s*\(at line (\d+), column (\d+)\)", error)
    fact = re.sub(r"\s*\(at .*\)$", "", error)
    lines = text.split("\n")
    line, column = (int(place[1]), int(place[2])) if place else (len(lines), 1)
    if stop := (None if place else stopping_point(text)):
        line, column = stop.line, stop.column
    while line > 1 and not lines[line - 1].strip():
        line, column = line - 1, len(lines[line - 2].rstrip()) + 1
    remedy = next(
        (remedy for known, remedy in _TOML_REMEDIES.items() if known in fact),
        "see https://toml.io for the notation",
    )
    fact = re.sub(r"\(('[^()]*)\)", lambda m: ".".join(re.findall(r"'([^']*)'", m[1])), fact)
    if fact in ("Illegal character '\\n'", "Illegal character '\\r'"):
        fact = "a string does not end on its line"
    if re.search("overwrite|declare|redefine|mutate", fact):  # said once the statement is read
        column = len(lines[line - 1]) - len(lines[line - 1].lstrip()) + 1
    fact = fact[:1].lower() + fact[1:]
    message = f"{path}:{line}: not valid TOML: {fact}; {remedy}"
    return _with_caret(message, lines, Span(line, max(column, 1), 1))


# Keyed by what tomllib says.
_TOML_REMEDIES = {
    "Illegal character '\\n'": "end the string with a quote on its line, or write three quotes at "
    "both ends",
    "Illegal character '\\r'": "end the string with a quote on its line, or write three quotes at "
    "both ends",
    "Illegal character": "remove it, or write it as an escape such as \\u0000 in double quotes",
    "Unterminated string": "end the string with the quotes that begin it",
    "Expected \"'": "end the string with the quotes that begin it",
    "Expected '\"": "end the string with the quotes that begin it",
    "Unescaped": "write \\\\ for a backslash, or put the string in single quotes",
    "Invalid hex value": "write \\u and four hexadecimal digits",
    "not a Unicode scalar": "write the character itself",
    "Cannot overwrite a value": "the key is given twice, here for the second time: remove one",
    "Duplicate inline table key": "remove one of the two",
    "twice": "put the lines of both under one header",
    "Cannot mutate immutable": "the table or array is complete already: add to it where it begins",
    "Cannot redefine": "the name is in use already: rename or remove one of the two",
    "Expected '=' after a key": 'write key = value, and text in quotes: doc = "2a + b"',
    "Expected newline or end": "write one key = value a line, and text in quotes",
    "Expected ']": "close the header's brackets: [op], or [[samples]]",
    "Invalid initial character": "write key = value, the key of letters, digits, _ and -",
    "Invalid statement": "write a header such as [op], or key = value",
    "Unclosed array": "close the array with ]",
    "Unclosed inline table": "close the table with }",
    "Invalid date": "write text in quotes",
    "Invalid value": "write a number, true, false, [ ... ], { ... }, or text in quotes",
}


def _messages(path: FilePath, text: str, problems: Problems) -> list[str]:
    """The finished messages, in the order of the file."""
    positions = locate(text)
    placed = [(problem, _place(problem, positions)) for problem in problems]
    placed.sort(key=lambda pair: (pair[1].line, pair[1].column) if pair[1] else (0, 0))
    lines = text.split("\n")
    return [_message(path, lines, problem, span) for problem, span in placed]


def _place(problem: Problem, positions: Positions) -> Span | None:
    if problem.on_key:
        return positions.key(problem.path) or positions.nearest(problem.path)
    if problem.offset is not None:
        inside = positions.inside(problem.path, problem.offset, problem.length)
        if inside is not None:
            return inside
    return positions.value(problem.path) or positions.nearest(problem.path)


def _message(path: FilePath, lines: list[str], problem: Problem, span: Span | None) -> str:
    where = "".join(f"[{p}]" if isinstance(p, int) else f".{_key(p)}" for p in problem.path)[1:]
    line = f":{span.line}" if span else ":1"
    words = "".join(char if char.isprintable() else repr(char)[1:-1] for char in problem.message)
    words = words if len(words) <= _MAX_WORDS else f"{words[: _MAX_WORDS - 3]}..."
    message = f"{path}{line}: {where}: {words}"
    return _with_caret(message, lines, span) if span else message


def _key(word: str) -> str:
    """The key as TOML would have it, cut where it is long."""
    if re.fullmatch(r"[A-Za-z0-9_-]{1,60}", word):
        return word
    return shown(word)


def _with_caret(message: str, lines: list[str], span: Span) -> str:
    if span.line > len(lines):
        return message
    line = lines[span.line - 1].rstrip("\r")
    if not line.strip() or len(line) > 400:
        return message
    line = "".join(char if char.isprintable() or char == "\t" else "\ufffd" for char in line)
    indent = "".join("\t" if char == "\t" else " " for char in line[: span.column - 1])
    carets = "^" * max(1, min(span.length, len(line) - span.column + 1))
    return f"{message}\n    {line}\n    {indent}{carets}"


class _Checks:
    """Every check of a TOML tree. Each goes as far as the parts that it needs are sound."""

    def __init__(self, tree: dict[str, Any], problems: Problems, folder: FilePath) -> None:
        self._tree, self._problems, self._folder = tree, problems, folder

    def spec(self, text: str) -> Spec | None:
        read = document.read(self._tree, self._problems)
        schema = self._schema()
        outline = schema or schemas.outline(self._text("op", "schema") or "")
        lowered = self._mapping(outline)
        self._check_node(schema)
        kernel = kernels.read(self._tree, outline, self._folder, self._problems)
        if schema is not None:
            self._check_kernel_is_there(schema)
        formulas = self._derivatives(outline)
        samples = self._samples(outline, is_sound=schema is not None)
        if schema is not None and isinstance(kernel, Elementwise) and not self._problems:
            self._check_sample_dtypes(samples, kernel_dtypes(kernel.expression, schema))
            self._check_sample_scalars(samples, schema)
            self._check_truth_value(
                is_boolean(kernel.expression, schema), formulas or {}, lowered, samples
            )
        if schema is not None and lowered is not None and not self._problems:
            self._check_in_onnx(schema, lowered, samples)
        refusals = self._refusals(outline)
        package = self._package(schema)
        doc = self._text("op", "doc") or ""
        self._check_text(("op", "doc"), doc)
        if self._problems or read is None or schema is None or lowered is None:
            return None
        if package is None:
            return None
        return Spec(
            text=text,
            schema=schema,
            doc=doc.strip() or f"The operator {schema.namespace}::{schema.name}.",
            mapping_text=read.onnx.mapping or "",
            mapping=lowered,
            kernel=kernel,
            derivatives=formulas,
            samples=samples,
            refusals=refusals,
            package=package,
            requires=self._requires(),
            default_domain=read.onnx.domain,
            op_type=read.onnx.op_type or schema.name,
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
        if len(tables) > _MAX_TABLES:
            self._problems.add(
                (name,),
                f"there are {len(tables)} tables, each of which is a test of its own; write at most "
                f"{_MAX_TABLES}",
                on_key=True,
            )
            tables = tables[:_MAX_TABLES]
        return [((name, i), table) for i, table in enumerate(tables) if isinstance(table, dict)]

    def _schema(self) -> OpSchema | None:
        text = self._text("op", "schema")
        return None if text is None else schemas.parse(text, self._problems, self._requires())

    def _requires(self) -> tuple[str, ...]:
        """The modules of ``[op] requires``; what else stands there is noted with the tables."""
        modules = self._get("op", "requires")
        modules = [modules] if isinstance(modules, str) else modules
        return tuple(m for m in modules if isinstance(m, str)) if isinstance(modules, list) else ()

    def _opset(self) -> int | None:
        """The opset, or None once it is noted that the exporters do not write it."""
        opset = self._get("onnx", "opset")
        if opset is None and self._text("onnx", "mapping") is not None:
            self._problems.add(
                ("onnx", "opset"),
                "missing; add opset = 13",
                on_key=True,
            )
        if not isinstance(opset, int) or isinstance(opset, bool):
            return None  # noted with the tables
        if opsets.LOWEST <= opset <= opsets.HIGHEST:
            return opset
        nearest = min(max(opset, opsets.LOWEST), opsets.HIGHEST)
        self._problems.add(
            ("onnx", "opset"),
            f"the exporters write opsets {opsets.LOWEST} to {opsets.HIGHEST}, not "
            f"{shown(opset, 20)}; write opset = {nearest}",
        )
        return None

    def _mapping(self, schema: OpSchema | None) -> Mapping | None:
        text, opset = self._text("onnx", "mapping"), self._opset()
        if text is None:
            return self._no_mapping()
        path: Path = ("onnx", "mapping")
        try:
            graph = mapping.lower(text, schema, opset or opsets.HIGHEST)
        except ExpressionProblems as error:
            for problem in error.problems:
                self._add(path, problem)
            return None
        if opset is None or schema is None or self._problems:
            return None
        dynamo_opset = max(opset, opsets.DYNAMO.start)
        dynamo = range(0)
        with suppress(ExpressionProblems):
            mapping.lower(text, schema, dynamo_opset)
            last = mapping.last_opset(text, schema, dynamo_opset, converts=True)
            if mapping.keeps_meaning(graph, opset, dynamo_opset):
                dynamo = opsets.since(opsets.DYNAMO, dynamo_opset, last)
        last = mapping.last_opset(text, schema, opset)
        last = opset - 1 if mapping.torchscript_lacks(graph) else last
        return Mapping(
            torchscript=opsets.since(opsets.TORCHSCRIPT, opset, last),
            dynamo=dynamo,
            dynamo_opset=dynamo_opset if dynamo else opset,
            bodies=mapping.bodies(text, schema, opset),
        )

    def _no_mapping(self) -> Mapping | None:
        """A node alone, for an engine's own plugin: it needs a domain, and no opset."""
        table = self._get("onnx")
        if not isinstance(table, dict) or "mapping" in table:
            return None  # noted with the tables
        if self._text("onnx", "domain"):
            return Mapping()
        self._problems.add(
            ("onnx", "mapping"),
            'missing; add mapping = "op.Add(op.Mul(a, 2.0), b)", or domain = "my_lib" for one node '
            "of a domain of your own",
            on_key=True,
        )
        return None

    def _check_node(self, schema: OpSchema | None) -> None:
        """The domain and the op type of the operator as one node."""
        domain, op_type = self._text("onnx", "domain"), self._text("onnx", "op_type")
        if domain and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}", domain):
            self._problems.add(
                ("onnx", "domain"),
                f"{shown(domain)} is no domain; write letters, digits, _ and ., as in my_lib",
            )
        elif domain and re.fullmatch(r"(ai\.onnx|com\.microsoft)(\..*)?|aten|prim|onnx", domain):
            self._problems.add(
                ("onnx", "domain"),
                f"the domain {domain} is not yours; choose another, such as my_lib, or remove the "
                "line for standard nodes",
            )
        if op_type is not None and (why := names.problem_with(op_type)):
            self._problems.add(
                ("onnx", "op_type"), f"the op type {shown(op_type)} {why}; choose another"
            )
        name = op_type or (schema.name if schema else "")
        if onnxdefs.is_op(name):
            self._problems.add(
                ("onnx", "op_type") if op_type else ("op", "schema"),
                f"{name} is an op of ONNX, for which runtimes take a node of that type in any "
                f'domain; write op_type = "{name}Op" under [onnx], say',
                offset=None if op_type else (self._text("op", "schema") or "").find("::") + 2,
                length=len(name),
            )

    def _add(self, path: Path, problem: ExpressionProblem) -> None:
        self._problems.add(path, problem.message, offset=problem.offset, length=problem.length)

    def _check_kernel_is_there(self, schema: OpSchema) -> None:
        """An operator that PyTorch lacks needs a kernel; one that it has differentiates itself."""
        known = document.keys_of(())
        if any(did_you_mean(key, known).endswith(" kernel?") for key in {*self._tree} - {*known}):
            return  # the table is there but misspelt, which is noted
        if "kernel" in self._tree:
            if schema.exists and (why := schemas.problem_with_self(schema.arguments)):
                self._problems.add(("kernel",), f"{why}; remove the table", on_key=True)
            return
        if not schema.exists:
            self._problems.add(
                ("kernel",),
                f"missing; PyTorch has no operator {schema.namespace}::{schema.name}, so add "
                'elementwise = "2 * a + b", source = "kernel.h" or python = "2 * a + b" under '
                "[kernel]",
                on_key=True,
            )
        elif self._get("autograd"):
            self._problems.add(
                ("autograd",),
                "PyTorch has gradients of its own operators; remove the table, or add a [kernel] "
                "that they belong to",
                on_key=True,
            )

    def _derivatives(self, schema: OpSchema | None) -> dict[str, derivatives.Formula | None] | None:
        table = self._get("autograd")
        if not isinstance(table, dict):
            return None
        formulas: dict[str, derivatives.Formula | None] = {}
        for name, text in table.items():
            if schema is not None:
                self._check_gradient_name(name, schema)
            if isinstance(text, str):
                try:
                    formulas[name] = derivatives.parse(text, schema)
                except ExpressionProblems as error:
                    for problem in error.problems:
                        self._add(("autograd", name), problem)
        return formulas

    def _check_gradient_name(self, name: str, schema: OpSchema) -> None:
        names = [argument.name for argument in schema.arguments]
        tensor_names = [
            argument.name
            for argument in schema.arguments
            if argument.is_tensor or argument.type == schemas.UNKNOWN_TYPE
        ]
        if name in tensor_names:
            return
        fact = f"{name} is no tensor, and only tensors have gradients; remove the line"
        if name not in names:
            hint = did_you_mean(name, tensor_names) or f"; tensors: {listed(tensor_names)}"
            fact = f"the schema has no argument {name}{hint}"
        self._problems.add(("autograd", name), fact, on_key=True)

    def _samples(
        self, schema: OpSchema | None, *, is_sound: bool
    ) -> tuple[dict[str, tensors.SampleValue], ...]:
        tables = self._tables("samples")
        is_elementwise = self._get("kernel", "elementwise") is not None
        if tables:
            return tuple(
                tensors.read_sample(
                    table, schema, path, self._problems, is_elementwise=is_elementwise
                )
                for path, table in tables
            )
        if schema is None or not is_sound:
            return ()
        required = [a.name for a in schema.scalars if not (a.has_default or a.is_optional)]
        if required:
            self._problems.add(
                ("samples",),
                f"missing; {listed(required)} {'has' if len(required) == 1 else 'have'} no "
                "default, so write a [[samples]] table with a line for each argument",
                on_key=True,
            )
        return (tensors.default_sample(schema, is_elementwise=is_elementwise),)

    def _check_in_onnx(
        self,
        schema: OpSchema,
        lowered: Mapping,
        samples: tuple[dict[str, tensors.SampleValue], ...],
    ) -> None:
        """Notes what ONNX refuses of the mapping for the samples, once all else is sound."""
        text, opset = self._text("onnx", "mapping"), self._opset()
        if lowered.is_given and text is not None and opset is not None:
            are_given = bool(self._get("samples"))
            for problem in trial.problems(text, schema, opset, samples, are_given=are_given):
                self._add(("onnx", "mapping"), problem)

    def _check_sample_dtypes(
        self, samples: tuple[dict[str, tensors.SampleValue], ...], dtypes: tuple[str, ...]
    ) -> None:
        for position, sample in enumerate(samples):
            for name, value in sample.items():
                if value.dtype and value.dtype not in dtypes:
                    self._problems.add(
                        ("samples", position, name),
                        f"the kernel does not compute with {value.dtype}; write one of "
                        f"{listed(dtypes)}",
                    )

    def _check_sample_scalars(
        self, samples: tuple[dict[str, tensors.SampleValue], ...], schema: OpSchema
    ) -> None:
        """PyTorch computes integers and a float in another dtype, which no kernel gives."""
        for position, sample in enumerate(samples):
            dtypes = {value.dtype for value in sample.values()} & {*INTEGERS}
            for argument in schema.scalars:
                value = sample.get(argument.name)
                is_float = isinstance(argument.default, float)
                if isinstance(value, tensors.Literal):
                    is_float = not re.fullmatch("-?[0-9]+|True|False", value.expression)
                if dtypes and argument.kind == "Scalar" and is_float:
                    self._problems.add(
                        ("samples", position, argument.name),
                        f"{argument.name} is a float, but the tensors are of {dtypes.pop()}, and "
                        "the result would be of another dtype; write an integer, or tensors of "
                        "float32",
                    )

    def _check_truth_value(
        self,
        is_boolean: bool,
        formulas: dict[str, derivatives.Formula | None],
        lowered: Mapping | None,
        samples: tuple[dict[str, tensors.SampleValue], ...],
    ) -> None:
        """What else the spec says of an elementwise result must hold where it is a truth value."""
        for name, formula in formulas.items():
            if is_boolean and formula:
                self._problems.add(
                    ("autograd", name),
                    "the expression is a truth value, which has no gradient; remove the line",
                    on_key=True,
                )
        graph = lowered.graph if lowered and lowered.is_given else None
        kind = graph.type_of_result(0) if graph else None
        if kind is None:
            return
        # Of bool tensors, a number is a truth value, too.
        dtypes = {value.dtype for sample in samples for value in sample.values()} - {""}
        like_bool = bool(kind.like) and dtypes == {"bool"}
        if is_boolean and kind.fixed != "BOOL" and not like_bool:
            given = kind.fixed or f"the dtype of {kind.like}"
            self._problems.add(
                ("onnx", "mapping"),
                f"the expression of [kernel] is a truth value, but the mapping gives {given}; "
                "write op.Cast(..., to=9) around it, or 1 * (...) around the expression",
            )
        elif not is_boolean and kind.fixed == "BOOL" and dtypes != {"bool"}:
            self._problems.add(
                ("onnx", "mapping"),
                "the mapping gives BOOL, but the expression of [kernel] is a number; write it as "
                "a comparison, or op.CastLike(..., a) around the mapping",
            )

    def _refusals(self, schema: OpSchema | None) -> tuple[Refusal, ...]:
        found: list[Refusal] = []
        for path, table in self._tables("errors"):
            raises, match = table.get("raises"), table.get("match", "")
            kind = getattr(builtins, raises, None) if isinstance(raises, str) else None
            if not (isinstance(kind, type) and issubclass(kind, Exception)):
                fact = (
                    "missing" if raises is None else f"{shown(raises)} is no exception of Python's"
                )
                known = [n for n in dir(builtins) if n.endswith("Error")]
                hint = did_you_mean(raises, known) if isinstance(raises, str) else ""
                self._problems.add(
                    (*path, "raises"),
                    f"{fact}{hint or '; write raises = ' + chr(34) + 'RuntimeError' + chr(34)}",
                    on_key=raises is None,
                )
            if not isinstance(match, str) or not _is_regex(match):
                self._problems.add(
                    (*path, "match"),
                    f"{shown(match)} is no regular expression; write a part of the message",
                )
            values = tensors.read_error(table, schema, path, self._problems)
            if isinstance(raises, str) and isinstance(match, str):
                found.append(Refusal(values, raises, match))
        return tuple(found)

    def _package(self, schema: OpSchema | None) -> Package | None:
        version = self._text("package", "version") or "0.1.0"
        description = self._text("package", "description")
        licence = self._text("package", "license") or ""
        raw_authors = self._get("package", "authors")
        authors = raw_authors if isinstance(raw_authors, list) else []
        self._check_metadata(version, licence, authors)
        self._check_text(("package", "description"), description or "", one_line=True)
        name = self._text("package", "name")
        if name is None and schema is None:
            return None
        given = name is not None
        name = name if name is not None else (schema.name if schema else "")
        if why := names.problem_with_package(name, self._requires()):
            self._problems.add(
                ("package", "name") if given else ("op", "schema"),
                f"the package name {name!r} {why}; "
                + ("choose another" if given else "choose another under [package] name"),
                offset=None if given else (self._text("op", "schema") or "").find("::") + 2,
                length=len(name),
            )
        if schema is None:
            return None
        what = f"{schema.namespace}::{schema.name}"
        default = f"The operator {what} for PyTorch, ONNX and ONNX Runtime."
        return Package(name, version, description or default, licence, tuple(authors))

    def _check_metadata(self, version: str, licence: str, authors: list[Any]) -> None:
        from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
        from packaging.version import InvalidVersion, Version

        for key, text in (("version", version), ("license", licence)):
            self._check_text(("package", key), text, one_line=True)
        try:
            Version(version[:_MAX_LINE])
        except InvalidVersion:
            self._problems.add(
                ("package", "version"),
                f'{shown(version)} is no version (PEP 440); write "0.1.0", say',
            )
        if licence:
            try:
                canonicalize_license_expression(licence[:_MAX_LINE])
            except InvalidLicenseExpression:
                self._problems.add(
                    ("package", "license"),
                    f'{shown(licence)} is no SPDX licence expression; write "MIT", say',
                )
        for position, author in enumerate(authors):
            path: Path = ("package", "authors", position)
            if not isinstance(author, str):
                continue  # noted with the tables
            self._check_text(path, author, one_line=True)
            if not re.fullmatch(
                r"(?=\s*[^<>@\s])[^<>@]+(<[^<>\s@]+@[^<>\s@]+>)?\s*", author[:_MAX_LINE]
            ):
                self._problems.add(
                    path, f'{shown(author)} is no author; write "Name" or "Name <mail@example.org>"'
                )

    def _check_text(self, path: Path, text: str, *, one_line: bool = False) -> None:
        limit = _MAX_LINE if one_line else _MAX_TEXT
        if len(text) > limit:
            self._problems.add(path, f"has more than {limit} characters; write less")
        allowed = "" if one_line else "\n\t\r"
        bad = [c for c in text if not c.isprintable() and c not in allowed]
        if bad:
            what = "line breaks or control characters" if one_line else "control characters"
            self._problems.add(path, f"holds {what} ({bad[0]!r}); remove them")


def _is_regex(text: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
