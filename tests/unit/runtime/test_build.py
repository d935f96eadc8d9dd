"""What a package's ``setup.py`` gets of the runtime: its compiled files, which are not
built here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop_runtime import API, build


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in the folder of a package."""
    for name in ("csrc/scale.cpp", "csrc/add.cpp", "ops/add.h", "ops/add.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_module_and_a_library_of_the_same_files(package: Path) -> None:
    kernel, library = build.extension("my_ops", api=API)["ext_modules"]
    assert (kernel.name, library.name) == ("my_ops._kernel", "my_ops.libmy_ops_onnxruntime")
    assert library.sources == ["csrc/add.cpp", "csrc/scale.cpp"]
    assert kernel.depends == ["csrc/add.cpp", "csrc/scale.cpp", "ops/add.h", "ops/add.toml"]


def test_results_are_the_same_on_each_cpu() -> None:
    assert {"-ffp-contract=off", "-fno-math-errno", "-fwrapv"} <= {*build.FLAGS}
    assert "-ffast-math" not in build.FLAGS


def test_files_that_are_linked_exist(package: Path) -> None:
    for extension in build.extension("my_ops", api=API)["ext_modules"]:
        (script,) = (o for o in extension.extra_link_args if "--version-script=" in o)
        assert Path(script.partition("--version-script=")[2]).exists()


def test_a_package_for_another_runtime(package: Path) -> None:
    with pytest.raises(SystemExit, match="my_ops"):
        build.extension("my_ops", api=API + 1)


def test_one_set_of_flags() -> None:
    """Check that the library's flags are the same with and without Python."""
    runtime = Path(build.__file__).parent
    setup = (runtime / "build.py").read_text(encoding="utf-8")
    flags = (runtime / "include/onnxop/onnxruntime/library.flags").read_text().split()
    ours = [flag for flag in flags if flag not in ("-std=c++20", "-shared", "-fPIC")]
    assert [flag for flag in ours if f'"{flag}"' not in setup] == []
    assert "cxx_std=20" in setup
