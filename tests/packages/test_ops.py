"""Two ops of one package whose kernels have functions of the same names and signatures."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from tests.conftest import Environment

SPEC = """
[op]
schema = "{namespace}::{name}(Tensor x, SymInt[] to) -> Tensor"

[onnx]
opset = 18
domain = "{domain}"

[kernel]
source = "kernel.h"

[[samples]]
x = "float32[2, 3]"
to = [3, 2]
"""

# The functions are inline, and of one mangled name but for their namespace.
KERNEL = """
#pragma once
#include <onnxop/kernel.h>
namespace onnxop::{name}_op {{
inline constexpr std::string_view kName = "{namespace}::{name}";
using Supported = Types<float>;
inline OutputSpec infer(const TensorMeta& x, std::span<const Size> to) {{
  check_supported<Supported>(kName, x);
  return {{x.dtype, {{to[0] * {factor}}}}};
}}
inline void compute(const MutableTensorView& out, const TensorView&, std::span<const int64_t> to,
                    const ParallelFor& parallel_for) {{
  parallel_for(element_count(out.sizes), 1, [&](int64_t begin, int64_t end) {{
    for (int64_t i = begin; i < end; ++i) out.data_as<float>()[i] = {factor};
  }});
}}
}}  // namespace onnxop::{name}_op
"""

USE = """
import onnxruntime, onnx, torch
from onnx import TensorProto, helper
import twice
from twice import _kernel

x = torch.rand(2, 3)
print(_kernel.twice(x, [3]).tolist() == [2.0] * 6)
print(_kernel.thrice(x, [3]).tolist() == [3.0] * 9)
print(torch.ops.one_lib.twice(x, [3]).tolist() == [2.0] * 6)
print(torch.ops.other_lib.thrice(x, [3]).tolist() == [3.0] * 9)
print(_kernel._infer_twice(x, [3]) == ((torch.float32, [6]),))
print(_kernel._infer_thrice(x, [3]) == ((torch.float32, [9]),))
try:
    _kernel.thrice(x.double(), [3])
except RuntimeError as error:
    print(str(error) == "other_lib::thrice supports float32, but x is float64")

nodes = [
    helper.make_node("twice", ["x"], ["two"], domain="one_domain", to=[3]),
    helper.make_node("thrice", ["x"], ["three"], domain="other_domain", to=[3]),
    helper.make_node("twice", ["x"], ["more"], domain="third_domain", to=[1]),
]
graph = helper.make_graph(
    nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
    [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in ("two", "three", "more")],
)
domains = ("", "one_domain", "other_domain", "third_domain")
imports = [helper.make_opsetid(domain, 18 if not domain else 1) for domain in domains]
model = helper.make_model(graph, opset_imports=imports, ir_version=9).SerializeToString()
options = onnxruntime.SessionOptions()
options.add_session_config_entry("onnxop.domains.one_lib::twice", "third_domain")
for _ in range(2):
    options.register_custom_ops_library(str(twice.library_path()))
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
two, three, more = session.run(None, {"x": x.numpy()})
print(two.tolist() == [2.0] * 6, three.tolist() == [3.0] * 9, more.tolist() == [2.0] * 2, sep="\\n")
"""

OPS = (("one_lib", "twice", "one_domain", 2), ("other_lib", "thrice", "other_domain", 3))


def test_two_ops_of_one_signature(tmp_path: Path, environment: Environment) -> None:
    for namespace, name, domain, factor in OPS:
        words = {"namespace": namespace, "name": name, "domain": domain, "factor": factor}
        folder = tmp_path / f"{name}_spec"
        folder.mkdir()
        (folder / "op.toml").write_text(SPEC.format(**words), encoding="utf-8")
        (folder / "kernel.h").write_text(KERNEL.format(**words), encoding="utf-8")
        command = ("-m", "onnxop", "new", folder / "op.toml", tmp_path / name)
        done = environment.run(*command, cwd=tmp_path)
        assert done.returncode == 0, done.stdout
    shutil.copy(tmp_path / "thrice/ops/kernel.h", tmp_path / "twice/ops/thrice.h")
    description = (tmp_path / "thrice/csrc/thrice.cpp").read_text(encoding="utf-8")
    description = description.replace("../ops/kernel.h", "../ops/thrice.h")
    (tmp_path / "twice/csrc/thrice.cpp").write_text(description, encoding="utf-8")
    environment.install(tmp_path / "twice")
    done = environment.run("-c", USE, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines() == ["True"] * 10, done.stdout

    # Touching one kernel rebuilds that one alone.
    objects = {file: file.stat().st_mtime_ns for file in (tmp_path / "twice/build").rglob("*.o")}
    assert len(objects) == 5
    os.utime(tmp_path / "twice/ops/thrice.h")
    environment.install(tmp_path / "twice")
    made = {file.stem for file, time in objects.items() if file.stat().st_mtime_ns != time}
    assert made == {"thrice"}
