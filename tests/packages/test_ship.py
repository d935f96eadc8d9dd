"""The library for ONNX Runtime alone: built without Python, in programs without onnxop."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import onnxruntime  # type: ignore[import-untyped,unused-ignore]
import pytest

import onnxop_runtime
from tests.conftest import Environment, Shared
from tests.documents import blocks, read
from tests.programs import program
from tests.tiers import nightly
from tests.warm import Warm

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "reference_ops" / "my_add"
HOST = ROOT / "tests" / "csrc" / "host.cpp"
CAPI = Path(onnxruntime.__file__).parent / "capi"
# The server has ONNX Runtime and its dependencies, nothing else.
ALONE = [
    "onnxruntime",
    "numpy",
    "flatbuffers",
    "google",
    "packaging",
    "sympy",
    "mpmath",
    "coloredlogs",
]

EXPORT = program("ship/export")

# Two packages, one of them in another domain, and weights in a file of their own.
EXPORT_BOTH = program("ship/export_both")

# An unknown node.
STRANGER = program("ship/stranger")

# The README's code, where only ONNX Runtime is installed; the libraries compute the nodes.
SERVE_README = program("ship/serve_readme")

SERVE = program("ship/serve")

# A program that loads a library, and reads its description.
SAY = """
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (library == NULL || dlsym(library, "RegisterCustomOps") == NULL) return 1;
  puts(((const char* (*)(void))dlsym(library, "onnxop_library"))());
  return 0;
}
"""


def built(compiler: str, folder: Path) -> Path:
    """Build the library by the page's first command, in the folder of a package."""
    (command, *_) = (block for block in blocks("DEPLOYMENT.md", "sh") if "csrc/*.cpp" in block)
    run_in_package(command.replace("aarch64-linux-gnu-g++", compiler), folder)
    return folder / "libmy_add_onnxruntime.so"


def run_in_package(command: str, folder: Path) -> None:
    """Run a command of the page in a folder with the sources of a package, which it may
    write to.
    """
    shutil.copytree(PACKAGE / "csrc", folder / "csrc", dirs_exist_ok=True)
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(command, shell=True, check=True, cwd=folder, env={**os.environ, "PATH": path})


def needed(library: Path) -> set[str]:
    output = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True)
    lines = [line for line in output.stdout.splitlines() if "(NEEDED)" in line]
    libraries = {line.partition("[")[2].rstrip("]") for line in lines}
    return {name for name in libraries if not name.startswith("ld-linux")}


C_LIBRARY = {"libc.so.6", "libm.so.6", "libmvec.so.1", "libdl.so.2", "libpthread.so.0"}


@pytest.fixture(scope="session")
def shipped(packages: Environment, shared: Shared) -> Path:
    """Return a folder with a model and its library."""
    return shared.once("shipped", partial(ship, packages))


def ship(packages: Environment, folder: Path) -> None:
    folder.mkdir()
    output = packages.checked("-W", "ignore", "-c", EXPORT, cwd=folder)
    library = Path(output.splitlines()[-1])
    shutil.copy(library, folder)


def test_it_needs_the_c_library_alone(shipped: Path) -> None:
    library = shipped / "libmy_add_onnxruntime.so"
    assert needed(library) <= C_LIBRARY
    for symbol in (b"my_add 0.1.0", b"my_lib::my_add"):
        assert symbol in library.read_bytes()
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True)
    assert "SONAME" not in dynamic.stdout and "NODELETE" in dynamic.stdout


def test_what_the_library_tells_programs(shipped: Path) -> None:
    """Check the page's text, and that the page has a line for each of its keys."""
    library = ctypes.CDLL(str(shipped / "libmy_add_onnxruntime.so"))
    library.onnxop_library.restype = ctypes.c_char_p
    output = json.loads(library.onnxop_library())
    (shown,) = blocks("DEPLOYMENT.md", "json")
    assert output == json.loads(shown)
    assert output["abi"] == onnxop_runtime.ABI
    rows = [line.split("|")[1] for line in read("DEPLOYMENT.md").splitlines() if "|" in line]
    for key in (*output, *output["ops"]["my_lib::my_add"]):
        assert any(f"`{key}`" in row for row in rows), key


