"""The start of rules in a process that `onnxop run` has started."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from onnxop_runtime.exporting.call import watched
from onnxop_runtime.running import settings, start
from onnxop_runtime.running.settings import Settings


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings with a module of rules, which has not been imported."""
    (tmp_path / "rules_of_a_test.py").write_text("IMPORTED = True\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(watched, "_watchers", [])
    monkeypatch.setattr(start, "_started", set())
    monkeypatch.delitem(sys.modules, "rules_of_a_test", raising=False)
    return Settings(str(tmp_path), ("rules_of_a_test",))


def test_rules_are_imported_once(rules: Settings) -> None:
    start.start(rules)
    assert sys.modules["rules_of_a_test"].IMPORTED
    del sys.modules["rules_of_a_test"]
    start.start(rules)
    assert "rules_of_a_test" not in sys.modules
    assert len(watched._watchers) == 1


def test_a_process_without_settings_starts_nothing(
    rules: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(settings.VARIABLE, raising=False)
    start.start_at_first_export()
    assert "rules_of_a_test" not in sys.modules


def test_a_module_that_does_not_exist(rules: Settings) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_rules"):
        start.start(Settings(rules.path, ("no_such_rules",)))
