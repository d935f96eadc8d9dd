"""The tables of a spec as TOML has them: their keys, their types, and the JSON Schema."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import Path, Problems, did_you_mean, listed, shown


class Table(BaseModel):
    """A TOML table: unknown keys are errors, and values are not converted to another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class OpTable(Table):
    schema_: str = Field(
        alias="schema",
        description="The operator's signature in PyTorch's schema language, with its namespace: "
        "`my_lib::my_add(Tensor a, Tensor b) -> Tensor`; of one that exists, its name will do.",
    )
    doc: str = Field("", description="What the operator computes, for docstrings.")
    requires: list[str] = Field([], description="Modules that register operators: `torchvision`.")
    name: str | None = Field(
        None, description="The package's name for an operator that exists, such as `median_dim`."
    )


class OnnxTable(Table):
    opset: int | None = Field(None, description="The lowest opset at which the mapping is valid.")
    domain: str = Field(
        "",
        description='`""`: standard nodes; a name such as `my_lib`: one node with the mapping as body.',
    )
    op_type: str | None = Field(None, description="What a node in a domain of your own is called.")
    version: int = Field(
        1, ge=1, le=1000, description="The version of a node in a domain of your own."
    )
    mapping: str | None = Field(
        None,
        description="The operator in ONNX, in onnxscript notation over the argument names: "
        "`op.Add(op.Mul(a, 2.0), b)`, or several lines that end with `return`.",
    )
    dynamo: bool = Field(
        True, description="`false`: the mapping is for the TorchScript exporter only."
    )
    decomposed: bool | list[str] = Field(
        False,
        description="Instead of a mapping: the TorchScript exporter writes what the dynamo exporter "
        "has. An array names the operators it is made of that the package has specs of.",
    )


class KernelTable(Table):
    elementwise: str | None = Field(
        None,
        description="One element of the result as a C++ expression over the argument names, "
        "with the functions of `<cmath>`: `2 * a + b`.",
    )
    source: str | None = Field(None, description="The C++ header with the kernel: `kernel.h`.")
    backward: list[str] = Field(
        [], description="Of a `source`: the tensors whose gradients its `backward` computes."
    )
    python: str | None = Field(
        None,
        description="A torch expression over the argument names, or several lines that end with "
        "`return`; with a `source`, it is the reference implementation.",
    )
    fake: str | None = Field(
        None, description="Of a `python` kernel that needs values: a result that has none."
    )
    autocast: Literal["promote", "float32", "lower"] | None = Field(
        None, description="What `torch.autocast` casts floats to."
    )


class PackageTable(Table):
    name: str | None = Field(None, description="The import name; by default the operator's.")
    version: str = Field("0.1.0", description="The package's version (PEP 440).")
    description: str | None = Field(None, description="One line on the package.")
    license: str | None = Field(None, description="An SPDX licence expression, such as `MIT`.")
    authors: list[str] = Field([], description='`"Name"` or `"Name <mail@example.org>"` each.')
    runtimes: list[Literal["onnxruntime", "openvino"]] = Field(
        ["onnxruntime"],
        description="The runtimes that the C++ kernels are built for: `openvino`, too, against the "
        "OpenVINO that is installed.",
    )


Value = Annotated[Any, Field(description='A tensor, as `"float32[n=2, 3]"`, or a plain value.')]


class Document(Table):
    """A whole op spec, as in the TOML file."""

    op: OpTable = Field(description="The operator in PyTorch.")
    onnx: OnnxTable = Field(description="The operator in ONNX.")
    kernel: KernelTable | None = Field(
        None,
        description="How the operator is computed: by `elementwise`, `source` or `python`; without "
        "it the operator is PyTorch's own.",
    )
    autograd: dict[str, str] = Field(
        {},
        description="The gradient with respect to each argument, as a torch expression over the "
        "argument names, `grad` and `result`; or `non_differentiable`.",
    )
    samples: list[dict[str, Value]] = Field(
        [], max_length=1000, description="What the tests feed: one table a call, a key an argument."
    )
    errors: list[dict[str, Value]] = Field(
        [],
        max_length=1000,
        description="Calls that must raise an error: arguments, `raises` and, optionally, `match`.",
    )
    package: PackageTable = Field(
        default_factory=lambda: PackageTable.model_validate({}),
        description="The package's metadata.",
    )


_EXPECTED = {
    "string_type": ("a string", '{} = "text"'),
    "int_type": ("an integer", "{} = 13"),
    "bool_type": ("a boolean", "{} = true"),
    "list_type": ("an array", "{} = [...]"),
    "dict_type": ("a table", "one key = value per line under [{}]"),
    "model_type": ("a table", "one key = value per line under [{}]"),
}
_MISSING = {
    "op": '[op] with schema = "my_lib::my_add(Tensor a, Tensor b) -> Tensor"',
    "schema": 'schema = "my_lib::my_add(Tensor a, Tensor b) -> Tensor"',
    "onnx": "[onnx] with opset and mapping",
}


def read(tree: dict[str, Any], problems: Problems) -> Document:
    """Return the document in a TOML tree. Report each wrong part, and leave it out."""
    try:
        return Document.model_validate(tree)
    except ValidationError as error:
        details = error.errors()
    paths = [tuple(part for part in detail["loc"] if part not in _OF_UNIONS) for detail in details]
    for path, detail in zip(paths, details, strict=True):
        _note(path, detail, problems)
    for path in paths:
        _leave_out(tree, path)
    tree.setdefault("op", {}).setdefault("schema", "")
    tree.setdefault("onnx", {})
    return Document.model_validate(tree)


_OF_UNIONS = ("bool", "list[str]")  # pydantic adds the member of a union to a location


def _leave_out(tree: Any, path: Path) -> None:
    """Delete the part at the path. In an array, delete all items after it, too: indices stay valid."""
    *parents, last = path
    with suppress(KeyError, IndexError):  # its parent is deleted already
        for part in parents:
            tree = tree[part]
        del tree[last if isinstance(last, str) else slice(last, None)]


def _note(path: Path, detail: Any, problems: Problems) -> None:
    kind, name = detail["type"], str(path[-1])
    if kind == "extra_forbidden":
        known = keys_of(path[:-1])
        hint = did_you_mean(name, known) or f"; known here: {listed(known)}"
        problems.add(path, f"unknown key {name}{hint}", on_key=True)
    elif kind == "missing":
        problems.add(path, f"missing; add {_MISSING[name]}", on_key=True)
    elif kind not in _EXPECTED:
        fact = detail["msg"][:1].lower() + detail["msg"][1:]
        problems.add(path, f"{fact}; got {shown(detail['input'], 30)}")
    else:
        expected, example = _EXPECTED[kind]
        fact = f"expected {expected}, got {shown(detail['input'], 30)}"
        key = next(part for part in reversed(path) if isinstance(part, str))
        problems.add(path, f"{fact}; write {example.format(key)}")


def keys_of(path: tuple[str | int, ...]) -> list[str]:
    """Return the keys that the table at this path may have."""
    model: type[BaseModel] = Document
    for part in path:
        field = model.model_fields.get(str(part))
        annotation = field.annotation if field is not None else None
        tables = [
            kind
            for kind in (annotation, *get_args(annotation))
            if isinstance(kind, type) and issubclass(kind, BaseModel)
        ]
        if not tables:
            return []
        model = tables[0]
    return [field.alias or name for name, field in model.model_fields.items()]


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a spec, for editors (taplo's ``#:schema``)."""
    schema = Document.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
