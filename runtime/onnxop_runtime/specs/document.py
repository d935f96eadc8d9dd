"""The tables of a spec: one declaration of their keys gives the check, the defaults and the JSON
Schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

from ..messages import did_you_mean, join_words, shown
from .positions import Path
from .problems import Problems

MAX_CALLS = 1000
"""The largest number of ``[[samples]]``, and of ``[[errors]]``."""
_SCHEMA = 'schema = "my_lib::my_add(Tensor a, Tensor b) -> Tensor"'


@dataclass(frozen=True)
class TomlType:
    """A type of TOML: what it is called in messages, an example of a key with it, and its JSON
    Schema.
    """

    name: str
    example: str
    json: dict[str, Any]


_STRING = TomlType("a string", '{} = "text"', {"type": "string"})
_INTEGER = TomlType("an integer", "{} = 13", {"type": "integer"})
_BOOLEAN = TomlType("a boolean", "{} = true", {"type": "boolean"})
_STRINGS = TomlType("an array", "{} = [...]", {"type": "array", "items": {"type": "string"}})
_TEXTS = TomlType(
    "a table of strings",
    'name = "text" per line under [{}]',
    {"type": "object", "additionalProperties": {"type": "string"}},
)
_TABLE = TomlType("a table", "one key = value per line under [{}]", {"type": "object"})
_CALLS = TomlType("an array of tables", "[[{}]]", {"type": "array"})
_FORMS = {str: _STRING, bool: _BOOLEAN, int: _INTEGER, list: _STRINGS, dict: _TABLE}
"""The forms of Python's types, as tomllib returns them."""


@dataclass(frozen=True)
class Key:
    """What the value of a key may be. ``choices`` are its, or its items'; ``missing`` is the remedy
    where the key is required.
    """

    doc: str
    forms: tuple[TomlType, ...]
    choices: tuple[str, ...] = ()
    limits: tuple[int, int] | None = None
    missing: str = ""


def _key(
    doc: str,
    *forms: TomlType,
    default: object = None,
    choices: tuple[str, ...] = (),
    limits: tuple[int, int] | None = None,
    missing: str = "",
) -> Any:
    """Return the field of a table for a key."""
    key = Key(doc, forms, choices, limits, missing)
    return field(default=default, metadata={"key": key})


@dataclass(frozen=True)
class OpTable:
    schema: str = _key(
        "The operator's signature in PyTorch's schema language, with its namespace: "
        "`my_lib::my_add(Tensor a, Tensor b) -> Tensor`; of one that exists, its name will do.",
        _STRING,
        default="",
        missing=_SCHEMA,
    )
    doc: str = _key(
        "What the operator computes, for docstrings and the README; its first paragraph is also "
        "for models.",
        _STRING,
        default="",
    )
    arguments: Mapping[str, str] | None = _key(
        'What each argument is, for docstrings: `value = "[n, s, heads, d], the features"`.',
        _TEXTS,
    )
    requires: Sequence[str] = _key(
        "Modules that register operators: `torchvision`.", _STRINGS, default=()
    )
    name: str | None = _key(
        "The package's name for an operator that exists, such as `median_dim`.", _STRING
    )


@dataclass(frozen=True)
class OnnxTable:
    opset: int | None = _key("The lowest opset at which the mapping is valid.", _INTEGER)
    domain: str = _key(
        '`""`: standard nodes; a name such as `my_lib`: one node with the mapping as body.',
        _STRING,
        default="",
    )
    op_type: str | None = _key("What a node in a domain of your own is called.", _STRING)
    version: int = _key(
        "The version of a node in a domain of your own.", _INTEGER, default=1, limits=(1, 1000)
    )
    mapping: str | None = _key(
        "The operator in ONNX, in onnxscript notation over the argument names: "
        "`op.Add(op.Mul(a, 2.0), b)`, or several lines that end with `return`.",
        _STRING,
    )
    dynamo: bool = _key(
        "`false`: the mapping is for the TorchScript exporter only.", _BOOLEAN, default=True
    )
    decomposed: bool | Sequence[str] = _key(
        "Instead of a mapping: the TorchScript exporter writes what the dynamo exporter "
        "has. An array names the operators it is made of that the package has specs of.",
        *(_BOOLEAN, _STRINGS),
        default=False,
    )


