"""Spec file → Spec: reads the file, checks all of it, and raises every problem at once."""

from __future__ import annotations

import builtins
import re
import warnings
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Any

from ..errors import Path, Problems, SpecError, did_you_mean, listed, shown
from ..kernel import kernels
from ..kernel.kinds import INTEGERS, Elementwise, is_boolean, kernel_dtypes
from ..mapping import lowering as mapping
from ..mapping import onnxdefs, opsets
from ..mapping.graph import Omitted
from ..schema import signature as schemas
from ..schema.argument_list import problem_with_self
from ..schema.signature import OpSchema
from ..words import names
from ..words.pyexpr import ExpressionProblem, ExpressionProblems
from . import derivatives, document, metadata, source, trial
from .model import Mapping, Refusal, Spec
from .samples import default_sample, read_error, read_sample
from .tensors import Literal, SampleValue

_MAX_TABLES = 1000  # of samples, and of errors


def load(path: FilePath) -> Spec:
    """The spec in a file. Raises `SpecError` with all that is wrong with it."""
    return parse(source.read(path), path)


def parse(text: str, path: FilePath = FilePath("op.toml")) -> Spec:
    """The spec in a text. Raises `SpecError` with all that is wrong with it.

    ``path`` is what messages call it; a kernel's source may lie beside it.
    """
    problems = Problems()
    spec = check(text, path, problems)
    if problems or spec is None:
        raise SpecError(source.messages(path, text, problems))
    return spec


def check(
    text: str, path: FilePath, problems: Problems, *, names_package: bool = True
) -> Spec | None:
    """The spec in a text, or None once its problems are noted.

    ``names_package``: the package is called after the operator unless the spec says another name.

    Raises:
        SpecError: the text is no TOML.
    """
    checks = _Checks(source.tree(path, text), problems, path.parent)
    return checks.spec(text, names_package=names_package)


