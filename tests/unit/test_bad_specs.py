"""Bad specs → one answer each.

A new mistake is a new file. To take over what specs give now: `python -m tests.unit.test_bad_specs
<name>...`; then read it as its user would.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from onnxop import cli
from onnxop.schema import registry
from onnxop_runtime.installer import pip_install
from onnxop_runtime.specs.reading import read_text
from tests.bad_specs import MARK, SPECS, parts
from tests.programs import program

HEAD = re.compile(
    r"(?P<file>[^:\s]+):(?P<line>\d+): (?P<place>[^ :]+|not valid TOML): (?P<words>.+)"
)


def copy(path: Path, folder: Path) -> Path:
    """Write the spec alone into a folder."""
    folder.joinpath(path.name).write_bytes(parts(path)[0])
    return folder / path.name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_looked_up", {})  # as in a new process
    return tmp_path


def refused(command: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return the answer of a command that must end with status 1 and change nothing."""
    before = sorted(folder.rglob("*"))
    assert cli.main(command) == 1
    answer = capsys.readouterr()
    assert answer.out == ""
    assert sorted(folder.rglob("*")) == before
    assert "Traceback" not in answer.err
    return answer.err.replace(f"run {pip_install()} ", "run pip install ")


# Specs for which PyTorch is asked again and again.
SLOW = ("requires_", "kernel_never_ends", "kernel_fake_never_ends", "errors_raise_nothing")
LATER = ("kernel_fake_never_ends", "errors_raise_nothing")
# Specs that are traced, or of whose samples PyTorch is asked.
COMPUTED = ("autograd_", "mapping_", "results_")


def tier(name: str) -> list[pytest.MarkDecorator]:
    if name in LATER:
        return [pytest.mark.nightly]
    return [pytest.mark.slow] if name.startswith((*SLOW, *COMPUTED)) else []


ANSWERED = [pytest.param(spec, marks=tier(spec.stem), id=spec.stem) for spec in SPECS]


@pytest.mark.parametrize("spec", ANSWERED)
def test_a_bad_spec_gets_its_message(
    spec: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy(spec, folder)
    answer = refused(["new", spec.name], folder, capsys)
    assert answer == parts(spec)[1]


FAST = [spec for spec in SPECS if not spec.stem.startswith(SLOW)]


@pytest.mark.slow
@pytest.mark.parametrize("spec", FAST, ids=lambda spec: spec.stem)
def test_check_gives_the_same_message(
    spec: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy(spec, folder)
    assert refused(["check", spec.name], folder, capsys) == parts(spec)[1]


IMPORTING = "onnxop: importing "


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_messages_have_places_and_carets(spec: Path) -> None:
    """Check that each message has a place, then the source line with carets, in the file's
    order.
    """
    text, answer = parts(spec)
    source = text.decode().replace("\r\n", "\n").split("\n")
    places: list[int] = []
    pending = [line for line in answer.splitlines() if not line.startswith(IMPORTING)]
    while pending:
        head = HEAD.fullmatch(pending.pop(0))
        assert head, "not of the form file:line: place: message"
        assert head["file"] == spec.name
        places.append(int(head["line"]))
        assert re.search(r"; |: |\? ", head["words"]), "no remedy"
        if pending and pending[0].startswith("    "):
            shown, carets = pending.pop(0)[4:], pending.pop(0)[4:]
            assert shown == source[places[-1] - 1]
            assert re.fullmatch(r"[ \t]*\^+", carets)
            assert len(carets) <= len(shown) + 1
    assert places and places == sorted(places)


@pytest.mark.slow
def test_as_a_user_runs_it(folder: Path) -> None:
    spec = next(spec for spec in SPECS if spec.stem == "several_everywhere")
    copy(spec, folder)
    command = [sys.executable, "-m", "onnxop", "new", spec.name]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr == parts(spec)[1]
    assert [path.name for path in folder.iterdir()] == [spec.name]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[op]\ndoc = '\xff'\n", "spec.toml:2: not UTF-8; save the file as UTF-8"),
        (b"\xfe\xff\0[", "spec.toml:1: not UTF-8; save the file as UTF-8"),
        (b"#" * 1_000_001, "spec.toml: has more than 1000000 bytes; give an op spec in TOML"),
        (b"a = " + b"[" * 9000, "spec.toml:1: not readable: values are nested too deeply"),
        (b"a = " + b"9" * 9000, "spec.toml:1: not readable: an integer has too many digits"),
        (
            b"\n" + b"a." * 50_000 + b"a = 1",
            "spec.toml:2: not readable: a key of more than 20 parts",
        ),
        (
            b"[" + b"'a' . " * 50_000 + b"a]\n",
            "spec.toml:1: not readable: a key of more than 20 parts",
        ),
        (b'"""' * 300_000, "spec.toml:1: not valid TOML: "),
    ],
    ids=["latin-1", "utf-16", "large", "deep", "digits", "dotted", "dotted_table", "quotes"],
)
def test_unreadable(
    data: bytes, expected: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "spec.toml").write_bytes(data)
    assert refused(["new", "spec.toml"], folder, capsys).startswith(expected)