@dataclass(frozen=True)
class KernelTable:
    elementwise: str | None = _key(
        "One element of the result as a C++ expression over the argument names, "
        "with the functions of `<cmath>`: `2 * a + b`.",
        _STRING,
    )
    source: str | None = _key("The C++ header with the kernel: `kernel.h`.", _STRING)
    backward: Sequence[str] = _key(
        "Of a `source`: the tensors whose gradients its `backward` computes.", _STRINGS, default=()
    )
    cuda: bool | str | None = _key(
        "Whether there is a kernel for CUDA. Of a `source`: `true`, nvcc compiles the same "
        "header, or the name of the file beside it that has `compute` and `backward` for GPUs: "
        "`kernel.cuh`. `false` leaves out that of an `elementwise` kernel.",
        *(_BOOLEAN, _STRING),
    )
    on_host: Sequence[str] = _key(
        "Of a `source` with `cuda`: the tensors whose values its `infer` reads; they stay in the "
        "CPU's memory.",
        _STRINGS,
        default=(),
    )
    python: str | None = _key(
        "A torch expression over the argument names, or several lines that end with "
        "`return`; with a `source`, it is the reference implementation.",
        _STRING,
    )
    fake: str | None = _key(
        "Of a `python` kernel that needs values: a result that has none.", _STRING
    )
    autocast: str | None = _key(
        "What `torch.autocast` casts floats to; `none`: it casts nothing.",
        _STRING,
        choices=("promote", "float32", "lower", "none"),
    )


@dataclass(frozen=True)
class PackageTable:
    name: str | None = _key("The import name; by default the operator's.", _STRING)
    version: str = _key("The package's version (PEP 440).", _STRING, default="0.1.0")
    description: str | None = _key("One line on the package.", _STRING)
    license: str | None = _key("An SPDX licence expression, such as `MIT`.", _STRING)
    authors: Sequence[str] = _key(
        '`"Name"` or `"Name <mail@example.org>"` each.', _STRINGS, default=()
    )
    runtimes: Sequence[str] = _key(
        "The runtimes that the C++ kernels are built for: `openvino`, too, against the "
        "OpenVINO that is installed; `cuda`, too, by the nvcc that is installed.",
        _STRINGS,
        default=("onnxruntime",),
        choices=("pytorch", "onnxruntime", "openvino", "cuda"),
    )


Call = dict[str, Any]
"""A table of ``[[samples]]`` or ``[[errors]]``: the values of arguments, by name."""


@dataclass(frozen=True)
class Document:
    """The valid parts of a whole op spec. ``keys`` are the paths of the keys that the spec has."""

    op: OpTable
    onnx: OnnxTable
    kernel: KernelTable | None
    autograd: dict[str, str]
    samples: Sequence[Call]
    errors: Sequence[Call]
    package: PackageTable
    keys: frozenset[tuple[str, ...]]


_TABLES: dict[str, type[Any]] = {
    "op": OpTable,
    "onnx": OnnxTable,
    "kernel": KernelTable,
    "package": PackageTable,
}
_MISSING = {"op": f"[op] with {_SCHEMA}", "onnx": "[onnx] with opset and mapping"}
_DOCS = {
    "op": "The operator in PyTorch.",
    "onnx": "The operator in ONNX.",
    "kernel": "How the operator is computed: by `elementwise`, `source` or `python`; without "
    "it the operator is PyTorch's own.",
    "autograd": "The gradient with respect to each argument, as a torch expression over the "
    "argument names, `grad` and `result`; or `non_differentiable`.",
    "samples": "What the tests feed: one table a call, a key an argument.",
    "errors": "Calls that must raise an error: arguments, `raises` and, optionally, `match`.",
    "package": "The package's metadata.",
}
"""All tables of a spec."""


