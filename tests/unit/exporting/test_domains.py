"""The domains of operators that are exported as nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from onnxop_runtime.exporting.domain_nodes import domains
from onnxop_runtime.operator import registry

from .samples import asinh, context, existing

TWO = [asinh(), existing("aten::acosh.default", "op.Acosh(self)")]


def test_by_default_as_the_specs_say() -> None:
    operators = [asinh(default_domain="acme"), asinh()]
    assert [*domains.checked_domains(operators, None).values()] == ["acme", ""]


def test_one_domain_is_for_all() -> None:
    assert [*domains.checked_domains(TWO, "acme").values()] == ["acme", "acme"]


def test_a_dictionary_is_by_operator() -> None:
    assert [*domains.checked_domains(TWO, {"aten::acosh": "acme"}).values()] == ["", "acme"]


@pytest.mark.parametrize(
    ("domain", "error", "match"),
    [
        ({"aten::acos": "acme"}, ValueError, r"domain names 'aten::acos', but the operators are"),
        ({"my::acosh": "acme"}, ValueError, r"; did you mean 'aten::acosh'\?"),
        ({"aten::asinh": 3}, TypeError, "domain must be a string"),
        ("ai.onnx", ValueError, "the domain 'ai.onnx' .*; use a name such as my_lib"),
    ],
)
def test_domains_are_checked(domain: Any, error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        domains.checked_domains(TWO, domain)


def test_an_operator_of_another_package_is_named() -> None:
    other = existing("aten::atanh.default", "op.Atanh(self)", owner="other_lib")
    registry.add(other)
    try:
        with pytest.raises(
            ValueError, match="'aten::atanh' is an operator of other_lib: call onnxop"
        ):
            domains.checked_domains(TWO, {"aten::atanh": "acme"})
    finally:
        registry.remove([other])


def test_two_operators_are_not_the_same_node() -> None:
    operators = [asinh(op_type="F"), existing("aten::acosh.default", op_type="F")]
    with pytest.raises(
        ValueError, match="aten::asinh and aten::acosh would both be the node acme::F"
    ):
        domains.checked_domains(operators, "acme")
    domains.checked_domains(operators, {"aten::asinh": "acme"})


def test_an_operator_without_mapping_for_a_result_is_no_node() -> None:
    decomposed = existing("aten::asinh.default", is_decomposed=True)
    with pytest.raises(
        ValueError, match='aten::asinh cannot be exported as one node; use domain=""'
    ):
        domains.check_domain(decomposed, "acme")
    assert [*domains.checked_domains([decomposed], "").values()] == [""]


def test_a_written_node_is_recorded() -> None:
    operator = asinh(spec_hash="12ab")
    export = context(operator, domains={operator: "acme"})
    domains.record(operator, export)
    assert export.log.written_by == {"acme::asinh": operator}
    assert json.loads(export.log.metadata["onnxop.aten::asinh"]) == {
        "package": "my_lib",
        "version": "0.1.0",
        "spec": "12ab",
        "domain": "acme",
    }


def test_another_operator_s_node_is_refused() -> None:
    mine, other = asinh(op_type="F"), existing("aten::acosh.default", op_type="F")
    for order in ((mine, other), (other, mine)):
        export = context(mine, domains={mine: "acme", other: "acme"})
        domains.record(order[0], export)
        with pytest.raises(ValueError, match="^aten::acosh and aten::asinh would both be the node"):
            domains.record(order[1], export)


def test_the_version_of_a_domain_is_the_highest() -> None:
    operators = [asinh(version=2), existing("aten::acosh.default", version=3)]
    export = context(*operators, domains=dict.fromkeys(operators, "acme"))
    assert domains.version_of("acme", export) == 1
    for operator in operators:
        registry.add(operator)
    try:
        domains.record(operators[0], export)
        assert domains.version_of("acme", export) == 3
    finally:
        registry.remove(operators)


def test_the_call_with_which_all_nodes_are_native() -> None:
    native, other = asinh(is_native=True), TWO[1]
    assert domains.all_native({other: "acme"}) == ""
    assert domains.all_native({native: "acme", other: "acme"}) == (
        ', or call export(..., domain={"aten::asinh": "acme", "aten::acosh": ""}, '
        "function_bodies=False)"
    )
