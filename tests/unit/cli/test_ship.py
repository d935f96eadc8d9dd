"""`onnxop ship` of models without libraries: hostile files, folders that cannot be made, and debug
info.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxop import cli
from tests.programs import program

Entries = dict[str, str] | list[tuple[str, str]]


def external(entries: Entries, name: str = "w", dims: tuple[int, ...] = (2, 3)) -> TensorProto:
    """Return a float32 tensor whose values are in another file."""
    tensor = TensorProto(name=name, dims=dims, data_type=TensorProto.FLOAT)
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items() if isinstance(entries, dict) else entries:
        tensor.external_data.add(key=key, value=value)
    return tensor


def adding(*weights: TensorProto, domain: str = "", **names: str) -> onnx.ModelProto:
    """Return a model that adds weights to its input."""
    node = helper.make_node("Add", ["x", "w"], ["y"], domain=domain, **names)
    port = helper.make_tensor_value_info
    ports = [port(name, TensorProto.FLOAT, [2, 3]) for name in ("x", "y")]
    graph = helper.make_graph([node], "g", ports[:1], ports[1:], initializer=weights)
    opsets = [helper.make_opsetid("", 18)] + [helper.make_opsetid(domain, 1)] * bool(domain)
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ship(at: Path, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Return a function that runs the command and returns its status and output."""

    def run(*arguments: str | Path) -> tuple[int, str]:
        status = cli.main(["ship", *(os.fspath(argument) for argument in arguments)])
        out, err = capfd.readouterr()
        return status, out + err

    return run


def save(at: Path, entries: Entries, size: int = 24) -> None:
    onnx.save(adding(external(entries)), at / "m.onnx")
    (at / "w.bin").write_bytes(np.arange(size // 4, dtype=np.float32).tobytes())


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"location": "w.bin", "offset": "-5"}, "the offset '-5', not a number of bytes"),
        ({"location": "w.bin", "offset": "x"}, "of w has the offset 'x', not a number of bytes"),
        ({"location": "w.bin", "offset": "1e3"}, "the offset '1e3', not a number of bytes"),
        ({"location": "w.bin", "offset": " 4"}, "the offset ' 4', not a number of bytes"),
        ({"location": "w.bin", "offset": ""}, "the offset '', not a number of bytes"),
        ({"location": "w.bin", "length": "24\n"}, r"the length '24\n', not a number of"),
        ({"location": "w.bin", "length": "9" * 5000}, "999', not a number of bytes"),
        ({"location": "w.bin", "length": "٢٤"}, "not a number of bytes"),
        (
            {"location": "w.bin", "length": "28"},
            "the length 28, but the tensor has 24 bytes; write",
        ),
        ({"location": "w.bin", "length": "4"}, "the length 4, but the tensor has 24 bytes; write"),
        ({"location": "w.bin", "offset": "76"}, "w.bin, which has 24 bytes of 100; copy the whole"),
        ({"location": "w.bin", "offset": "76", "length": "24"}, "has 24 bytes of 100"),
        ({"offset": "0"}, "the external data of w names no file"),
        ([("location", "w.bin"), ("location", "v.bin")], "has two entries location"),
        ({"location": "gone.bin"}, "in gone.bin: No such file or directory; copy the file there"),
        ({"location": "/etc/passwd"}, "in /etc/passwd, which is not in the model's folder"),
        ({"location": "../w.bin"}, "in ../w.bin, which is not in the model's folder"),
        ({"location": "a/../../w.bin"}, "which is not in the model's folder"),
        ({"location": "."}, "which is not in the model's folder"),
        ({"location": "w\nx.bin"}, r"in w\nx.bin, but its name has a control character"),
        ({"location": "w\0.bin"}, r"in w\x00.bin, but its name has a control character"),
        ({"location": "m.onnx"}, "in m.onnx, the model's own file"),
        ({"location": "./m.onnx"}, "in ./m.onnx, the model's own file"),
        ({"location": "folder"}, "in folder, which is a folder, not a file"),
        ({"location": "pipe"}, "in pipe, which is a named pipe (FIFO), not a file"),
        ({"location": "outside"}, "in outside, a link to /etc/hostname, outside of the model's"),
        ({"location": "dangling"}, "in dangling, a link to nowhere: No such file or directory"),
        ({"location": "loop"}, "in loop, a link to loop: Too many levels of symbolic links"),
        ({"location": "README.md"}, "README.md is also the name of a file that ship writes"),
    ],
)
def test_external_data(ship: Any, at: Path, entries: Entries, message: str) -> None:
    save(at, entries)
    (at / "folder").mkdir()
    (at / "README.md").write_bytes(bytes(24))
    os.mkfifo(at / "pipe")
    links = {"outside": "/etc/hostname", "dangling": "nowhere", "loop": "loop"}
    for name, target in links.items():
        (at / name).symlink_to(target)
    before = sorted(os.listdir(at))
    status, told = ship("m.onnx", "deploy")
    assert (status, told.count("\n")) == (1, 1), told
    assert told.startswith("m.onnx: ") and message in told
    assert sorted(os.listdir(at)) == before


