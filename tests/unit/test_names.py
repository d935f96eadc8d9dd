"""Names: which are valid, and their spellings elsewhere."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from onnxop.kernel.expression import FUNCTIONS
from onnxop.names import cpp as cpp_name
from onnxop.names import snake, unused_name
from onnxop_runtime.specs import names

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("name", ["a", "my_add", "_x", "A1", "match", "case", "int", "n" * 100])
def test_a_good_name_has_no_problem(name: str) -> None:
    assert names.problem_with(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is empty"),
        ("1a", "is not an identifier"),
        ("a-b", "is not an identifier"),
        ("a b", "is not an identifier"),
        ("a\n", "is not an identifier"),
        ("é", "is not an identifier"),
        ("lambda", "is a Python keyword"),
        ("None", "is a Python keyword"),
        ("__init__", "starts with two underscores"),
        ("n" * 101, "has more than 100 characters"),
    ],
)
def test_a_bad_name_says_why(name: str, why: str) -> None:
    assert (names.problem_with(name) or "").startswith(why)


def test_bad_argument() -> None:
    assert names.problem_with_argument("onnxop") is None
    assert "starts with onnxop_" in (names.problem_with_argument("onnxop_version") or "")


@pytest.mark.parametrize(
    "name",
    ["json", "torch", "numpy", "tests", "_x", "class", "a.b", "../a", "sitecustomize"]
    + ["UserCustomize", "typing_extensions", "typing__extensions", "Typing_Extensions", "packaging"]
    + ["yaml", "PyYAML", "sympy", "google", "protobuf", "torchgen", "functorch", "pkg_resources"]
    + ["wheel", "_distutils_hack", "PIL", "Pillow", "distutils", "compression", "test", "samples"]
    + ["build", "scipy", "Onnx_IR", "coloredlogs", "tomli", "zipp", "torch_npu", "IPython", "src"],
)
def test_bad_package(name: str) -> None:
    assert names.problem_with_package(name)


@pytest.mark.parametrize("name", ["my_add", "asinh", "MyAdd", "torch_asinh", "my_torch", "yamls"])
def test_good_package(name: str) -> None:
    assert names.problem_with_package(name) is None


def test_a_package_that_is_called_after_what_it_requires() -> None:
    assert names.problem_with_package("my_lib", ["other"]) is None
    why = names.problem_with_package("My_lib", ["other", "my_lib.ops"])
    assert why == "is that of a module that the op requires"


def dependencies() -> Iterator[metadata.Distribution]:
    """Yield the installed distributions that onnxop and its packages depend on."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    (reference, *_) = sorted(ROOT.glob("reference_ops/*/pyproject.toml"))
    generated = tomllib.loads(reference.read_text(encoding="utf-8"))["project"]
    optional = {**project["optional-dependencies"], **generated["optional-dependencies"]}
    optional.pop("docs")  # no environment with packages has it
    lists = project["dependencies"], generated["dependencies"], *optional.values()
    todo: list[tuple[str, tuple[str, ...]]] = [(line, ("",)) for lines in lists for line in lines]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while todo:
        line, extras = todo.pop()
        required = Requirement(line)
        wanted = (canonicalize_name(required.name), ("", *sorted(required.extras)))
        is_here = not required.marker or any(required.marker.evaluate({"extra": e}) for e in extras)
        if is_here and wanted not in seen:
            seen.add(wanted)
            distribution = metadata.distribution(required.name)
            todo += [(line, wanted[1]) for line in distribution.requires or []]
            yield distribution


def modules(distribution: metadata.Distribution) -> Iterator[str]:
    """Return the names by which a distribution can be imported; no package can have other names."""
    for file in distribution.files or ():
        name = file.parts[0]
        if len(file.parts) > 1 or file.suffix in {".py", ".so"}:
            name = name.partition(".")[0]
            if re.fullmatch(r"[A-Za-z]\w*", name) and not file.parts[0].endswith("-info"):
                yield name


@pytest.mark.slow
def test_no_package_is_called_as_what_it_depends_on() -> None:
    distributions = list(dependencies())
    assert {"torch", "onnx", "protobuf"} <= {canonicalize_name(d.name) for d in distributions}
    called = {canonicalize_name(d.name).replace("-", "_") for d in distributions}
    called |= {name for distribution in distributions for name in modules(distribution)}
    missing = sorted(name for name in called if names.problem_with_package(name) is None)
    assert missing == [], "add these to names._KEPT_PACKAGES"


def test_no_package_is_called_as_a_folder_of_it() -> None:
    for folder in (ROOT / "reference_ops" / "my_add").iterdir():
        assert not folder.is_dir() or names.problem_with_package(folder.name), folder


@pytest.mark.parametrize(
    ("name", "cpp"),
    [
        ("a", "a"),
        ("x2", "x2"),
        ("aB_C", "aB_C"),
        ("double", "double_"),
        ("and", "and_"),
        ("EOF", "EOF_"),
        ("M_PI_2", "M_PI_2_"),
        ("L_tmpnam", "L_tmpnam_"),
        ("INT8_MAX", "INT8_MAX_"),
    ],
)
def test_a_name_in_cpp(name: str, cpp: str) -> None:
    assert cpp_name(name) == cpp


def test_no_argument_is_a_macro() -> None:
    """Check the macros of the headers that an op includes: one would replace the argument's
    name.
    """
    text = "#include <onnxop/op.h>\n#include <cmath>\n#include <pthread.h>\n"
    command = [
        "g++",
        "-std=c++20",
        "-dM",
        "-E",
        "-x",
        "c++",
        f"-I{ROOT / 'runtime/onnxop_runtime/include'}",
        "-",
    ]
    result = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    macros = re.findall(r"^#define ([A-Za-z]\w*) ", result.stdout, re.MULTILINE)
    assert {"M_PI_2", "INT64_MAX", "EOF"} <= {*macros}
    taken = {*FUNCTIONS}  # no argument has such a name, either
    names_ = [n for n in macros if n not in taken and not names.problem_with_argument(n)]
    assert [name for name in names_ if cpp_name(name) == name] == []


def test_unused_name() -> None:
    assert unused_name("a", []) == "a"
    assert unused_name("a", ["a", "a_"]) == "a__"


@pytest.mark.parametrize(
    ("name", "camel"), [("my_add", "MyAdd"), ("asinh", "Asinh"), ("deform_conv2d", "DeformConv2d")]
)
def test_camel(name: str, camel: str) -> None:
    assert names.camel(name) == camel


@pytest.mark.parametrize(
    ("name", "expected"), [("Mul", "mul"), ("DeformConv", "deform_conv"), ("GRUCell", "gru_cell")]
)
def test_snake(name: str, expected: str) -> None:
    assert snake(name) == expected