def read(tree: dict[str, Any], problems: Problems) -> Document:
    """Return the valid parts of a TOML tree. Add a problem for each wrong part."""
    for name in tree:
        if name not in _DOCS:
            _add_unknown((name,), keys_of(()), problems)
    for name, remedy in _MISSING.items():
        if name not in tree:
            problems.add((name,), f"missing; add {remedy}", on_key=True)
    kernel = _table(tree, "kernel", KernelTable, problems)  # also if it is no table: its problems
    has_kernel = isinstance(tree.get("kernel"), dict)
    tables = (name for name in _TABLES if isinstance(tree.get(name), dict))
    return Document(
        op=_table(tree, "op", OpTable, problems),
        onnx=_table(tree, "onnx", OnnxTable, problems),
        kernel=kernel if has_kernel else None,
        autograd=_texts(("autograd",), tree.get("autograd", {}), _TABLE, problems),
        samples=_calls(tree, "samples", problems),
        errors=_calls(tree, "errors", problems),
        package=_table(tree, "package", PackageTable, problems),
        keys=frozenset((name, key) for name in tables for key in tree[name]),
    )


_Table = TypeVar("_Table")


def _table(tree: dict[str, Any], name: str, table: type[_Table], problems: Problems) -> _Table:
    """Return a table with the valid values of its keys, and the defaults of the others."""
    keys = _keys(table)
    content = tree.get(name, {})
    if not isinstance(content, dict):
        _add_wrong((name,), content, problems, _TABLE)
        return table()
    for key in content:
        if key not in keys:
            _add_unknown((name, key), [*keys], problems)
    values: dict[str, Any] = {}
    for key, rules in keys.items():
        path = (name, key)
        if key not in content:
            if rules.missing and name in tree:
                problems.add(path, f"missing; add {rules.missing}", on_key=True)
        elif isinstance(content[key], list) and _STRINGS in rules.forms:
            values[key] = _strings(path, content[key], rules, problems)
        elif _TEXTS in rules.forms:
            values[key] = _texts(path, content[key], _TEXTS, problems)
        elif _check_value(path, content[key], rules, problems):
            values[key] = content[key]
    return table(**values)


def _keys(table: type[Any]) -> dict[str, Key]:
    """Return what the keys of a table may hold."""
    return {each.name: each.metadata["key"] for each in fields(table)}


def _strings(path: Path, items: list[Any], rules: Key, problems: Problems) -> Sequence[str]:
    """Return the items of an array up to the first wrong one, so that indices stay right."""
    item_key = Key("", (_STRING,), rules.choices)
    are_valid = [_check_value((*path, i), item, item_key, problems) for i, item in enumerate(items)]
    return tuple(items[: [*are_valid, False].index(False)])


def _check_value(path: Path, value: Any, rules: Key, problems: Problems) -> bool:
    """Add a problem if a value is not what its key may hold. Return whether it is."""
    if _FORMS.get(type(value)) not in rules.forms:
        _add_wrong(path, value, problems, *rules.forms)
        return False
    if rules.choices and value not in rules.choices:
        choices = join_words((f'"{choice}"' for choice in rules.choices), "or")
        problems.add(path, f"expected {choices}, got {shown(value, 30)}; write one of them")
        return False
    if rules.limits and not rules.limits[0] <= value <= rules.limits[1]:
        low, high = rules.limits
        problems.add(
            path, f"expected {low} to {high}, got {shown(value, 30)}; write {low}, for example"
        )
        return False
    return True


def _texts(path: Path, table: object, form: TomlType, problems: Problems) -> dict[str, str]:
    """Return the strings of a table of strings. Add a problem for each value that is none."""
    if not isinstance(table, dict):
        _add_wrong(path, table, problems, form)
        return {}
    rules = Key("", (_STRING,))
    return {
        name: text
        for name, text in table.items()
        if _check_value((*path, name), text, rules, problems)
    }


