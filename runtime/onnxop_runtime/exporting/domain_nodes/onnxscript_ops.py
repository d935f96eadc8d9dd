"""Ops of domains that onnxscript does not know, for rules of the dynamo exporter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..element_types import TORCH_TYPES

if TYPE_CHECKING:
    from onnxscript.values import Op


def onnxscript_op(
    domain: str,
    op_type: str,
    version: int,
    inputs: Sequence[tuple[str, bool]],
    outputs: Sequence[str],
    attributes: Sequence[tuple[str, str]],
) -> Op:
    """Return an onnxscript op. Inputs come with whether they are required, attributes with their
    types.
    """
    from onnx.defs import OpSchema
    from onnxscript import values

    parameter, options = OpSchema.FormalParameter, OpSchema.FormalParameterOption
    ports: list[OpSchema.FormalParameter] = []
    for index, (name, is_required) in enumerate(inputs):
        option = options.Single if is_required else options.Optional
        ports.append(parameter(name, f"T{index}", param_option=option))
    results = [parameter(name, f"R{index}") for index, name in enumerate(outputs)]
    types = [f"tensor({name.lower()})" for name in TORCH_TYPES]
    schema = OpSchema(
        op_type,
        domain,
        version,
        inputs=ports,
        outputs=results,
        type_constraints=[(port.type_str, types, "") for port in (*ports, *results)],
        attributes=[
            OpSchema.Attribute(name, getattr(OpSchema.AttrType, type_name), "", required=False)
            for name, type_name in attributes
        ],
    )
    return values.Op(values.Opset(domain, version), op_type, schema)
