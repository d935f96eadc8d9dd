"""deform_conv2d::deform_conv2d in ONNX as one node of a domain of its own; the mapping is its function body."""

from __future__ import annotations

import re
import threading
import warnings
from functools import cache
from importlib import metadata
from typing import Any

import torch
from torch.onnx import symbolic_helper

from deform_conv2d._function import Body, Signature, add_functions

OP = "deform_conv2d::deform_conv2d"
DOMAIN = "deform_conv2d"
OP_TYPE = "deform_conv2d"
DEFAULT_DOMAIN = ""
"""The domain that models are exported in unless another is asked for; "": standard nodes."""

_INPUTS = ["input", "weight", "offset", "mask", "bias"]
_OPTIONAL: list[str] = []
_ATTRIBUTES: dict[str, str] = {
    "stride_h": "INT",
    "stride_w": "INT",
    "pad_h": "INT",
    "pad_w": "INT",
    "dilation_h": "INT",
    "dilation_w": "INT",
    "groups": "INT",
    "offset_groups": "INT",
    "use_mask": "INT",
}
_BOOLEANS: list[str] = ["use_mask"]

# Shared with every other package that onnxop made, as a model may call the operators of several,
# and neither exporter is safe in two threads at once.
shared: dict[str, Any] = vars(torch.onnx).setdefault("_onnxop_shared", {})
shared.setdefault("lock", threading.RLock())
for _key in ("tables", "nodes", "domains"):
    shared.setdefault(_key, {})


def _warn_of_namesakes() -> None:
    """Says where another op's package of the same name is installed beside this one."""
    for found in metadata.distributions(name="deform-conv2d"):
        ops = [entry.name for entry in found.entry_points if entry.group == "onnxop.ops"]
        if ops and OP.replace("::", ".") not in ops:
            warnings.warn(
                f"{found.name} is the name of two packages: import deform_conv2d gives {OP}, not "
                f"{ops[0].replace('.', '::')}; give one of them another [package] name",
                stacklevel=2,
            )


_warn_of_namesakes()


def checked_domain(domain: str) -> str:
    """The domain, if it may be that of the operator's node; "" stands for standard nodes.

    Raises:
        TypeError: it is no string.
        ValueError: it is no name that ONNX allows, or one of ONNX's, ONNX Runtime's or PyTorch's.
    """
    if not isinstance(domain, str):
        raise TypeError(f'domain must be a string, "" for standard nodes, but it is {domain!r}')
    if domain and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.-]*", domain):
        raise ValueError(f'{domain!r} is no domain; use "" for standard nodes, or {DOMAIN!r}')
    if domain.startswith(("ai.onnx", "com.microsoft")) or domain in ("aten", "prim", "onnx"):
        raise ValueError(f"the domain {domain} is not yours; use {DOMAIN!r}")
    return domain


def domain() -> str:
    """The domain that the operator is exported in at the moment; "": as standard nodes."""
    chosen: str = shared["domains"].get(OP, DEFAULT_DOMAIN)
    return chosen


def torchscript(g: Any, domain: str, *inputs: Any, **attributes: Any) -> Any:
    """The node as the TorchScript exporter writes it."""
    values = [None if symbolic_helper._is_none(value) else value for value in inputs]
    while values and values[-1] is None:
        values.pop()
    named = {
        f"{name}_{_ATTRIBUTES[name][0].lower()}": _plain(value)
        for name, value in attributes.items()
        if value is not None
    }
    node = g.op(f"{domain}::{OP_TYPE}", *(_given(g, value) for value in values), **named)
    if g.original_node is None:  # a Function's symbolic knows none, and torch sets the type
        return node
    kind = g.original_node.output().type()
    if isinstance(kind, torch._C.TensorType) and kind.dim() is not None:
        node.setType(kind.with_sizes([None] * kind.dim()))
    return node


def _given(g: Any, value: Any) -> Any:
    """An optional input that is left out is an empty constant; a bare None would end the process."""
    if value is not None:
        return value
    nothing = g.op("prim::Constant")
    nothing.setType(torch._C.OptionalType.ofTensor())
    return nothing


def _plain(value: Any) -> Any:
    """The value as an attribute: truth values are integers in ONNX."""
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, bool) else value


def dynamo(domain: str, *inputs: Any, **attributes: Any) -> Any:
    """The node as the dynamo exporter writes it."""
    named = {name: _plain(value) for name, value in attributes.items() if value is not None}
    return _dynamo_op(domain)(*inputs, **named)


_TYPES = frozenset(
    "bfloat16 bool double float float16 int16 int32 int64 int8 uint16 uint32 uint64 uint8".split()
)


@cache
def _dynamo_op(domain: str) -> Any:
    from onnx.defs import OpSchema
    from onnxscript import values

    kinds = [f"T{position}" for position in range(len(_INPUTS) + 1)]
    options = OpSchema.FormalParameterOption
    optional = [options.Optional if name in _OPTIONAL else options.Single for name in _INPUTS]
    schema = OpSchema(
        OP_TYPE,
        domain,
        1,
        inputs=[
            OpSchema.FormalParameter(name, kind, param_option=option)
            for name, kind, option in zip(_INPUTS, kinds[1:], optional, strict=True)
        ],
        outputs=[OpSchema.FormalParameter("result", kinds[0])],
        type_constraints=[(kind, [f"tensor({t})" for t in sorted(_TYPES)], "") for kind in kinds],
        attributes=[
            OpSchema.Attribute(name, getattr(OpSchema.AttrType, kind), "", required=False)
            for name, kind in _ATTRIBUTES.items()
        ],
    )
    return values.Op(values.Opset(domain, 1), OP_TYPE, schema)


def add_bodies(model: Any, domain: str, opset: int) -> None:
    """Gives the operator's nodes in an exported model their function bodies, where the mapping
    holds at the opset.
    """
    body = next((body for opsets, body in _BODIES if opset in opsets), None)
    if body is not None:
        signature = Signature(tuple(_INPUTS), tuple(_ATTRIBUTES), frozenset(_BOOLEANS))
        add_functions(model, domain, OP_TYPE, signature, body, opset)


def _body_19(
    op: Any,
    input: Any,
    weight: Any,
    offset: Any,
    mask: Any,
    bias: Any,
    stride_h: Any,
    stride_w: Any,
    pad_h: Any,
    pad_w: Any,
    dilation_h: Any,
    dilation_w: Any,
    groups: Any,
    offset_groups: Any,
    use_mask: Any,
) -> Any:
    return op(
        "DeformConv",
        input,
        weight,
        offset,
        bias,
        mask if use_mask else None,
        strides=[stride_h, stride_w],
        pads=[pad_h, pad_w, pad_h, pad_w],
        dilations=[dilation_h, dilation_w],
        group=groups,
        offset_group=offset_groups,
    )


_BODIES: list[tuple[range, Body]] = [(range(19, 26), _body_19)]

shared["nodes"][OP] = (domain, add_bodies)
