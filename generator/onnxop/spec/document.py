"""The spec as it is written: the TOML tables, their keys and their types, and the JSON Schema."""

from __future__ import annotations

import copy
from contextlib import suppress
from typing import Annotated, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..errors import Path, Problems, did_you_mean, listed, shown


class Table(BaseModel):
    """A TOML table: unknown keys are errors, and no type is converted into another."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class OpTable(Table):
    schema_: str = Field(
        alias="schema",
        description="The operator's signature in PyTorch's schema language, with its namespace: "
        "`my_lib::my_add(Tensor a, Tensor b) -> Tensor`.",
    )
    doc: str = Field(
        "", description="What the operator computes: one sentence or more, for docstrings."
    )
    requires: list[str] = Field(
        [],
        description="Modules that register operators where they are imported, such as "
        "`torchvision`: the schema may then name one of these alone.",
    )
    name: str | None = Field(
        None,
        description="Of an operator that exists: what the package calls it, where that is not the "
        "operator's name: `median_dim` for `aten::median.dim`.",
    )


class OnnxTable(Table):
    opset: int | None = Field(
        None, description="The lowest opset of the default ONNX domain at which the mapping holds."
    )
    domain: str = Field(
        "",
        description='The ONNX domain of the exported nodes: `""` for standard nodes, inlined; a name '
        "of your own, such as `my_lib`, for one node whose function body is the mapping.",
    )
    op_type: str | None = Field(
        None,
        description="What the node is called in a domain of your own; the default is the "
        "operator's name.",
    )
    version: int = Field(
        1,
        description="The version of the node in a domain of your own, 1 to 1000: raise it when what the "
        "operator computes changes, so that models of before do not meet another kernel.",
    )
    mapping: str | None = Field(
        None,
        description="The operator in ONNX, in onnxscript notation over the argument names: "
        "`op.Add(op.Mul(a, 2.0), b)`, or several lines that end with `return`.",
    )
    dynamo: bool = Field(
        True,
        description="`false` for an operator that PyTorch's dynamo exporter cannot trace: the mapping is "
        "for the TorchScript exporter alone.",
    )
    decomposed: bool | list[str] = Field(
        False,
        description="Instead of a mapping, for an operator of PyTorch's own that the dynamo exporter "
        "writes: the TorchScript exporter writes the same nodes. An array names the operators it is "
        'made of that the package must have specs of: `["aten::_linalg_svd"]`.',
    )


class KernelTable(Table):
    elementwise: str | None = Field(
        None,
        description="One element of the result as a C++ expression over the argument names, "
        "with the functions of `<cmath>` by their plain names: `2 * a + b`.",
    )
    source: str | None = Field(
        None,
        description="The C++ header under `ops/` that holds the kernel: `kernel.h`. It is yours: "
        "a first version is written, and later ones are merged into it.",
    )
    backward: list[str] = Field(
        [],
        description="Of a `source`: the tensors whose gradients its `backward` function computes.",
    )
    python: str | None = Field(
        None,
        description="The operator composed of PyTorch's own, as a torch expression over the "
        "argument names or as several lines that end with `return`: `x * torch.sigmoid(1.702 * x)`. "
        "Beside a `source` it is the reference: what computes on other devices, and what tests "
        "compare the kernel with.",
    )
    fake: str | None = Field(
        None,
        description="Of a `python` kernel that cannot compute without values, or whose output sizes "
        "depend on them: the torch expression for an output without values, as in `x.new_empty(new_dynamic_size(min=1))`.",
    )
    autocast: str | None = Field(
        None,
        description="What `torch.autocast` makes of the tensors of floats: `promote` casts them to "
        "the widest dtype among them, `float32` to that, `lower` to autocast's own.",
    )


class PackageTable(Table):
    name: str | None = Field(
        None, description="The package's import name; the default is the operator's name."
    )
    version: str = Field("0.1.0", description="The package's version (PEP 440).")
    description: str | None = Field(
        None, description="One line on the package; the default is made from `op.doc`."
    )
    license: str | None = Field(None, description="An SPDX licence expression, such as `MIT`.")
    authors: list[str] = Field([], description='`"Name"` or `"Name <mail@example.org>"` each.')


Value = Annotated[
    Any,
    Field(
        description='A random tensor (`"float32[n=2, 3]"` or a table of dtype, shape, low, high), '
        "a literal tensor (nested lists, or a table of dtype, values), or a value as it is."
    ),
]


class Document(Table):
    """A whole op spec, as TOML spells it."""

    op: OpTable = Field(description="The operator in PyTorch.")
    onnx: OnnxTable = Field(description="The operator in ONNX.")
    kernel: KernelTable | None = Field(
        None,
        description="How the operator is computed: one of `elementwise`, `source` and `python`. "
        "Without it the operator is PyTorch's own.",
    )
    autograd: dict[str, str] = Field(
        {},
        description="The gradient with respect to each argument, as a torch expression over the "
        "argument names, `grad` and `result`, of several results `grads[0]` and `result0` or their "
        "names; or `non_differentiable`.",
    )
    samples: list[dict[str, Value]] = Field(
        [],
        description="What the tests feed: one table a call, a key an argument; what is left out "
        "takes the schema's default.",
    )
    errors: list[dict[str, Value]] = Field(
        [],
        description="Calls that must be refused: arguments as in samples, `raises` (the Python "
        "exception) and, optionally, `match` (a regular expression its text must contain).",
    )
    package: PackageTable = Field(
        default_factory=lambda: PackageTable.model_validate({}),
        description="The package's metadata.",
    )


_TYPE_NAMES = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    list: "an array",
    dict: "a table",
}
_EXPECTED = {
    "string_type": "a string",
    "int_type": "an integer",
    "float_type": "a number",
    "bool_type": "a boolean",
    "list_type": "an array",
    "dict_type": "a table",
    "model_type": "a table",
}


def read(tree: dict[str, Any], problems: Problems) -> Document:
    """The document in a TOML tree: what is wrong with it is noted, and left out."""
    try:
        return Document.model_validate(tree)
    except ValidationError as error:
        sound = copy.deepcopy(tree)
        for detail in error.errors():
            path = tuple(part for part in detail["loc"] if part not in _OF_UNIONS)
            _note(path, detail, problems)
            _leave_out(sound, path)
    sound.setdefault("op", {}).setdefault("schema", "")
    sound.setdefault("onnx", {})
    return Document.model_validate(sound)


_OF_UNIONS = ("bool", "list[str]")  # what pydantic adds to a place


def _leave_out(tree: Any, path: Path) -> None:
    """Of an array, what comes after it goes, too: all that stays keeps its place."""
    *parents, last = path
    with suppress(KeyError, IndexError):  # what it is part of has gone
        for part in parents:
            tree = tree[part]
        del tree[last if isinstance(last, str) else slice(last, None)]


def _note(path: tuple[str | int, ...], detail: Any, problems: Problems) -> None:
    kind, value = detail["type"], detail["input"]
    found = _TYPE_NAMES.get(type(value), f"a {type(value).__name__}")
    if kind == "extra_forbidden":
        known = keys_of(path[:-1])
        word = str(path[-1])
        problems.add(
            path,
            f"unknown key {word}{did_you_mean(word, known) or '; known here: ' + listed(known)}",
            on_key=True,
        )
    elif kind == "missing":
        problems.add(path, f"missing; add {_example(path)}", on_key=True)
    elif kind in _EXPECTED:
        problems.add(path, f"expected {_EXPECTED[kind]}, found {found}; write {_example(path)}")
    else:
        problems.add(path, f"{detail['msg'][0].lower()}{detail['msg'][1:]}; found {shown(value)}")


def keys_of(path: tuple[str | int, ...]) -> list[str]:
    """The keys that the table at this path may have."""
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


def _example(path: tuple[str | int, ...]) -> str:
    words = [part for part in path if isinstance(part, str)]
    while words and ".".join(words) not in _EXAMPLES:
        words.pop()
    return _EXAMPLES.get(".".join(words), "what onnxop schema prints")


_EXAMPLES = {
    "op": '[op] with schema = "my_lib::my_add(Tensor a, Tensor b) -> Tensor"',
    "op.schema": 'schema = "my_lib::my_add(Tensor a, Tensor b) -> Tensor"',
    "op.name": 'name = "my_add"',
    "op.requires": 'requires = ["torchvision"]',
    "op.doc": 'doc = "2a + b, element by element."',
    "onnx": "[onnx] with opset and mapping",
    "onnx.opset": "opset = 13",
    "onnx.domain": 'domain = "my_lib"',
    "onnx.op_type": 'op_type = "MyAdd"',
    "onnx.version": "version = 2",
    "onnx.mapping": 'mapping = "op.Add(op.Mul(a, 2.0), b)"',
    "onnx.dynamo": "dynamo = false",
    "onnx.decomposed": "decomposed = true",
    "kernel": '[kernel] with elementwise = "2 * a + b", source = "kernel.h" or python = "2 * a + b"',
    "kernel.elementwise": 'elementwise = "2 * a + b"',
    "kernel.source": 'source = "kernel.h"',
    "kernel.backward": 'backward = ["a", "b"]',
    "kernel.python": 'python = "2 * a + b"',
    "kernel.fake": 'fake = "a.new_empty(a.shape)"',
    "kernel.autocast": 'autocast = "float32"',
    "autograd": '[autograd] with one line an argument: a = "2 * grad"',
    "samples": '[[samples]] with one line an argument: a = "float32[1, 3, 10, 10]"',
    "errors": '[[errors]] with one line an argument and raises = "RuntimeError"',
    "package": '[package] with name = "my_add"',
    "package.name": 'name = "my_add"',
    "package.version": 'version = "0.1.0"',
    "package.description": 'description = "2a + b for PyTorch and ONNX."',
    "package.license": 'license = "MIT"',
    "package.authors": 'authors = ["Ada Lovelace <ada@example.org>"]',
}


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a spec, from the models above; for editors (taplo's ``#:schema``)."""
    schema = Document.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