def in_subgraph(tensor: TensorProto) -> onnx.ModelProto:
    """Return a model with the tensor in a branch of an If."""
    other = numpy_helper.from_array(np.zeros((2, 3), np.float32), "w")
    branches = {}
    for name, weight in (("then_branch", tensor), ("else_branch", other)):
        output = helper.make_tensor_value_info(f"{name}_y", TensorProto.FLOAT, [2, 3])
        node = helper.make_node("Add", ["x", "w"], [f"{name}_y"])
        branches[name] = helper.make_graph([node], name, [], [output], initializer=[weight])
    model = adding()
    condition = helper.make_tensor_value_info("c", TensorProto.BOOL, [])
    model.graph.input.append(condition)
    model.graph.node[0].CopyFrom(helper.make_node("If", ["c"], ["y"], **branches))
    return model


def test_weights_of_subgraphs_and_of_folders(ship: Any, at: Path) -> None:
    """The files of subgraphs come along; those in a folder, and a link within it, too."""
    (at / "data").mkdir()
    (at / "data" / "w.bin").write_bytes(bytes(24))
    (at / "data" / "link.bin").symlink_to("w.bin")
    for location in ("data/w.bin", "data/link.bin"):
        onnx.save(in_subgraph(external({"location": location})), at / "m.onnx")
        status, told = ship("m.onnx", f"to_{location[5:]}")
        assert status == 0, told
        assert (at / f"to_{location[5:]}" / location).read_bytes() == bytes(24)
    onnx.save(in_subgraph(external({"location": "gone.bin"})), at / "m.onnx")
    assert "in gone.bin: No such file" in ship("m.onnx", "gone")[1]


def save_plain(path: Path) -> None:
    onnx.save(adding(numpy_helper.from_array(np.zeros((2, 3), np.float32), "w")), path)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (b"\xff.onnx", "its name is not UTF-8, and ONNX Runtime opens no such file"),
        (b"a\nb.onnx", "a\\nb.onnx: its name has a control character; rename it"),
        (b"a\x1b[2Jb.onnx", "a\\x1b[2Jb.onnx: its name has a control character; rename it"),
        (b"README.md", "README.md: README.md is also the name of a file that ship writes"),
    ],
)
def test_names_of_models(ship: Any, at: Path, name: bytes, message: str) -> None:
    save_plain(at / os.fsdecode(name))
    status, told = ship(os.fsdecode(name), "deploy")
    assert (status, told.count("\n")) == (1, 1), told
    assert message in told
    assert os.listdir(at) == [os.fsdecode(name)]