def _calls(tree: dict[str, Any], name: str, problems: Problems) -> Sequence[Call]:
    """Return the tables of ``[[samples]]`` or ``[[errors]]`` up to the first wrong one."""
    calls = tree.get(name, [])
    if not isinstance(calls, list):
        _add_wrong((name,), calls, problems, _CALLS)
        return ()
    if len(calls) > MAX_CALLS:
        fact = f"has {len(calls)} tables; write at most {MAX_CALLS}"
        problems.add((name,), fact, on_key=True)
        return ()
    wrong = [index for index, call in enumerate(calls) if not isinstance(call, dict)]
    for index in wrong:
        _add_wrong((name, index), calls[index], problems, _TABLE)
    return calls[: wrong[0]] if wrong else calls


def _add_wrong(path: Path, value: object, problems: Problems, *forms: TomlType) -> None:
    """Add a problem for a value of another type than one of the forms."""
    key = next(part for part in reversed(path) if isinstance(part, str))
    expected = join_words((form.name for form in forms), "or")
    fact = f"expected {expected}, got {shown(value, 30)}"
    problems.add(path, f"{fact}; write {forms[0].example.format(key)}")


def _add_unknown(path: Path, known: Sequence[str], problems: Problems) -> None:
    hint = did_you_mean(str(path[-1]), known) or f"; known here: {join_words(known)}"
    problems.add(path, f"unknown key {path[-1]}{hint}", on_key=True)


def keys_of(path: tuple[str, ...]) -> list[str]:
    """Return the keys that the table at this path may have; those of the spec for an empty path."""
    if not path:
        return [*_DOCS]
    return [*_keys(_TABLES[path[0]])] if path[0] in _TABLES else []


def json_schema() -> dict[str, object]:
    """Return the JSON Schema of a spec, for editors (taplo's ``#:schema``)."""
    value = {"description": 'A tensor, as `"float32[n=2, 3]"`, or a plain value.'}
    calls: dict[str, Any] = {
        "type": "array",
        "items": {"type": "object", "additionalProperties": value},
        "maxItems": MAX_CALLS,
    }
    others: dict[str, dict[str, Any]] = {
        "autograd": {"type": "object", "additionalProperties": {"type": "string"}},
        "samples": calls,
        "errors": calls,
    }
    properties: dict[str, Any] = {}
    for name, doc in _DOCS.items():
        content = _json_table(_TABLES[name]) if name in _TABLES else others[name]
        properties[name] = {"description": doc, **content}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "op spec",
        "description": "A whole op spec, as in the TOML file.",
        "type": "object",
        "properties": properties,
        "required": [*_MISSING],
        "additionalProperties": False,
    }


def _json_table(table: type[Any]) -> dict[str, object]:
    """Return the JSON Schema of a table."""
    required = [name for name, key in _keys(table).items() if key.missing]
    return {
        "type": "object",
        "properties": {each.name: _json_key(each) for each in fields(table)},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _json_key(field_of_key: Field[Any]) -> dict[str, object]:
    """Return the JSON Schema of a key's value."""
    key: Key = field_of_key.metadata["key"]
    schema: dict[str, Any] = {"description": key.doc}
    if len(key.forms) > 1:
        schema["anyOf"] = [form.json for form in key.forms]
    else:
        schema |= key.forms[0].json
    if key.choices and "items" in schema:
        schema["items"] = {**schema["items"], "enum": [*key.choices]}
    elif key.choices:
        schema["enum"] = [*key.choices]
    if key.limits:
        schema["minimum"], schema["maximum"] = key.limits
    if field_of_key.default is not None and not key.missing:
        default: Any = field_of_key.default
        schema["default"] = [*default] if isinstance(default, tuple) else default
    return schema
