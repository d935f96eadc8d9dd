"""What an export knows, and the export that is under way."""

from __future__ import annotations

import threading

import pytest

from onnxop_runtime.operator.export_context import (
    ExportContext,
    as_current,
    current_export,
    current_or_plain,
)

from .samples import asinh, context


def test_there_is_no_export_at_first() -> None:
    assert current_export() is None


def test_the_innermost_export_is_the_current_one() -> None:
    outer, inner = context(), context()
    with as_current(outer):
        with as_current(inner):
            assert current_export() is inner
        assert current_export() is outer
    assert current_export() is None


def test_an_export_ends_with_an_error() -> None:
    with pytest.raises(KeyError), as_current(context()):
        raise KeyError
    assert current_export() is None


def test_an_export_is_its_thread_s() -> None:
    seen: list[ExportContext | None] = []
    with as_current(context()):
        thread = threading.Thread(target=lambda: seen.append(current_export()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_exports_in_other_threads_wait() -> None:
    order: list[str] = []
    has_begun = threading.Event()

    def export() -> None:
        has_begun.set()
        with as_current(context()):
            order.append("second")

    thread = threading.Thread(target=export)
    with as_current(context()):
        thread.start()
        has_begun.wait()
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_a_rule_outside_of_exports_is_as_in_a_plain_one() -> None:
    export = current_or_plain(dynamo=False, opset=17)
    assert (export.dynamo, export.opset, export.is_plain) == (False, 17, True)
    with as_current(context()) as _:
        assert current_or_plain(dynamo=False, opset=17) is current_export()


def test_a_requested_domain_precedes_the_default_one() -> None:
    operator = asinh(default_domain="acme")
    assert context(operator).domain_of(operator) == "acme"
    assert context(operator, domains={operator: ""}).domain_of(operator) == ""


def test_written_nodes_are_those_of_domains() -> None:
    standard, node = asinh(), asinh()
    export = context(domains={standard: "", node: "acme"})
    export.log.written_by.update({"::asinh": standard, "acme::asinh": node})
    assert export.written_nodes() == [node]