class _Checks:
    """Every check of a TOML tree. Each goes as far as the parts that it needs are sound."""

    def __init__(self, tree: dict[str, Any], problems: Problems, folder: FilePath) -> None:
        self._tree, self._problems, self._folder = tree, problems, folder

    def spec(self, text: str, *, names_package: bool) -> Spec | None:
        read = document.read(self._tree, self._problems)
        schema = self._schema()
        outline = schema or schemas.outline(self._text("op", "schema") or "")
        lowered = self._mapping(outline)
        self._check_node(schema)
        self._check_decomposed(schema)
        if lowered is not None and schema is not None:
            self._check_can_be_node(schema, lowered)
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
            lowered = self._in_onnx(schema, lowered, samples)
        refusals = self._refusals(outline)
        package = metadata.read(
            self._tree, schema, self._requires(), self._problems, names_package=names_package
        )
        doc = self._text("op", "doc") or ""
        metadata.check_text(("op", "doc"), doc, self._problems)
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
            autocast=(read.kernel.autocast or "") if read.kernel else "",
            version=read.onnx.version,
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
        if text is None:
            return None
        schema = schemas.parse(text, self._problems, self._requires())
        named = re.findall(r"\w+", self._text("onnx", "mapping") or "")
        return schema and schema.taking({*named})

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
        for problem in mapping.problems_of_choices(text, schema, opset) if graph.choices else ():
            self._add(path, problem)
        if self._problems:
            return None
        bodies = mapping.bodies(text, schema, opset)
        dynamo_opset = max(opset, opsets.DYNAMO.start)
        dynamo = range(0)
        with suppress(ExpressionProblems):
            mapping.lower(text, schema, dynamo_opset)
            last = mapping.last_opset(text, schema, dynamo_opset, converts=True)
            if graph.choices or mapping.keeps_meaning(graph, opset, dynamo_opset):
                dynamo = opsets.since(opsets.DYNAMO, dynamo_opset, last)
        is_one = all(form.choices == graph.choices for _, form in bodies)
        last = mapping.last_opset(text, schema, opset) if is_one else mapping.last_in(bodies)
        last = opset - 1 if mapping.torchscript_lacks(graph) else last
        return Mapping(
            torchscript=opsets.since(opsets.TORCHSCRIPT, opset, last),
            dynamo=dynamo,
            dynamo_opset=dynamo_opset if dynamo else opset,
            bodies=bodies,
        )

    def _no_mapping(self) -> Mapping | None:
        """A node alone, for an engine's own plugin: it needs a domain, and no opset. Or what the
        dynamo exporter has of it.
        """
        table = self._get("onnx")
        if not isinstance(table, dict) or "mapping" in table:
            return None  # noted with the tables
        if table.get("decomposed") is True:
            return Mapping(
                torchscript=opsets.since(opsets.TORCHSCRIPT, opsets.DYNAMO.start, opsets.HIGHEST),
                dynamo=opsets.DYNAMO,
                is_decomposed=True,
            )
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
        version = self._get("onnx", "version")
        if isinstance(version, int) and not 1 <= version <= 1000:
            self._problems.add(
                ("onnx", "version"), f"{shown(version, 30)} is no version; write 1 to 1000"
            )
        name = op_type or (schema.name if schema else "")
        if re.search(r"_variant_\d+$|_function(_\d+)?$", name):
            self._problems.add(
                ("onnx", "op_type") if op_type else ("op", "schema"),
                f"{name} could be the name of another operator's function body, which variants of "
                "one are called; choose another",
            )
        if onnxdefs.is_op(name):
            self._problems.add(
                ("onnx", "op_type") if op_type else ("op", "schema"),
                f"{name} is an op of ONNX, for which runtimes take a node of that type in any "
                f'domain; write op_type = "{name}Op" under [onnx], say',
                offset=None if op_type else (self._text("op", "schema") or "").find("::") + 2,
                length=len(name),
            )

    def _check_decomposed(self, schema: OpSchema | None) -> None:
        """What PyTorch's dynamo exporter writes is that of an operator of PyTorch's own, alone."""
        if self._get("onnx", "decomposed") is not True:
            return
        if schema is not None and not schema.exists:
            self._problems.add(
                ("onnx", "decomposed"),
                f"PyTorch has no operator {schema.namespace}::{schema.name} to take apart; write a "
                "mapping",
                on_key=True,
            )
        for path in (("onnx", "mapping"), ("onnx", "domain"), ("onnx", "opset"), ("kernel",)):
            if self._get(*path):
                self._problems.add(
                    path,
                    "decomposed = true says all of the operator in ONNX already; remove one of the two",
                    on_key=True,
                )

    def _check_can_be_node(self, schema: OpSchema, lowered: Mapping) -> None:
        """Notes what a node of a domain cannot hold."""
        graph = lowered.graph if lowered.is_given else None
        lists = [tensor.is_list for tensor in schema.tensors[:-1]]
        why = ""
        if schema.returns_list:
            why = "a node has a number of results that is known, but the operator returns a list"
        elif any(lists):
            why = "a list of tensors can only be the last of a node's inputs"
        elif graph and any(isinstance(result, Omitted) for result in graph.results):
            why = "the mapping leaves out results, but a node has all of them"
        if why and self._text("onnx", "domain"):
            remedy = "remove the domain, for standard nodes"
            self._problems.add(("onnx", "domain"), f"{why}; {remedy}", on_key=True)

    def _add(self, path: Path, problem: ExpressionProblem) -> None:
        self._problems.add(path, problem.message, offset=problem.offset, length=problem.length)

    def _check_kernel_is_there(self, schema: OpSchema) -> None:
        """An operator that PyTorch lacks needs a kernel; one that it has differentiates itself."""
        known = document.keys_of(())
        if any(did_you_mean(key, known).endswith(" kernel?") for key in {*self._tree} - {*known}):
            return  # the table is there but misspelt, which is noted
        if "kernel" in self._tree:
            if schema.exists and (why := problem_with_self(schema.arguments)):
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
    ) -> tuple[dict[str, SampleValue], ...]:
        tables = self._tables("samples")
        is_elementwise = self._get("kernel", "elementwise") is not None
        if tables:
            return tuple(
                read_sample(table, schema, path, self._problems, is_elementwise=is_elementwise)
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
        return (default_sample(schema, is_elementwise=is_elementwise),)

    def _in_onnx(
        self,
        schema: OpSchema,
        lowered: Mapping,
        samples: tuple[dict[str, SampleValue], ...],
    ) -> Mapping:
        """The mapping at the opsets at which ONNX takes it for the samples, once all else is sound;
        what it refuses at the spec's own is noted.
        """
        text, opset = self._text("onnx", "mapping"), self._opset()
        if not lowered.is_given or text is None or opset is None:
            return lowered
        are_given = bool(self._get("samples"))
        for problem in trial.problems(text, schema, opset, samples, are_given=are_given):
            self._add(("onnx", "mapping"), problem)
        if self._problems:
            return lowered
        return lowered.without(trial.refused_later(lowered.bodies, schema, samples))

    def _check_sample_dtypes(
        self, samples: tuple[dict[str, SampleValue], ...], dtypes: tuple[str, ...]
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
        self, samples: tuple[dict[str, SampleValue], ...], schema: OpSchema
    ) -> None:
        """PyTorch computes integers and a float in another dtype, which no kernel gives."""
        for position, sample in enumerate(samples):
            dtypes = {value.dtype for value in sample.values()} & {*INTEGERS}
            for argument in schema.scalars:
                value = sample.get(argument.name)
                is_float = isinstance(argument.default, float)
                if isinstance(value, Literal):
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
        samples: tuple[dict[str, SampleValue], ...],
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
            values = read_error(table, schema, path, self._problems)
            if isinstance(raises, str) and isinstance(match, str):
                found.append(Refusal(values, raises, match))
        return tuple(found)


def _is_regex(text: str) -> bool:
    try:
        with warnings.catch_warnings(action="ignore"):
            re.compile(text)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