@pytest.mark.slow
def test_a_name_that_needs_quotes(ship: Any, at: Path) -> None:
    name = 'a "b" \\ é.onnx'
    save_plain(at / name)
    assert ship(name, "deploy")[0] == 0
    readme = (at / "deploy" / "README.md").read_text(encoding="utf-8")
    code = readme.partition("```python\n")[2].partition("```")[0]
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=at / "deploy", capture_output=True, text=True, check=True)
    assert run.stdout == "[('x', 'tensor(float)', [2, 3])]\n"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Path.mkdir, "m.onnx: is a folder, not a file; give an ONNX file"),
        (os.mkfifo, "m.onnx: is a named pipe (FIFO), not a file; give an ONNX file"),
        (lambda path: path.symlink_to("m.onnx"), "m.onnx: Too many levels of symbolic links"),
        (lambda path: path.symlink_to("/dev/zero"), "m.onnx: is a device, not a file"),
        (lambda path: path.write_bytes(b""), "m.onnx: is not an ONNX model, it has no graph"),
        (lambda path: path.write_bytes(b"\xff" * 40), "m.onnx: is not an ONNX model; give what"),
        (lambda path: None, "m.onnx: No such file or directory; give an ONNX file"),
    ],
)
def test_what_is_no_model(
    ship: Any, at: Path, make: Callable[[Path], object], message: str
) -> None:
    make(at / "m.onnx")
    before = os.listdir(at)
    status, told = ship("m.onnx", "deploy")
    assert (status, told.count("\n"), message in told) == (1, 1, True), told
    assert os.listdir(at) == before


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("full", "full: is not empty; give a folder that is new"),
        ("m.onnx", "m.onnx: is a file; give a folder that is new"),
        ("dangling", "dangling: is a link to a folder that is missing; make that folder"),
        ("m.onnx/deploy", "m.onnx/deploy: m.onnx is not a folder; give another folder"),
        ("m.onnx/a/deploy", "m.onnx/a/deploy: m.onnx is not a folder; give another folder"),
        (os.fsdecode(b"\xff"), "its name is not UTF-8, and ONNX Runtime opens no such file"),
        ("a\nb", "a\\nb: its name has a control character; give another folder"),
        (
            "/proc/deploy",
            "/proc/deploy: cannot be written: No such file or directory; give another",
        ),
    ],
)
def test_folders_that_cannot_be_made(ship: Any, at: Path, folder: str, message: str) -> None:
    save_plain(at / "m.onnx")
    (at / "full" / "inner").mkdir(parents=True)
    (at / "dangling").symlink_to("nowhere")
    before = sorted(os.listdir(at))
    status, told = ship("m.onnx", folder)
    assert (status, told.count("\n"), message in told) == (1, 1, True), told
    assert sorted(os.listdir(at)) == before


def test_a_link_to_an_empty_folder(ship: Any, at: Path) -> None:
    save_plain(at / "m.onnx")
    (at / "empty").mkdir()
    (at / "link").symlink_to("empty")
    assert ship("m.onnx", "link")[0] == 0
    assert sorted(os.listdir(at / "empty")) == ["README.md", "m.onnx"]
    assert (at / "link").is_symlink()


def test_a_refusal_leaves_no_parents(ship: Any, at: Path) -> None:
    (at / "m.onnx").write_bytes(b"\xff" * 40)
    assert ship("m.onnx", "a/b/c")[0] == 1
    model = adding(numpy_helper.from_array(np.zeros((5, 7), np.float32), "w"))
    onnx.save(model, at / "m.onnx")  # of sizes that ONNX Runtime rejects
    status, told = ship("m.onnx", "a/b/c")
    assert (status, told.count("\n"), "rejects it" in told) == (1, 1, True), told
    assert os.listdir(at) == ["m.onnx"]


@pytest.mark.slow
def test_a_disk_that_takes_no_more(at: Path) -> None:
    save_plain(at / "m.onnx")
    # -B: Python would write incomplete bytecode, and others would read it
    limited = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (99, 99))"
    code = f"{limited}; from onnxop import cli; exit(cli.main(['ship', 'm.onnx', 'deploy']))"
    command = [sys.executable, "-B", "-c", code]
    run = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    message = (
        "deploy: cannot be written: File too large; give another folder, or make room for it\n"
    )
    assert (run.returncode, run.stderr.endswith(message)) == (1, True), run.stderr
    assert os.listdir(at) == ["m.onnx"]


HANGING = program("ship/hanging")