def served(code: str, folder: Path, scratch: Path) -> subprocess.CompletedProcess[str]:
    """Run the code where only ONNX Runtime is installed."""
    for name in ALONE:
        if (CAPI.parents[1] / name).exists():
            (scratch / name).symlink_to(CAPI.parents[1] / name)
    libraries = CAPI.parents[1] / "numpy.libs"
    if libraries.exists():
        (scratch / "numpy.libs").symlink_to(libraries)
    code = f"import sys; sys.path.append({str(scratch)!r})\n{code}"
    base = Path(sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}")
    return subprocess.run(
        [base, "-I", "-S", "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )


def test_where_onnxruntime_is_all_there_is(shipped: Path, tmp_path: Path) -> None:
    result = served(SERVE, shipped, tmp_path)
    assert result.stdout.split() == ["True"], result.stderr


def test_the_command(packages: Warm, tmp_path: Path) -> None:
    """Check that it makes a complete folder, or none."""
    packages.checked("-W", "ignore", "-c", EXPORT_BOTH, cwd=tmp_path)
    output = packages.checked("-m", "onnxop", "ship", "both.onnx", "deploy", cwd=tmp_path)
    names = [
        "README.md",
        "both.onnx",
        "libdeform_conv2d_onnxruntime.so",
        "libmy_add_onnxruntime.so",
    ]
    files = {file.name for file in (tmp_path / "deploy").iterdir()}
    assert files - {"both.onnx.data"} == {*names}
    assert output.count("computes 1 node of both.onnx") == 2
    assert "both.onnx runs in ONNX Runtime 1.17 and later\n" in output
    readme = (tmp_path / "deploy" / "README.md").read_text(encoding="utf-8")
    assert 'options.AddConfigEntry("onnxop.domains.my_lib::my_add", "other");' in readme
    runs = (
        "1.17 and later with the libraries registered; without them in 1.25 and later (DeformConv"
    )
    assert runs in readme
    scratch = tmp_path / "alone"
    scratch.mkdir()
    result = served(SERVE_README, tmp_path / "deploy", scratch)
    assert result.stdout.splitlines()[-1:] == ["True"], result.stderr
    (code,) = re.findall("```cpp\n(.*?)```", readme, re.DOTALL)
    program = host(code, scratch, "-DONLY_MAKES_THE_SESSION")
    made = subprocess.run(
        [program], cwd=tmp_path / "deploy", capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stderr) == (0, "")


VERIFY = ("-m", "onnxop", "ship", "--verify", "deploy")


def needed_glibc(libraries: list[Path]) -> str:
    """Return the glibc that all of these libraries load with."""
    return max(map(glibc_of, libraries), key=minor)


def refusals(libraries: list[Path], release: str) -> list[str]:
    """Return what ship says of the libraries that a glibc is too old for, and how to build them."""
    place = "in the container manylinux_2_28"
    if minor(release) < 28:
        place = f"on a system with glibc {release}"
    refused = [library.name for library in libraries if minor(glibc_of(library)) > minor(release)]
    return [
        f"so a server with {release} does not load it; build {package} {place}"
        for package in ("deform_conv2d", "my_add")
        if any(package in name for name in refused)
    ]


def test_ship_tells_the_glibc_that_a_server_needs(packages: Warm, tmp_path: Path) -> None:
    """The output, the folder's README and the page on deployment name it."""
    packages.checked("-W", "ignore", "-c", EXPORT_BOTH, cwd=tmp_path)
    output = packages.checked("-m", "onnxop", "ship", "both.onnx", "deploy", cwd=tmp_path)
    (told,) = re.findall("The libraries run on Linux for (.*), with glibc (2[.][0-9]+)", output)
    glibc = needed_glibc(sorted((tmp_path / "deploy").glob("*_onnxruntime.so")))
    assert told == (platform.machine(), glibc)
    readme = (tmp_path / "deploy" / "README.md").read_text(encoding="utf-8")
    assert f"on Linux for {platform.machine()}, with glibc {glibc} or later" in readme
    if platform.freedesktop_os_release()["PRETTY_NAME"].startswith("Debian GNU/Linux 12"):
        on_page = f"`x86_64, with glibc {glibc} or later` if they were built on Debian 12"
        assert on_page in read("DEPLOYMENT.md")


def test_ship_refuses_a_glibc_that_is_too_old(packages: Warm, tmp_path: Path) -> None:
    """It writes a folder for the oldest glibc that loads the libraries, and none for an older one."""
    packages.checked("-W", "ignore", "-c", EXPORT_BOTH, cwd=tmp_path)
    packages.checked("-m", "onnxop", "ship", "both.onnx", "deploy", cwd=tmp_path)
    libraries = sorted((tmp_path / "deploy").glob("*_onnxruntime.so"))
    needed = needed_glibc(libraries)
    assert refusals(libraries, needed) == []
    for release, is_refused in (
        (needed, False),
        (f"2.{minor(needed) - 1}", True),
        ("2.3", True),
    ):
        ship = ("-m", "onnxop", "ship", "both.onnx", f"to_{release}", "--max-glibc", release)
        result = packages.run(*ship, cwd=tmp_path)
        assert result.returncode == int(is_refused)
        assert (tmp_path / f"to_{release}").exists() == (not is_refused)
        assert bool(refusals(libraries, release)) == is_refused
        for refusal in refusals(libraries, release):
            assert refusal in result.stdout, result.stdout


def test_verify_counts_the_nodes_of_each_library(packages: Warm, tmp_path: Path) -> None:
    """In one line; without a library, its nodes run as function bodies, and the command fails."""
    packages.checked("-W", "ignore", "-c", EXPORT_BOTH, cwd=tmp_path)
    packages.checked("-m", "onnxop", "ship", "both.onnx", "deploy", cwd=tmp_path)
    with_both = packages.checked(*VERIFY, cwd=tmp_path)
    assert with_both.splitlines()[-1] == (
        "both.onnx: 2 of 2 nodes native: 1 in libdeform_conv2d_onnxruntime.so, 1 in "
        "libmy_add_onnxruntime.so"
    )
    (tmp_path / "deploy" / "libmy_add_onnxruntime.so").unlink()
    without_one = packages.run(*VERIFY, cwd=tmp_path)
    assert without_one.returncode == 1
    assert without_one.stdout.splitlines()[-1] == (
        "both.onnx: 1 of 2 nodes native: 1 in libdeform_conv2d_onnxruntime.so; other::my_add runs "
        "as its function body"
    )


def test_a_shipped_model_has_no_stack_traces(packages: Warm, tmp_path: Path) -> None:
    packages.checked("-W", "ignore", "-c", EXPORT_BOTH, cwd=tmp_path)
    packages.checked("-m", "onnxop", "ship", "both.onnx", "deploy", cwd=tmp_path)
    assert b"stack_trace" in (tmp_path / "both.onnx").read_bytes()
    assert b"stack_trace" not in (tmp_path / "deploy" / "both.onnx").read_bytes()


@pytest.mark.nightly
def test_one_session_of_all_packages(packages: Warm, tmp_path: Path) -> None:
    output = packages.checked("-W", "ignore", "-c", program("ship/session"), cwd=tmp_path)
    answers = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [answer.split()[0] for answer in answers] == ["True"] * 16, output


@pytest.mark.nightly
def test_a_file_without_paths(packages: Warm, tmp_path: Path) -> None:
    """Export with ``strip``: no paths, and in another folder the same bytes."""
    output = packages.checked("-W", "ignore", "-c", program("ship/strip"), cwd=tmp_path)
    answers = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [answer.split()[0] for answer in answers] == ["True"] * (16 + 8 + 8 + 8 + 1), output


@pytest.mark.nightly
def test_what_the_page_says_of_deployed_files(packages: Warm, tmp_path: Path) -> None:
    """Check the page on saved files, precision, and the messages in its table of symptoms."""
    pytest.importorskip("openvino")
    output = packages.checked("-W", "ignore", "-c", program("ship/deployed"), cwd=tmp_path)
    answers = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [answer.split()[0] for answer in answers] == ["True"] * 8, output
    messages = [line for line in output.splitlines() if line.startswith("message: ")]
    rows = read("DEPLOYMENT.md").partition("## Symptoms")[2].partition("## Servers")[0]
    symptoms = re.findall(r"^\| `([^`]+)`", rows, re.MULTILINE)
    told = [all(part in m for part in s.split("...")) for m in messages for s in symptoms]
    assert (len(messages), sum(told)) == (5, 5), output


@pytest.mark.everything
def test_the_container(shipped: Path, tmp_path: Path) -> None:
    """Build and run the page's Dockerfile, where docker and its registry are."""
    if subprocess.run(["docker", "info"], capture_output=True, check=False).returncode:
        pytest.skip("docker does not run here")
    (dockerfile,) = blocks("DEPLOYMENT.md", "dockerfile")
    (tmp_path / "Dockerfile").write_text(dockerfile, encoding="utf-8")
    shutil.copytree(shipped, tmp_path / "deploy")
    code = SERVE.partition("options = ")[1:]
    (tmp_path / "deploy" / "serve.py").write_text(
        "import numpy, onnxruntime\n" + "".join(code), encoding="utf-8"
    )
    subprocess.run(["docker", "build", "-t", "onnxop-served", tmp_path], check=True)
    command = ["docker", "run", "--rm", "--network", "none", "onnxop-served"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["True"]


def glibc_of(library: Path) -> str:
    """Return the release of glibc that a library needs, by binutils."""
    command = ["readelf", "--wide", "--version-info", str(library)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    releases: list[str] = re.findall(r"GLIBC_(2[.][0-9]+)", output)
    return max(releases, key=minor)


def minor(release: str) -> int:
    return int(release.split(".")[1])


# A node with an unread attribute.
UNKNOWN = program("ship/unknown")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("pass", "m.onnx: No such file or directory; give an ONNX file"),
        nightly("open('m.onnx', 'w').write('no model')", "m.onnx: is not an ONNX model"),
        (
            STRANGER,
            "m.onnx: no installed package computes acme::Twice; install the package",
        ),
        nightly(
            UNKNOWN, "m.onnx: the node y has an attribute scale, which my_lib::my_add would ignore"
        ),
    ],
    ids=["no file", "no model", "no library", "unknown attribute"],
)
def test_what_cannot_be_shipped(packages: Warm, tmp_path: Path, code: str, message: str) -> None:
    packages.checked("-c", code, cwd=tmp_path)
    result = packages.run("-m", "onnxop", "ship", "m.onnx", "deploy", cwd=tmp_path)
    assert result.returncode == 1
    assert message in result.stdout
    assert not (tmp_path / "deploy").exists()


# A node that ONNX Runtime has had since 1.25.
DEFORM = program("ship/deform")


@pytest.mark.nightly
def test_the_oldest_release(packages: Warm, tmp_path: Path) -> None:
    """Check that it names what the release does not run, and writes nothing."""
    packages.checked("-c", DEFORM, cwd=tmp_path)
    ship = ("-m", "onnxop", "ship", "m.onnx", "deploy", "--min-onnxruntime")
    for release, status, fact in (
        (
            "1.20",
            1,
            "1.20 does not run it, as far as is known: DeformConv of opset 19 (bent), since 1.25",
        ),
        ("1.16", 2, "'1.16' is not a release of ONNX Runtime since 1.17"),
        ("twenty", 2, "such as 1.20"),
    ):
        result = packages.run(*ship, release, cwd=tmp_path)
        assert (result.returncode, fact in result.stdout) == (status, True), result.stdout
        assert [file.name for file in tmp_path.iterdir()] == ["m.onnx"]
    assert "m.onnx runs in ONNX Runtime 1.25 and later" in packages.checked(
        *ship, "1.25.1", cwd=tmp_path
    )


@pytest.mark.nightly
def test_two_packages_of_one_node(shipped: Path, packages: Warm, tmp_path: Path) -> None:
    """Install another package with the same node in a folder of PYTHONPATH."""
    for name, text in {
        "again/__init__.py": "",
        "again-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: again\nVersion: 1\n",
        "again-1.dist-info/entry_points.txt": "[onnxop.ops]\nagain = again\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    library = "libmy_add_onnxruntime.so"
    shutil.copy(shipped / library, tmp_path / "again" / library.replace("my_add", "again"))
    command = ("-m", "onnxop", "ship", shipped / "node.onnx", "deploy")
    result = packages.run(*command, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    fact = "are installed, and both compute my_lib::my_add; uninstall one of them"
    assert (result.returncode, fact in result.stdout) == (1, True), result.stdout
    assert not (tmp_path / "deploy").exists()


def host(code: str, tmp_path: Path, *flags: str) -> Path:
    """Compile a program that makes its session by this C++: with ONNX Runtime's own header if it is
    installed, else with a stand-in, because no registry has that header.
    """
    (runtime,) = CAPI.glob("libonnxruntime.so.*")
    (tmp_path / "libonnxruntime.so.1").symlink_to(runtime)
    program, snippet = tmp_path / "host", tmp_path / "snippet.inc"
    snippet.write_text(code, encoding="utf-8")
    link = f"-Wl,--no-as-needed,-rpath,{tmp_path}", str(tmp_path / "libonnxruntime.so.1")
    flags = (
        *flags,
        f"-DSNIPPET={json.dumps(str(snippet))}",
        f"-idirafter{HOST.parent / 'standin'}",
    )
    command = ["g++", "-g", "-std=c++20", *flags, str(HOST), "-o", str(program)]
    subprocess.run([*command, *link], check=True)
    return program


def served_folder(shipped: Path, folder: Path) -> None:
    """Return a folder with a model and its library, built by one command."""
    built("g++", folder)
    shutil.copy(shipped / "node.onnx", folder)


@pytest.mark.nightly
def test_a_program_in_cpp(shipped: Path, tmp_path: Path) -> None:
    """Make the session by the page's lines."""
    (code,) = blocks("DEPLOYMENT.md", "cpp")
    served_folder(shipped, tmp_path)
    program = host(code, tmp_path)
    result = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["2.5"] * 6, result.stderr
    assert result.stderr == ""  # as if the library computed nothing


@pytest.mark.everything
def test_nothing_is_lost(shipped: Path, tmp_path: Path) -> None:
    """Check it by valgrind, from the registration to the end; ONNX Runtime itself leaks a
    little.
    """
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")
    (code,) = blocks("DEPLOYMENT.md", "cpp")
    served_folder(shipped, tmp_path)
    command = ["valgrind", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible"]
    result = subprocess.run(
        [*command, "--num-callers=50", host(code, tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.split() == ["2.5"] * 6, result.stderr
    assert "LEAK SUMMARY" in result.stderr or "no leaks are possible" in result.stderr
    records = re.split(r"==\d+== \n", result.stderr)
    lost = [record for record in records if "lost in loss record" in record]
    assert [record for record in lost if "libmy_add_onnxruntime.so" in record] == []


def test_another_architecture(tmp_path: Path) -> None:
    compiler = "aarch64-linux-gnu-g++"
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    library = built(compiler, tmp_path)
    assert needed(library) <= C_LIBRARY
    header = subprocess.run(["readelf", "-h", library], check=True, capture_output=True, text=True)
    assert "AArch64" in header.stdout
    if shutil.which("qemu-aarch64"):
        (tmp_path / "say.c").write_text(SAY, encoding="utf-8")
        host = str(tmp_path / "say")
        build = ["aarch64-linux-gnu-gcc", f"{host}.c", "-o", host, "-ldl"]
        subprocess.run(build, check=True)
        run = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", host, str(library)]
        output = subprocess.run(run, check=True, capture_output=True, text=True).stdout
        assert json.loads(output)["package"] == "my_add 0.1.0"


@pytest.mark.everything
def test_without_python(tmp_path: Path) -> None:
    """Build with a copy of the headers."""
    shutil.copytree(ROOT / "runtime" / "onnxop_runtime" / "include", tmp_path / "include")
    (_, command) = (block for block in blocks("DEPLOYMENT.md", "sh") if "csrc/*.cpp" in block)
    run_in_package(command.replace("aarch64-linux-gnu-g++", "g++"), tmp_path)
    assert needed(tmp_path / "libmy_add_onnxruntime.so") <= C_LIBRARY


@pytest.mark.everything
def test_by_cmake(tmp_path: Path) -> None:
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    (lists,) = blocks("DEPLOYMENT.md", "cmake")
    (tmp_path / "CMakeLists.txt").write_text(lists, encoding="utf-8")
    (command,) = (block for block in blocks("DEPLOYMENT.md", "sh") if block.startswith("cmake "))
    run_in_package(command, tmp_path)
    library = tmp_path / "build" / "libmy_add_onnxruntime.so"
    assert needed(library) <= C_LIBRARY
    shown = ["nm", "-D", "--defined-only", str(library)]
    output = subprocess.run(shown, check=True, capture_output=True, text=True).stdout
    assert output.split()[2::3] == ["RegisterCustomOps", "onnxop_library", "onnxop_served"]
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True)
    assert "SONAME" not in dynamic.stdout