DOTS = "a." * 30


@pytest.mark.parametrize(
    "text",
    [
        f'doc = "{DOTS}"',
        f'doc = "\\"{DOTS}"',
        f"doc = '{DOTS}'",
        f'doc = """\n{DOTS}\n"""',
        f"doc = '''\n{DOTS}\n'''",
        f"doc = 'text'  # {DOTS}",
    ],
)
def test_dots_in_texts_are_no_key(text: str) -> None:
    assert read_text(text, "op.toml").document is not None


@pytest.mark.parametrize(
    ("data", "fact"),
    [
        (b"// caf\xe9\n", "it is not UTF-8"),
        (b"// \0\n", "it has more than 1000000 bytes, or a null character"),
        (b"/" * 1_000_001, "it has more than 1000000 bytes, or a null character"),
        (None, "it is not a plain file"),
    ],
    ids=["latin-1", "null", "large", "directory"],
)
@pytest.mark.parametrize("place", ["kernel.h", "ops/kernel.h"])
def test_unreadable_source(
    data: bytes | None, fact: str, place: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    header = folder / place
    header.parent.mkdir(exist_ok=True)
    if data is None:
        header.mkdir()
    else:
        header.write_bytes(data)
    spec = SPECS[0].parent / "source_empty.toml"
    text = parts(spec)[0].decode().replace('source = ""', 'source = "kernel.h"')
    (folder / "spec.toml").write_text(text, encoding="utf-8")
    answer = refused(["new", "spec.toml"], folder, capsys)
    assert answer == (
        f"spec.toml:9: kernel.source: {place} cannot be read: {fact}; fix or remove it\n"
        '    source = "kernel.h"\n'
        "             ^^^^^^^^^^\n"
    )


def test_missing_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = refused(["new", "none.toml"], folder, capsys)
    assert answer == (
        "none.toml: cannot be read: No such file or directory; give the path of an op spec in TOML\n"
    )


def test_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that a folder of specs makes one package."""
    (folder / "specs").mkdir()
    answer = refused(["new", "specs"], folder, capsys)
    assert answer == "specs: has no op spec; give a folder of .toml files, or files\n"
    (folder / "specs" / "op.toml").mkdir()
    answer = refused(["new", "specs"], folder, capsys)
    assert answer == (
        "specs/op.toml: cannot be read: Is a directory; give the path of an op spec in TOML\n"
    )


def test_a_pipe_is_not_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(folder / "spec.toml")
    answer = refused(["new", "spec.toml"], folder, capsys)
    assert answer == (
        "spec.toml: cannot be read: it is not a plain file; give the path of an op spec in TOML\n"
    )


def test_null_in_the_path(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be read" in refused(["new", "a\0b.toml"], folder, capsys)


def test_several_specs_are_all_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def faulty(*names: str) -> list[str]:
        answer = refused(["check", *names], folder, capsys)
        return [line.partition(":")[0] for line in answer.splitlines() if not line.startswith(" ")]

    for name in (
        "toml_json.toml",
        "onnx_version.toml",
        "opset_low.toml",
        "schema_argument_twice.toml",
    ):
        copy(SPECS[0].parent / name, folder)
    names = ["toml_json.toml", "none.toml", "onnx_version.toml"]
    assert faulty(*names, "opset_low.toml") == names  # TOML, keys and types come first
    assert faulty("opset_low.toml", "schema_argument_twice.toml") == [
        "opset_low.toml",
        "schema_argument_twice.toml",
    ]


LIGHT = program("check_and_new/imports")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "new"])
@pytest.mark.parametrize("name", ["toml_json", "types_wrong", "keys_unknown", "kernel_autocast"])
def test_it_imports_neither_torch_nor_onnx_nor_copier(
    command: str, name: str, folder: Path
) -> None:
    copy(SPECS[0].with_stem(name), folder)
    run = [sys.executable, "-c", LIGHT, command, f"{name}.toml"]
    answer = subprocess.run(run, capture_output=True, text=True, check=True)
    assert answer.stdout == "1 []\n", answer.stderr


if __name__ == "__main__":
    for path in [SPECS[0].with_stem(name) for name in sys.argv[1:]]:
        with tempfile.TemporaryDirectory() as name:
            spec = copy(path, Path(name))
            command = [sys.executable, "-m", "onnxop", "check", spec.name]
            output = subprocess.run(command, cwd=name, stderr=subprocess.PIPE, check=False).stderr
            marked = "".join(f"{MARK}{line}\n" for line in output.decode().splitlines())
            path.write_bytes(spec.read_bytes() + f"\n{marked}".encode())
