"""The description of an operator: its names, its overloads with numbers for tensors, and its order
among others.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from onnxop_runtime.operator import registry
from onnxop_runtime.operator.library import Library
from onnxop_runtime.operator.model import Operator, Origin
from onnxop_runtime.operator.package_operator import PackageOperator, as_number
from onnxop_runtime.package import Package


class Owner:
    """A package that is not built."""

    version = "0.1.0"

    def __init__(self, name: str = "my_lib") -> None:
        self.name = name
        self.library = Library(name)


def existing(name: str, **fields: Any) -> Operator:
    """Return the description of an operator that PyTorch has."""
    return Operator(
        package=Owner(), name=name, existing=name, domain="my_lib", op_type="My", **fields
    )


def test_a_description_is_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        existing("aten::add.Tensor").doc = "changed"  # type: ignore[misc]


def test_names_of_a_new_operator() -> None:
    operator = Operator(package=Owner(), name="my_lib::my_add.default", domain="d", op_type="My")
    assert (str(operator), operator.namespace, operator.short_name) == (
        "my_lib::my_add",
        "my_lib",
        "my_add",
    )
    assert operator.is_own
    assert operator.targets == ["my_lib::my_add"]


def test_names_of_an_existing_operator() -> None:
    operator = existing("aten::add_.Tensor")
    assert not operator.is_own
    assert operator.targets == ["aten::add"]  # TorchScript drops the final underscore
    assert str(operator) == "aten::add_"


def test_a_public_name_keeps_the_overload() -> None:
    operator = existing("aten::add.Tensor", public_name="my_add")
    assert (str(operator), operator.short_name) == ("aten::add.Tensor", "my_add")


def test_an_operator_in_place_of_an_existing_one_has_both_names() -> None:
    operator = Operator(
        package=Owner(),
        name="m::f.default",
        existing="aten::asinh.default",
        domain="m",
        op_type="F",
    )
    assert operator.targets == ["aten::asinh", "m::f"]


def test_overloads_with_numbers_for_tensors() -> None:
    operator = existing("aten::special_zeta.default")
    overloads = {str(overload): names for overload, names in operator.scalar_overloads.items()}
    assert overloads == {
        "aten.special_zeta.self_scalar": {"self"},
        "aten.special_zeta.other_scalar": {"other"},
    }


def test_an_operator_with_numbers_where_an_overload_has_tensors() -> None:
    tensors, number = "aten::special_zeta.default", "aten::special_zeta.other_scalar"
    assert existing(number).is_scalar_overload_of(tensors)
    assert not existing(tensors).is_scalar_overload_of(number)
    assert not existing("aten::add.Tensor").is_scalar_overload_of("aten::add.out")


def test_other_differences_are_no_numbers_for_tensors() -> None:
    assert existing("aten::asinh.default").scalar_overloads == {}


def test_arguments_that_are_always_none_are_left_out() -> None:
    operator = existing("aten::mean.dim", always_none=["dtype"])
    assert [argument.name for argument in operator.schema_arguments][-1] == "dtype"
    assert [argument.name for argument in operator.arguments] == ["self", "dim", "keepdim"]
    assert [tensor.name for tensor in operator.tensors] == ["self"]


def test_tensors_of_a_list_at_the_end_are_spread() -> None:
    operator = existing("aten::cat.default")
    assert operator.takes_list
    assert operator.spread([["x", "y"]]) == ["x", "y"]


def test_all_arguments_by_position_are_needed() -> None:
    name = "aten::add.Tensor"
    operator = PackageOperator(package=Owner(), name=name, existing=name, domain="m", op_type="Add")
    x = torch.ones(2)
    assert torch.equal(operator.by_position(x, x, True), 2 * x)
    with pytest.raises(TypeError, match="takes all of self, other, alpha by position, but 2 are"):
        operator.by_position(x, x)


def test_booleans_are_numbers() -> None:
    assert type(as_number(True)) is int
    assert as_number(1.5) == 1.5


def test_a_package_imports_what_an_operator_requires() -> None:
    package = Package("my_lib", api=1)
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        package.operator(name="m::f.default", domain="m", op_type="F", requires=["no_such_module"])


def test_packages_come_before_registered_specs_and_the_gallery() -> None:
    name = "aten::asinh.default"
    operators = [
        Operator(
            package=Owner(owner), name=name, existing=name, domain="m", op_type="F", origin=origin
        )
        for owner, origin in [
            ("gallery", Origin.GALLERY),
            ("registered", Origin.REGISTERED),
            ("second", Origin.PACKAGE),
            ("first", Origin.PACKAGE),
        ]
    ]
    try:
        for operator in operators:
            registry.add(operator)
        ordered = [one.package.name for one in registry.operators() if one in operators]
    finally:
        registry.remove(operators)
    assert ordered == ["first", "second", "registered", "gallery"]
    assert not [one for one in registry.operators() if one in operators]