@pytest.mark.slow
def test_a_run_that_was_killed(ship: Any, at: Path) -> None:
    """The next run removes what it has left, but not the folder of a run that goes on."""
    save_plain(at / "m.onnx")
    command = [sys.executable, "-c", HANGING]
    with subprocess.Popen(command, cwd=at, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "loading\n"
        (left,) = at.glob(".onnxop-*")
        assert ship("m.onnx", "second")[0] == 0
        assert left.is_dir()
        run.send_signal(signal.SIGKILL)
    assert left.is_dir()
    assert ship("m.onnx", "third")[0] == 0
    assert sorted(os.listdir(at)) == ["m.onnx", "second", "third"]


@pytest.mark.parametrize(
    "value",
    ["", "x", "3", "[]", "null", '{"domain": 3}', '{"domain": "a\\")\\nimport os #"}', "[" * 10**5],
)
def test_metadata_of_others(ship: Any, at: Path, value: str) -> None:
    model = adding(numpy_helper.from_array(np.zeros((2, 3), np.float32), "w"))
    model.metadata_props.add(key="onnxop.my_lib::my_add", value=value)
    onnx.save(model, at / "m.onnx")
    assert ship("m.onnx", "deploy")[0] == 0
    assert "import os" not in (at / "deploy" / "README.md").read_text(encoding="utf-8")


def test_nodes_whose_names_have_lines(ship: Any, at: Path) -> None:
    weights = numpy_helper.from_array(np.zeros((2, 3), np.float32), "w")
    onnx.save(adding(weights, domain="ac\nme"), at / "m.onnx")
    status, told = ship("m.onnx", "deploy")
    assert (status, told.count("\n")) == (1, 1)
    assert r"no installed package computes ac\nme::Add" in told


PATH = "/home/someone/secret/model.py"


def with_debug_info() -> onnx.ModelProto:
    """Return a model with a path everywhere where exporters and tools write text."""
    model = in_subgraph(numpy_helper.from_array(np.zeros((2, 3), np.float32), "w"))
    branch = model.graph.node[0].attribute[0].g
    graphs = model.graph, branch
    items = [*graphs, *(graph.node[0] for graph in graphs), model.graph.input[0]]
    for item in [*items, branch.output[0], branch.initializer[0]]:
        item.doc_string = PATH
        item.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=f'File "{PATH}", line 1')
        item.metadata_props.add(key="namespace", value=PATH)
    model.graph.node[0].attribute[0].doc_string = PATH
    model.doc_string = PATH
    model.metadata_props.add(key="version", value="7")
    model.graph.node[0].metadata_props.add(key="mine", value="kept")
    return model


def test_debug_info(ship: Any, at: Path) -> None:
    onnx.save(with_debug_info(), at / "m.onnx")
    assert ship("m.onnx", "deploy")[0] == 0
    assert PATH.encode() not in (at / "deploy" / "m.onnx").read_bytes()
    stripped = onnx.load(at / "deploy" / "m.onnx")
    assert [entry.value for entry in stripped.metadata_props] == ["7"]
    assert [entry.value for entry in stripped.graph.node[0].metadata_props] == ["kept"]
    assert ship("m.onnx", "whole", "--no-strip")[0] == 0
    assert (at / "whole" / "m.onnx").read_bytes() == (at / "m.onnx").read_bytes()
    assert ship("deploy/m.onnx", "again")[0] == 0
    assert (at / "again" / "m.onnx").read_bytes() == (at / "deploy" / "m.onnx").read_bytes()


def test_verify_without_nodes_of_packages(ship: Any, at: Path) -> None:
    save_plain(at / "m.onnx")
    assert ship("m.onnx", "deploy")[0] == 0
    assert ship("--verify", "deploy") == (0, "m.onnx: 0 of 0 nodes native\n")
    for folder, message in {
        "gone": "gone: No such file or directory; give a folder that onnxop ship wrote",
        "m.onnx": "m.onnx: is not a folder; give one that onnxop ship wrote",
        "empty": "empty: has no file *.onnx; give a folder with one model",
    }.items():
        (at / "empty").mkdir(exist_ok=True)
        status, told = ship("--verify", folder)
        assert (status, told.count("\n"), message in told) == (1, 1, True), told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "give MODEL and FOLDER, or --verify FOLDER"),
        (["m.onnx"], "give MODEL and FOLDER, or --verify FOLDER"),
        (["m.onnx", "--verify", "deploy"], "--verify takes no MODEL"),
        (["--verify", "deploy", "--parser", "tensorrt"], "--verify takes no --parser"),
        (["--verify", "deploy", "--max-glibc", "2.28"], "and --max-glibc"),
        (["--verify", "deploy", "--min-onnxruntime", "1.20"], "--min-onnxruntime and"),
        (["m.onnx", "deploy", "--max-glibc", "two"], "'two' is not a release of glibc"),
        (["m.onnx", "deploy", "--max-glibc", "2"], "'2' is not a release of glibc; write one"),
    ],
)
def test_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["ship", *arguments])
    assert (caught.value.code, message in capsys.readouterr().err) == (2, True)
